// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/ClassMixture.h"

#include "advisor/model/mva/Capacity.h"
#include "advisor/model/mva/Linearizer.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// Threads that find the lock free wait so long for its lines (HO6), on the mean over all visits.
/// Methods that follow single threads do not say where the lines are.
double movedNs(const LockStation &lock, const LineTransfer &transfer, int threads,
               const StationState &at) {
  const double elsewhere = at.elsewhere > 0 ? at.elsewhere : transfer.elsewhere(threads);
  return (1 - at.contention) * elsewhere * algorithmOf(lock.kind).accesses.alone *
         transfer.fromOther(threads);
}

/// The station with the factor for which the mean class waits as long as its method says (CL7).
ClassStation stationOf(const LockStation &lock, const LineTransfer &transfer,
                       const NetworkState &state, const StationState &at, double aloneNs) {
  const ClassVisits visits{lock.visits, lock.directVisits, heldNs(lock.kind, lock.load),
                           lock.load.cv2};
  ClassStation station{lock.count, aloneNs - visits.holdNs};
  if (state.threads == 1) { // parts of one thread, which do not meet
    station.factor = 0;
    return station;
  }
  const double others = static_cast<double>(state.threads - 1) / state.threads;
  const double longerNs = at.residenceNs - aloneNs;
  const double moved =
      std::clamp(movedNs(lock, transfer, state.threads, at), 0.0, std::max(0.0, longerNs));
  // Alike threads wait for one section of each other one at most (CL11).
  const double found = std::min(others * workNs(station, visits, state.threads, state.cyclesPerNs,
                                                at.residenceNs - visits.holdNs),
                                (state.threads - 1) * aloneNs);
  station.transferNs = moved / others;
  if (found > 0)
    station.factor = (longerNs - moved) / found;
  return station;
}

/// Puts the mean over all classes in place of the mean class.
void average(NetworkState &state, const NetworkState &alone, const ClassNetwork &network,
             const std::vector<ClassState> &classes) {
  state.cyclesPerNs = 0;
  for (const ClassState &one : classes)
    state.cyclesPerNs += one.cyclesPerNs;
  for (std::size_t i = 0; i < state.stations.size(); ++i) {
    double rate = 0, residence = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const ClassVisits &at = network.classes[c].at[i];
      rate += classes[c].cyclesPerNs * at.visits;
      residence += classes[c].cyclesPerNs * at.visits * (at.holdNs + classes[c].waitNs[i]);
    }
    // Threads find a lock taken as much more often as they wait longer.
    StationState &at = state.stations[i];
    const double before = at.residenceNs - alone.stations[i].residenceNs;
    at.residenceNs = residence / rate;
    const double now = at.residenceNs - alone.stations[i].residenceNs;
    if (before > 0)
      at.contention = std::clamp(at.contention * now / before, 0.0, 1.0);
  }
}

} // namespace

Expected<MixtureState> solveMixture(const ClosedNetwork &mean, int threads,
                                    const std::vector<ClassLoad> &classes, NetworkMethod method,
                                    ClassMethod classMethod) {
  const auto states =
      TRY(method(mean, threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}));
  const NetworkState &alone = states.front();
  MixtureState result{states.back(), {}};
  ClassNetwork apart{{}, classes};
  for (std::size_t i = 0; i < mean.stations.size(); ++i) {
    ClassStation &station = apart.stations.emplace_back(
        stationOf(mean.stations[i], mean.machine.lineTransfer(), result.mean,
                  result.mean.stations[i], alone.stations[i].residenceNs));
    if (classMethod)
      station = {station.count, station.overheadNs};
  }
  result.classes = classMethod ? classMethod(apart) : solveSchweitzer(apart);
  boundByCapacity(mean, apart, result.classes);
  average(result.mean, alone, apart, result.classes);
  return result;
}

} // namespace qdadvise
