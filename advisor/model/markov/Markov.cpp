// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/markov/Markov.h"

#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/locks/Station.h"
#include "advisor/model/markov/ClockChain.h"
#include "advisor/model/markov/PhaseChain.h"
#include "advisor/model/markov/ThreadChain.h"
#include "advisor/model/mva/Mva.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace qdadvise {

namespace {

/// How long a release keeps its thread at each lock, per visit that finds the lock taken.
std::vector<double> releaseTimes(const ClosedNetwork &network, int threads) {
  std::vector<double> result;
  for (const LockStation &lock : network.stations)
    result.push_back(isolatedStation(lock, network.machine, threads, fitTwo)->releaseNs);
  return result;
}

/// Takes two estimates from mean value analysis. The time of releases is added to what comes next,
/// on the mean, by the contention (MK6). And each lock's line is elsewhere as often.
Expected<ClosedNetwork> withEstimates(ClosedNetwork network, const std::vector<double> &releaseNs,
                                      int threads) {
  const auto estimate = TRY(solveMva(network, {threads}));
  double visits = 0, ns = 0;
  for (std::size_t i = 0; i < releaseNs.size(); ++i) {
    const double each = network.stations[i].count * network.stations[i].visits;
    visits += each;
    ns += each * estimate.front().stations[i].contention * releaseNs[i];
    network.stations[i].load.elsewhere = estimate.front().stations[i].elsewhere;
  }
  for (ThinkTime &thinkTime : network.thinkTimes)
    thinkTime.meanNs += ns / visits;
  return network;
}

Expected<NetworkState> solve(const ClosedNetwork &given, int threads) {
  const std::vector<double> releaseNs = releaseTimes(given, threads);
  const auto extended = TRY(withEstimates(given, releaseNs, threads));
  const ClosedNetwork &network = extended;
  std::vector<StationState> stations;
  if (goesByClock(network))
    stations = solveByClock(network, threads);
  if (stations.empty())
    stations = solveByPhases(network, threads);
  if (stations.empty())
    return makeError(fmt::format("model 'markov': too many states with {} threads and {} locks",
                                 threads, network.stations.size()));
  double cycleNs = network.delayNs + network.computeNs;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    stations[i].residenceNs += stations[i].contention * releaseNs[i];
    cycleNs += network.stations[i].count * network.stations[i].visits * stations[i].residenceNs;
  }
  return NetworkState{threads, threads / cycleNs, std::move(stations)};
}

/// Why the network has no such chain; empty if it has one.
std::string fault(const ClosedNetwork &network, int threads) {
  if (threads > mostMarkovThreads)
    return fmt::format("for up to {} threads", mostMarkovThreads);
  if (network.routing.empty())
    return "for one class of threads, a core for each, and no nested sections";
  double locks = 0;
  for (const LockStation &lock : network.stations) {
    if (!isolatedStation(lock, network.machine, threads, fitTwo))
      return fmt::format("not for lock algorithm '{}'", nameOf(lock.kind));
    if (lock.count != std::floor(lock.count))
      return "for whole locks";
    locks += lock.count;
  }
  // There are at least as many states, and each lock takes memory before they are counted.
  if (locks > ThreadChain::mostStates)
    return fmt::format("for up to {:.0f} locks", ThreadChain::mostStates);
  return "";
}

} // namespace

Expected<std::vector<NetworkState>> solveMarkov(const ClosedNetwork &network,
                                                const std::vector<int> &threads) {
  for (const LockStation &lock : network.stations)
    TRY(missingFigure(lock.kind, network.machine));
  if (const std::string why = fault(network, threads.back()); !why.empty())
    return makeError("model 'markov' is " + why);
  std::vector<NetworkState> result;
  for (const int count : threads) {
    auto state = TRY(solve(network, count));
    result.push_back(std::move(state));
  }
  return result;
}

} // namespace qdadvise
