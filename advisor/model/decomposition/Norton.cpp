// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/Norton.h"

#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/decomposition/StayingThreads.h"
#include "advisor/model/mva/Mva.h"

#include <algorithm>
#include <numeric>

namespace qdadvise {

namespace {

/// The most cycles per nanosecond that each lock allows; infinite if it cannot be solved by itself.
std::vector<double> capacities(const ClosedNetwork &network, int threads) {
  std::vector<double> result;
  for (const LockStation &lock : network.stations) {
    double most = std::numeric_limits<double>::infinity();
    if (const auto alone = isolatedStation(lock, network.machine, threads, fitTwo)) {
      const std::vector<double> rates = exponentialThroughput(*alone, threads);
      most = *std::max_element(rates.begin(), rates.end()) / lock.visits;
    }
    result.push_back(most);
  }
  return result;
}

/// Cycles per nanosecond of 0 to `most` threads without one instance of `lock`. `capacity` is by
/// lock.
Expected<std::vector<double>> throughputsWithout(std::size_t lock, const ClosedNetwork &network,
                                                 std::vector<double> capacity, int most) {
  ClosedNetwork rest = network;
  rest.delayNs = std::max(rest.delayNs, leastNs);
  if (rest.stations[lock].count > 1) {
    --rest.stations[lock].count;
  } else {
    rest.stations.erase(rest.stations.begin() + static_cast<std::ptrdiff_t>(lock));
    capacity.erase(capacity.begin() + static_cast<std::ptrdiff_t>(lock));
  }
  std::vector<int> populations(static_cast<std::size_t>(most));
  std::iota(populations.begin(), populations.end(), 1);
  const auto states = TRY(solveMva(rest, populations));
  double bound = std::numeric_limits<double>::infinity();
  for (const double one : capacity)
    bound = std::min(bound, one);
  std::vector<double> result{0};
  for (const NetworkState &state : states)
    result.push_back(std::min(bound, state.cyclesPerNs));
  return result;
}

} // namespace

Expected<std::vector<NetworkState>> solveNorton(const ClosedNetwork &network,
                                                const std::vector<int> &threads) {
  auto states = solveStaying(network, threads);
  if (!states)
    return states;
  const std::vector<double> capacity = capacities(network, threads.back());
  std::vector<std::vector<double>> without; // by lock, for as many threads as are asked for
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    auto rates = TRY(throughputsWithout(i, network, capacity, threads.back()));
    without.push_back(std::move(rates));
  }
  for (NetworkState &state : *states) {
    Decomposition parts(network, std::move(state));
    std::vector<std::vector<double>> arrivals;
    for (const std::size_t i : parts.locks())
      arrivals.push_back(parts.arrivals(i, *parts.isolated(i, fitTwo), without[i]));
    state = parts.assemble(arrivals);
  }
  return states;
}

} // namespace qdadvise
