// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/verify/MedianInterval.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

/// The greatest k with at most 2.5 % on each side of the interval from the k-th value from below to
/// the k-th from above.
std::size_t rankOfEnds(std::size_t count) {
  constexpr double mostOutside = 0.025;
  const auto n = static_cast<double>(count);
  double term = std::exp2(-n), below = term; // of 0 heads, of fewer than k
  std::size_t rank = 0;
  while (below <= mostOutside && 2 * (rank + 1) <= count) {
    ++rank;
    const auto heads = static_cast<double>(rank);
    term *= (n - heads + 1) / heads;
    below += term;
  }
  return rank;
}

} // namespace

MedianInterval medianInterval(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t count = values.size(), middle = count / 2;
  const double median = count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  const std::size_t rank = std::max<std::size_t>(rankOfEnds(count), 1);
  return {median, values[rank - 1], values[count - rank]};
}

} // namespace qdadvise
