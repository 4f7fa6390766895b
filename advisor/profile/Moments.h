// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The count, mean and spread of a measured time, and sums of times that do not depend on the order
// of their terms.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace qdadvise {

/// Sums of a sample that add up without rounding: the values in 2^-10 ns, and their squares in
/// 2^-20 ns^2 modulo 2^128.
struct ExactSums {
  __int128 values = 0;
  unsigned __int128 squares = 0;
};

/// The count, mean and spread of a measured time.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0; ///< sum of squared deviations
  double min = 0;
  double max = 0;
  std::optional<ExactSums> exact = {}; ///< present after a merge; mean and m2 follow from them

  double variance() const { return count > 0 ? m2 / static_cast<double>(count) : 0; }
  /// The coefficient of variation; 0 where the mean is 0.
  double cv() const { return mean > 0 ? std::sqrt(variance()) / mean : 0; }
  double sum() const { return mean * static_cast<double>(count); }
  /// Pools both samples. The result for several samples is the same in any order and grouping.
  void merge(const Moments &other);
};

/// Adds times of two runs, each rounded to a nanosecond. Sums are exact, in any order and grouping,
/// up to 2^53 ns, which is 104 days.
double addedNs(double a, double b);
/// The same with times rounded to a microsecond, up to 2^56 ns, which is 2.2 years. It is for sums
/// over all threads.
double addedUs(double a, double b);

} // namespace qdadvise
