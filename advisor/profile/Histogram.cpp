// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Histogram.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <cmath>

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

std::optional<double> Histogram::skewness() const {
  const auto middleOf = [](std::uint32_t bucket) {
    return (lowerBound(bucket) + lowerBound(bucket + 1)) / 2;
  };
  double total = 0, mean = 0;
  for (const auto &[bucket, count] : buckets)
    total += static_cast<double>(count);
  for (const auto &[bucket, count] : buckets)
    mean += static_cast<double>(count) / total * middleOf(bucket);
  double second = 0, third = 0;
  for (const auto &[bucket, count] : buckets) {
    const double share = static_cast<double>(count) / total, off = middleOf(bucket) - mean;
    second += share * off * off;
    third += share * off * off * off;
  }
  if (second <= 0)
    return std::nullopt;
  return third / (second * std::sqrt(second));
}

void Histogram::merge(const Histogram &other) {
  auto at = buckets.begin();
  for (const auto &[bucket, count] : other.buckets) {
    at = buckets.try_emplace(at, bucket, 0);
    at++->second += count;
  }
}

} // namespace qdadvise
