// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Means and sums of squared deviations are pooled by way of sums of integers, which do not
// depend on the order. With n values that add up to S = q n + r, and squares to Q, the sum of
// squared deviations is Q - S^2/n = (Q - n q^2 - 2 q r) - r^2/n. What is in parentheses is the sum
// of the squared deviations from q: small, and right though Q itself may have passed 2^128.

#include "advisor/profile/Moments.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

using Signed = __int128;
using Unsigned = unsigned __int128;

constexpr double unit = 1024; ///< parts of a nanosecond

Signed rounded(double value) {
  constexpr double most = 1e38; // below 2^127; far beyond any time
  return static_cast<Signed>(std::nearbyint(std::clamp(value, -most, most)));
}

struct Parts {
  Unsigned fromQuotient; ///< n q^2 + 2 q r, modulo 2^128
  double fromRemainder;  ///< r^2 / n
};

Parts squareOverCount(Signed values, std::uint64_t count) {
  const Signed n = static_cast<Signed>(count);
  const auto quotient = static_cast<Unsigned>(values / n);
  const Signed remainder = values % n;
  const auto rest = static_cast<double>(remainder);
  return {quotient * (static_cast<Unsigned>(n) * quotient + 2 * static_cast<Unsigned>(remainder)),
          rest * rest / static_cast<double>(count)};
}

/// The mean and m2 of so many values with these sums.
std::pair<double, double> figuresOf(const ExactSums &sums, std::uint64_t count) {
  const Parts parts = squareOverCount(sums.values, count);
  const auto aroundQuotient =
      static_cast<double>(static_cast<Signed>(sums.squares - parts.fromQuotient));
  return {static_cast<double>(sums.values) / static_cast<double>(count) / unit,
          std::max(0.0, aroundQuotient - parts.fromRemainder) / (unit * unit)};
}

/// The sums that the figures came from, else the nearest ones.
ExactSums sumsOf(const Moments &moments) {
  if (moments.exact &&
      figuresOf(*moments.exact, moments.count) == std::pair(moments.mean, moments.m2))
    return *moments.exact;
  ExactSums sums;
  sums.values = rounded(moments.sum() * unit);
  const Parts parts = squareOverCount(sums.values, moments.count);
  sums.squares = parts.fromQuotient +
                 static_cast<Unsigned>(rounded(parts.fromRemainder + moments.m2 * unit * unit));
  return sums;
}

} // namespace

void Moments::merge(const Moments &other) {
  if (other.count == 0)
    return;
  if (count == 0) {
    *this = other;
    return;
  }
  const ExactSums ours = sumsOf(*this), theirs = sumsOf(other);
  exact = {static_cast<Signed>(static_cast<Unsigned>(ours.values) +
                               static_cast<Unsigned>(theirs.values)),
           ours.squares + theirs.squares};
  count += other.count;
  std::tie(mean, m2) = figuresOf(*exact, count);
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

double addedNs(double a, double b) { return std::nearbyint(a) + std::nearbyint(b); }

double addedUs(double a, double b) {
  constexpr double us = 1000;
  return us * (std::nearbyint(a / us) + std::nearbyint(b / us));
}

} // namespace qdadvise
