// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace qdadvise {

/// A histogram with a logarithmic scale, from bucket number (runtime/abi/profile_format.h) to
/// count.
struct Histogram {
  std::map<std::uint32_t, std::uint64_t> buckets;

  /// The p-quantile, 0 <= p <= 1, interpolated within its bucket; 0 when empty.
  double quantile(double p) const;
  /// The third standardised moment, from the middles of buckets. Absent where all values are in one
  /// bucket.
  std::optional<double> skewness() const;
  void merge(const Histogram &other);
  /// The lower bound of a bucket, in nanoseconds. It ends where the next one begins.
  static double lowerBound(std::uint32_t bucket);
};

} // namespace qdadvise
