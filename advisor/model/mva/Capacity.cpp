// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Capacity.h"

#include "runtime/abi/lock_algorithms.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// The part of a visit in which nobody else can be served, per visit of the mean class. What a
/// holder waits for other threads inside gets less, the more of them are here.
double exclusiveNs(const LockStation &station) {
  const StationLoad &load = station.load;
  double ns = load.holdNs - load.inner.meanNs;
  if (algorithmOf(station.kind).sharesReads)
    ns -= load.readers.share * load.readers.holdNs;
  return std::max(0.0, ns);
}

/// The station that would be held most beyond all the time; none: their number.
std::size_t busiest(const ClosedNetwork &network, const std::vector<double> &held) {
  std::size_t found = network.stations.size();
  double most = 1;
  for (std::size_t i = 0; i < network.stations.size(); ++i)
    if (network.stations[i].directVisits > 0 && held[i] > most) {
      most = held[i];
      found = i;
    }
  return found;
}

} // namespace

void boundByCapacity(const ClosedNetwork &network, NetworkState &state) {
  std::vector<double> held;
  for (const LockStation &station : network.stations)
    held.push_back(state.cyclesPerNs * station.visits * exclusiveNs(station));
  const std::size_t i = busiest(network, held);
  if (i == network.stations.size())
    return;
  const LockStation &station = network.stations[i];
  const double before = state.threads / state.cyclesPerNs, least = before * held[i];
  state.stations[i].residenceNs += (least - before) / (station.count * station.directVisits);
  state.cyclesPerNs = state.threads / least;
}

void boundByCapacity(const ClosedNetwork &network, const ClassNetwork &classes,
                     std::vector<ClassState> &states) {
  const auto rateWith = [&](std::size_t c, std::size_t i, double longerNs) {
    const ClassLoad &load = classes.classes[c];
    std::vector<double> waitNs = states[c].waitNs;
    waitNs[i] += longerNs;
    return longerNs > 0 ? cyclesPerNs(classes, load, load.threads, waitNs) : states[c].cyclesPerNs;
  };
  const auto heldWith = [&](std::size_t i, double longerNs) {
    const LockStation &station = network.stations[i];
    const double meanNs = heldNs(station.kind, station.load);
    double held = 0;
    for (std::size_t c = 0; meanNs > 0 && c < states.size(); ++c) {
      const ClassVisits &at = classes.classes[c].at[i];
      held += rateWith(c, i, longerNs) * at.visits * at.holdNs * exclusiveNs(station) / meanNs;
    }
    return held;
  };
  for (std::size_t round = 0; round < network.stations.size(); ++round) {
    std::vector<double> held;
    for (std::size_t i = 0; i < network.stations.size(); ++i)
      held.push_back(heldWith(i, 0));
    const std::size_t i = busiest(network, held);
    if (i == network.stations.size())
      return;
    // Throughput falls with the wait, towards that of classes that come from inside others alone.
    double low = 0, high = exclusiveNs(network.stations[i]);
    for (int doublings = 0; heldWith(i, high) > 1 && doublings < 60; ++doublings)
      high *= 2;
    for (int halvings = 0; halvings < 50; ++halvings)
      (heldWith(i, (low + high) / 2) > 1 ? low : high) = (low + high) / 2;
    for (std::size_t c = 0; c < states.size(); ++c) {
      states[c].cyclesPerNs = rateWith(c, i, high);
      states[c].waitNs[i] += high;
    }
  }
}

} // namespace qdadvise
