// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/LoadBalance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace qdadvise {
namespace {

/// Shares in proportion to the work, but at least one. A class with less than one thread's share
/// gets one, which leaves fewer threads to the others; this repeats until all have one at least.
std::vector<double> atLeastOneEach(const std::vector<double> &work, std::uint32_t threads) {
  std::vector<double> share(work.size(), 0);
  double left = threads, workLeft = std::accumulate(work.begin(), work.end(), 0.0);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < work.size(); ++i)
      if (share[i] == 0 && work[i] * left <= workLeft) {
        share[i] = 1;
        left -= 1;
        workLeft -= work[i];
        again = true;
      }
  }
  for (std::size_t i = 0; i < work.size(); ++i)
    if (share[i] == 0)
      share[i] = work[i] * left / workLeft;
  return share;
}

} // namespace

double bottleneck(const std::vector<double> &work, const std::vector<std::uint32_t> &threads) {
  double most = 0;
  for (std::size_t i = 0; i < work.size(); ++i)
    most = std::max(most, work[i] / threads[i]);
  return most;
}

ThreadAssignment assignThreads(const std::vector<double> &work, std::uint32_t threads) {
  ThreadAssignment result;
  const double total = std::accumulate(work.begin(), work.end(), 0.0);
  for (const double one : work)
    result.exact.push_back(one * threads / total);

  std::uint32_t given = 0;
  std::vector<std::size_t> order; // of those that are not whole
  const std::vector<double> shares = atLeastOneEach(work, threads);
  for (std::size_t i = 0; i < work.size(); ++i) {
    result.best.push_back(static_cast<std::uint32_t>(shares[i]));
    given += result.best[i];
    if (shares[i] > result.best[i])
      order.push_back(i);
  }
  // The most loaded gets one more; of equals, the one that lost most by rounding down.
  const auto need = [&](std::size_t i) {
    return std::tuple(work[i] / result.best[i], shares[i] - result.best[i], i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return need(a) > need(b); });
  for (std::size_t i = 0; given < threads; ++i, ++given)
    ++result.best[order[i]];
  return result;
}

} // namespace qdadvise
