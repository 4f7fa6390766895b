// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Root finding (docs/theory/solver.md, equation (SOL3)). It is not Boost.Math's toms748_solve: that
// evaluates other points, so that predictions would differ in their last digits.
#pragma once

#include <utility>

namespace qdadvise {

/// The bracket of a root of an increasing error, narrowed by the Illinois method: false position
/// that cannot get stuck at one end. The error is negative at `low` and positive at `high`.
struct Bracket {
  static constexpr double leastWidth = 1e-9; ///< relative to `high`

  double low, errorAtLow, high, errorAtHigh;
  int side = 0; ///< the end that moved last

  bool isWide() const { return high - low > leastWidth * high; }
  double next() const {
    return (low * errorAtHigh - high * errorAtLow) / (errorAtHigh - errorAtLow);
  }
  void narrow(double at, double error) {
    if (error < 0) {
      low = at;
      errorAtLow = error;
      if (std::exchange(side, -1) == -1)
        errorAtHigh /= 2;
    } else {
      high = at;
      errorAtHigh = error;
      if (std::exchange(side, 1) == 1)
        errorAtLow /= 2;
    }
  }
};

} // namespace qdadvise
