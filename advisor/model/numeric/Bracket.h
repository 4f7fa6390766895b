// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace qdadvise {

/// Where a rising error changes its sign, by the Illinois method: false position that cannot
/// get stuck at one end. Starts with a negative error at `low` and a positive one at `high`.
struct Bracket {
  double low, errorAtLow, high, errorAtHigh;
  int side = 0; ///< which end moved last

  bool isWide() const { return high - low > 1e-9 * high; }
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
