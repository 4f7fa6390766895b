// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/Convolution.h"

#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/mva/Mva.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qdadvise {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double leastSum = 1e-280; ///< smaller ones may have lost terms below the range of doubles
constexpr double lostBelow =
    50; ///< logarithms that lie so far below the largest are lost in rounding

/// exp of `values`, tilted by so much per step, and scaled so that the largest is 1.
struct Scaled {
  Scaled(const LogConstants &values, double tilt) : linear(values.size()) {
    for (std::size_t n = 0; n < values.size(); ++n)
      largest = std::max(largest, values[n] - tilt * static_cast<double>(n));
    for (std::size_t n = 0; n < values.size(); ++n)
      linear[n] = std::exp(values[n] - tilt * static_cast<double>(n) - largest);
  }
  double largest = -infinity;
  std::vector<double> linear;
};

/// ln of the sum of a[k] b[n-k].
double logSum(const LogConstants &a, const LogConstants &b, std::size_t n) {
  double largest = -infinity, total = 0;
  for (std::size_t k = 0; k <= n; ++k)
    largest = std::max(largest, a[k] + b[n - k]);
  if (largest == -infinity)
    return largest;
  for (std::size_t k = 0; k <= n; ++k)
    if (a[k] + b[n - k] > largest - lostBelow)
      total += std::exp(a[k] + b[n - k] - largest);
  return largest + std::log(total);
}

} // namespace

LogConstants lockConstants(const LockStation &lock, const std::vector<double> &completions) {
  const double all = lock.visits / lock.directVisits;
  LogConstants result(completions.size(), 0);
  for (std::size_t n = 1; n < result.size(); ++n)
    result[n] =
        result[n - 1] + std::log(lock.visits / valueAt(completions, static_cast<double>(n) * all));
  return result;
}

LogConstants delayConstants(double meanNs, int threads) {
  LogConstants result(static_cast<std::size_t>(threads) + 1, 0);
  for (int n = 1; n <= threads; ++n)
    result[static_cast<std::size_t>(n)] =
        result[static_cast<std::size_t>(n) - 1] + std::log(meanNs / n);
  return result;
}

LogConstants power(const LogConstants &one, double count) {
  LogConstants result(one.size(), -infinity), square = one;
  result[0] = 0;
  for (auto left = static_cast<std::uint64_t>(count); left > 0;) {
    if (left % 2 == 1)
      result = convolve(result, square);
    left /= 2;
    if (left > 0)
      square = convolve(square, square);
  }
  return result;
}

LogConstants convolve(const LogConstants &a, const LogConstants &b) {
  // The tilt brings both ends of the result to a similar height.
  const double last = std::max(a.back(), b.back());
  const double steps = static_cast<double>(a.size()) - 1;
  const double tilt = steps > 0 && std::isfinite(last) ? last / steps : 0;
  const Scaled left(a, tilt), right(b, tilt);
  const double scale = left.largest + right.largest;
  LogConstants result(a.size());
  for (std::size_t n = 0; n < result.size(); ++n) {
    double total = 0;
    for (std::size_t k = 0; k <= n; ++k)
      total += left.linear[k] * right.linear[n - k];
    // Terms below the range of doubles are missing. That matters only if all are small.
    result[n] = total > leastSum ? std::log(total) + scale + tilt * static_cast<double>(n)
                                 : logSum(a, b, n);
  }
  return result;
}

std::vector<LogConstants> complements(const LogConstants &common,
                                      const std::vector<LogConstants> &stations,
                                      const std::vector<double> &counts) {
  const std::size_t count = stations.size();
  std::vector<LogConstants> all, result;
  LogConstants before = common;
  for (std::size_t i = 0; i < count; ++i) {
    const bool alone = counts[i] == 1;
    result.push_back(alone ? before : convolve(before, power(stations[i], counts[i] - 1)));
    all.push_back(alone ? stations[i] : power(stations[i], counts[i]));
    if (i + 1 < count)
      before = convolve(before, all[i]);
  }
  LogConstants after;
  for (std::size_t i = count; i-- > 0;) {
    if (!after.empty())
      result[i] = convolve(result[i], after);
    after = after.empty() ? all[i] : convolve(after, all[i]);
  }
  return result;
}

std::vector<double> throughputs(const LogConstants &network) {
  std::vector<double> result(network.size(), 0);
  for (std::size_t n = 1; n < network.size(); ++n)
    result[n] = std::exp(network[n - 1] - network[n]);
  return result;
}

Expected<std::vector<NetworkState>> solveConvolution(const ClosedNetwork &network,
                                                     const std::vector<int> &threads) {
  auto states = solveMva(network, threads);
  if (!states)
    return states;
  const Decomposition parts(network, states->back());
  const std::vector<std::size_t> &locks = parts.locks();
  if (locks.empty())
    return states;
  std::vector<LogConstants> constants;
  std::vector<double> counts;
  for (const std::size_t i : locks) {
    const auto alone = parts.isolated(i, fitTwo);
    constants.push_back(
        lockConstants(network.stations[i], exponentialThroughput(*alone, parts.threads())));
    counts.push_back(network.stations[i].count);
  }
  const std::vector<LogConstants> without = complements(parts.rest(), constants, counts);
  const LogConstants all = convolve(without[0], constants[0]);
  const std::vector<double> cycles = throughputs(all);
  for (NetworkState &state : *states) {
    const auto threadCount = static_cast<std::size_t>(state.threads);
    state.cyclesPerNs = cycles[threadCount];
    for (std::size_t k = 0; k < locks.size(); ++k) {
      double present = 0;
      for (std::size_t n = 1; n <= threadCount; ++n)
        present += static_cast<double>(n) *
                   std::exp(constants[k][n] + without[k][threadCount - n] - all[threadCount]);
      const LockStation &lock = network.stations[locks[k]];
      state.stations[locks[k]] = {present / (lock.directVisits * state.cyclesPerNs) -
                                      lock.directExtraNs,
                                  // An arrival sees the network with one thread less.
                                  -std::expm1(without[k][threadCount - 1] - all[threadCount - 1])};
    }
  }
  return states;
}

} // namespace qdadvise
