// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/Marie.h"

#include "advisor/model/decomposition/Convolution.h"
#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/decomposition/StayingThreads.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

constexpr int mostRounds = 200;
constexpr double tolerance = 1e-4; ///< of rates of arrival
constexpr int mostPhases = 6;      ///< of operations, in the iteration

/// How much of c2 - 1 of a lock that is always taken a thread sees that is away from it for
/// `operations` of its operations: the derivative, at c2 = 1, of the mean number of others that it
/// finds away, relative.
double seenAway(double operations) { return (operations + 1) * std::log1p(1 / operations) - 1; }

/// How much of a lock's c2 - 1 the others see (DEC5). If operations end one after the other, but
/// most threads come back to the lock at once, those at other locks left it now and then, more at
/// random (Whitt 1983, splitting). In the iteration all threads are away for as long as the mean
/// one.
double regularity(const ClosedNetwork &network, const Decomposition &parts, std::size_t lock) {
  const LockStation &from = network.stations[lock];
  const double holdNs = heldNs(from.kind, from.load);
  const double back = from.load.revisit.again * from.load.share;
  const double awayNs = parts.cycleNs() / from.visits - parts.estimate(lock).residenceNs;
  const double elsewhereNs = (awayNs - back * from.load.revisit.againNs) / (1 - back);
  if (back >= 1 || awayNs <= 0 || elsewhereNs <= awayNs || holdNs <= 0)
    return 1;
  const double seen = seenAway(elsewhereNs / holdNs) / seenAway(awayNs / holdNs);
  return 1 - parts.estimate(lock).contention * (1 - seen);
}

/// The least c2 of a lock that the others see (DEC6). More regular times change little. Where the
/// next in line may have no core, how long that lasts varies beside the section.
double leastCv2(const LockStation &lock) {
  return lock.load.absenceNs > 0 ? 0.5 : 1.0 / mostPhases;
}

/// The largest c2 of a lock that the others see (DEC6). Long times make threads come back in rows.
/// But if readers come, too, or threads that hold another lock, then times depend on who comes,
/// which only looks like long times. (Beyond 2, or with 2 for all locks, errors on the accuracy
/// suite's `develop` grow.)
double largestCv2(const LockStation &lock) {
  const bool sectionsOfItsOwn = lock.load.readers.share == 0 && lock.directVisits == lock.visits;
  return sectionsOfItsOwn ? 2 : 1;
}

NetworkState solve(const ClosedNetwork &network, Decomposition parts) {
  const std::vector<std::size_t> &locks = parts.locks();
  std::vector<IsolatedStation> stations;
  std::vector<std::vector<double>> completions, arrivals(locks.size());
  std::vector<double> counts;
  for (const std::size_t i : locks) {
    const double seen = regularity(network, parts, i), least = leastCv2(network.stations[i]),
                 most = largestCv2(network.stations[i]);
    stations.push_back(*parts.isolated(i, [seen, least, most](double mean, double cv2, double) {
      return fitTwoMoments(mean, std::clamp(1 + seen * (cv2 - 1), least, most), mostPhases);
    }));
    completions.push_back(exponentialThroughput(stations.back(), parts.threads()));
    counts.push_back(network.stations[i].count);
  }
  const LogConstants rest = parts.rest();
  for (int round = 0; round < mostRounds; ++round) {
    std::vector<LogConstants> constants;
    for (std::size_t k = 0; k < locks.size(); ++k)
      constants.push_back(lockConstants(network.stations[locks[k]], completions[k]));
    const std::vector<LogConstants> without = complements(rest, constants, counts);
    double change = 0;
    for (std::size_t k = 0; k < locks.size(); ++k) {
      std::vector<double> rates = parts.arrivals(locks[k], stations[k], throughputs(without[k]));
      for (std::size_t n = 0; n < rates.size(); ++n)
        change = std::max(change, round > 0 ? std::abs(rates[n] / arrivals[k][n] - 1) : 1);
      arrivals[k] = std::move(rates);
      const IsolatedState state = solveIsolated(stations[k], arrivals[k]);
      for (std::size_t n = 1; n < completions[k].size(); ++n)
        completions[k][n] = std::sqrt(completions[k][n] * state.throughput[n]);
    }
    if (change <= tolerance)
      break;
  }
  return parts.assemble(arrivals);
}

} // namespace

Expected<std::vector<NetworkState>> solveMarie(const ClosedNetwork &network,
                                               const std::vector<int> &threads) {
  auto states = solveStaying(network, threads);
  if (!states)
    return states;
  for (NetworkState &state : *states)
    state = solve(network, Decomposition(network, std::move(state)));
  return states;
}

} // namespace qdadvise
