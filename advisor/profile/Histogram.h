// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace qdadvise {

/// Log-scale histogram: bucket number (runtime/abi/profile_format.h) to count.
struct Histogram {
  std::map<std::uint32_t, std::uint64_t> buckets;

  /// The p-quantile, 0 <= p <= 1, interpolated within its bucket; 0 when empty.
  double quantile(double p) const;
  /// Third standardised moment, by the middles of buckets; none where all are in one.
  std::optional<double> skewness() const;
  void merge(const Histogram &other);
  /// Lower bound of a bucket, in nanoseconds; it ends where the next one begins.
  static double lowerBound(std::uint32_t bucket);
};

} // namespace qdadvise
