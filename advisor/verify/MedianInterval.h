// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The median of measured values, with an interval that assumes nothing about their distribution.
#pragma once

#include <cstddef>
#include <vector>

namespace qdadvise {

struct MedianInterval {
  double median = 1;
  double low = 1, high = 1; ///< the true median is between them in 95 % of all cases, or in more
};

/// From so many values on there is a 95 % interval.
inline constexpr std::size_t fewestForInterval = 6;

/// The interval is between two of the values themselves: of n independent ones, the k-th from below
/// is above the true median with the probability of fewer than k heads in n throws of a coin.
/// Takes fewestForInterval values at least.
MedianInterval medianInterval(std::vector<double> values);

} // namespace qdadvise
