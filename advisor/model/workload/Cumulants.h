// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first three cumulants of a time: mean, variance and third central moment
// (docs/theory/network.md, equation (NET8)). The cumulants of a sum of independent times are the
// sums of theirs.
#pragma once

#include "advisor/network/Network.h"

#include <utility>
#include <vector>

namespace qdadvise {

struct Cumulants {
  double mean = 0, variance = 0, third = 0;

  static Cumulants of(const Duration &duration);
  static Cumulants exponential(double mean) { return {mean, mean * mean, 2 * mean * mean * mean}; }
  void add(const Cumulants &other, double times = 1);

  /// A time of length 0 counts as exponential.
  double cv2() const;
  double skewness() const;
};

/// The cumulants of a time that is one of several, with these weights.
Cumulants mixture(const std::vector<std::pair<double, Cumulants>> &times);

} // namespace qdadvise
