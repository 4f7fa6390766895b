// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Recursion.h"

#include "advisor/model/Station.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace qdadvise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct RecursionStation {
  const LockStation &input;
  std::unique_ptr<Station> station;
  double direct;        ///< visits by themselves, at all `count` of them
  double betweenVisits; ///< times the cycle's mean time: the time from visit to visit
};

Expected<std::vector<RecursionStation>> stationsOf(const ClosedNetwork &network) {
  std::vector<RecursionStation> result;
  for (const LockStation &input : network.stations) {
    auto station = makeStation(input.kind, input.load, network.machine);
    if (!station)
      return tl::unexpected(station.error());
    result.push_back(
        {input, std::move(*station), input.count * input.directVisits, 1 / input.visits});
  }
  return result;
}

/// The mean time of one round, and the residence time at every station. Some stations'
/// residence time depends on how often a thread comes round: then the cycle time is the
/// one root of a falling function.
double balance(const std::vector<RecursionStation> &stations, double delayNs,
               std::vector<double> &residence) {
  const auto around = [&](double cycle) {
    double sum = delayNs;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const RecursionStation &at = stations[i];
      residence[i] = at.station->residenceNs(cycle * at.betweenVisits);
      if (at.direct > 0)
        sum += at.input.directNs(residence[i]);
    }
    return sum;
  };
  double low = around(infinity);
  if (std::none_of(stations.begin(), stations.end(),
                   [](const RecursionStation &at) { return at.station->elastic(); }))
    return low;
  // Not from 0, which no doubling leaves; 2000 doublings leave nothing finite.
  double high = std::max(low, 1e-12), lowExcess = infinity, highExcess = infinity;
  for (int doubling = 0; doubling < 2000; ++doubling) {
    const double excess = around(high) - high;
    if (excess <= 0) {
      highExcess = excess;
      break;
    }
    low = high;
    lowExcess = excess;
    high *= 2;
  }
  // Illinois' rule, with bisection where an end is infinite and, against slow convergence
  // near a pole, every fourth time. The excess falls by more than the cycle grows, so that
  // it bounds the error.
  for (int step = 1; step < 200 && high - low > 1e-13 * high; ++step) {
    double middle = (low + high) / 2;
    if (std::isfinite(lowExcess) && step % 4 != 0)
      middle =
          std::clamp((low * highExcess - high * lowExcess) / (highExcess - lowExcess), low, high);
    const double excess = around(middle) - middle;
    if (std::abs(excess) <= 1e-13 * middle)
      return middle;
    if (excess > 0) {
      low = middle;
      lowExcess = excess;
      highExcess /= 2;
    } else {
      high = middle;
      highExcess = excess;
      lowExcess /= 2;
    }
  }
  around(high);
  return high;
}

/// As above with n threads. Approximations of the residual form may let a lock serve
/// more than it can: then its queue, which they have too short, holds the threads up.
double settle(const std::vector<RecursionStation> &stations, double delayNs, int n,
              std::vector<double> &residence) {
  const double cycle = balance(stations, delayNs, residence);
  double least = cycle;
  std::size_t slowest = stations.size();
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const RecursionStation &at = stations[i];
    if (at.direct <= 0)
      continue;
    const double needed = n * at.input.visits * at.station->occupancyNs();
    if (needed > least) {
      least = needed;
      slowest = i;
    }
  }
  if (slowest < stations.size()) {
    const RecursionStation &at = stations[slowest];
    residence[slowest] += (least - cycle) / at.direct;
  }
  return least;
}

} // namespace

Expected<std::vector<NetworkState>> solveRecursion(const ClosedNetwork &network,
                                                   const std::vector<int> &threads) {
  auto stations = stationsOf(network);
  if (!stations)
    return tl::unexpected(stations.error());
  std::vector<NetworkState> result;
  const std::size_t count = stations->size();
  std::vector<double> residence(count, 0);
  auto next = threads.begin();
  for (int n = 1; next != threads.end(); ++n) {
    const double cycle = settle(*stations, network.delayNs + network.computeNs, n, residence);
    const double rate = n / cycle;
    NetworkState state;
    const bool wanted = *next == n;
    if (wanted)
      state = {n, rate, std::vector<StationState>(count)};
    for (std::size_t i = 0; i < count; ++i) {
      const RecursionStation &at = (*stations)[i];
      if (wanted)
        state.stations[i] = {residence[i], at.station->contention(cycle * at.betweenVisits)};
      at.station->update(rate * at.input.visits, residence[i], cycle * at.betweenVisits);
    }
    if (wanted) {
      result.push_back(std::move(state));
      ++next;
    }
  }
  return result;
}

} // namespace qdadvise
