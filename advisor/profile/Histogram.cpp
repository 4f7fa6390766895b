// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"
#include "runtime/profile_format.h"

#include <algorithm>

namespace qdadvise {
double Histogram::lowerBound(std::uint32_t bucket) {
  constexpr std::uint32_t parts = 1u << format::bucketSubBits;
  if (bucket < parts)
    return bucket;
  const std::uint32_t exponent = bucket / parts + format::bucketSubBits - 1;
  const double fraction = static_cast<double>(bucket % parts) / parts;
  return std::ldexp(1.0 + fraction, static_cast<int>(exponent));
}

double Histogram::quantile(double p) const {
  double total = 0;
  for (const auto &[bucket, count] : buckets)
    total += static_cast<double>(count);
  const double rank = std::clamp(p, 0.0, 1.0) * total;
  double below = 0;
  double result = 0;
  for (const auto &[bucket, count] : buckets) {
    if (count == 0)
      continue;
    const double inside = static_cast<double>(count);
    const double low = lowerBound(bucket);
    const double share = std::min(1.0, (rank - below) / inside);
    result = low + (lowerBound(bucket + 1) - low) * share;
    below += inside;
    if (below >= rank)
      break;
  }
  return result;
}

void Histogram::merge(const Histogram &other) {
  for (const auto &[bucket, count] : other.buckets)
    buckets[bucket] += count;
}

} // namespace qdadvise
