// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// An unknown of a fixpoint, approached by steps. Overshooting means too large a step: near
/// saturation waiting is steep. After each the step grows again more slowly, or it would swing
/// for ever.
struct Damped {
  double value = 0, step = 0.5, lastError = 0;
  int overshoots = 0;

  /// Goes towards `target`; returns how far away it was.
  double approach(double target) {
    const double error = target - value;
    if (error * lastError < 0) {
      step /= 2;
      ++overshoots;
    } else {
      step = std::min(1.0, (1 + 0.4 / (2 + overshoots)) * step);
    }
    lastError = error;
    value += step * error;
    return std::abs(error);
  }
};

} // namespace qdadvise
