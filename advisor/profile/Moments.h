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

/// What adds up without rounding: a sample's values in 2^-10 ns, and their squares in 2^-20 ns^2
/// modulo 2^128.
struct ExactSums {
  __int128 values = 0;
  unsigned __int128 squares = 0;
};

/// Count, mean and spread of a measured time.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0; ///< sum of squared deviations
  double min = 0;
  double max = 0;
  std::optional<ExactSums> exact = {}; ///< of merged ones, which mean and m2 follow from

  double variance() const { return count > 0 ? m2 / static_cast<double>(count) : 0; }
  /// Coefficient of variation; 0 where the mean is 0.
  double cv() const { return mean > 0 ? std::sqrt(variance()) / mean : 0; }
  double sum() const { return mean * static_cast<double>(count); }
  /// Pools both samples; of several, the result is the same in any order and grouping.
  void merge(const Moments &other);
};

/// Sums of times over runs, in nanoseconds: of each to the nanosecond, so that they are exact, in
/// any order and grouping, up to 2^53 ns, 104 days.
double addedNs(double a, double b);
/// The same to the microsecond, up to 2^56 ns, 2.2 years: for times that are those of all threads.
double addedUs(double a, double b);

} // namespace qdadvise
