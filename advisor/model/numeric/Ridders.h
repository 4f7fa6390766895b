// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Root finding by Ridders' method (1979; docs/theory/solver.md, equation (SOL4)), which Boost.Math
// does not have.
#pragma once

#include <cmath>

namespace qdadvise {

struct RiddersOptions {
  double firstStep = 0.01, stepGrowth = 4, longestStep = 1000; ///< of the search for a bracket
  double leastWidth = 1e-11;                                   ///< of the bracket
  double leastError = 1e-10;
};

/// The root of an increasing error. Looks for a bracket around `start` first.
template <typename Error>
double riddersRoot(const Error &error, double start, const RiddersOptions &options = {}) {
  double low = start, high = start;
  double below = error(start), above = below;
  double step = options.firstStep;
  while (below > 0 && step < options.longestStep) {
    high = low;
    above = below;
    below = error(low -= step);
    step *= options.stepGrowth;
  }
  step = options.firstStep;
  while (above <= 0 && step < options.longestStep) {
    low = high;
    below = above;
    above = error(high += step);
    step *= options.stepGrowth;
  }
  while (high - low > options.leastWidth) {
    const double middle = (low + high) / 2, atMiddle = error(middle);
    const double at =
        middle + (middle - low) * -atMiddle / std::sqrt(atMiddle * atMiddle - below * above);
    const double now = error(at);
    if (std::abs(now) < options.leastError)
      return at;
    const bool between = atMiddle < 0 ? now > 0 : now <= 0;
    if (atMiddle > 0) {
      high = middle;
      above = atMiddle;
    } else {
      low = middle;
      below = atMiddle;
    }
    if (now > 0 && (between || at < high)) {
      high = at;
      above = now;
    } else if (now <= 0 && (between || at > low)) {
      low = at;
      below = now;
    }
  }
  return (low + high) / 2;
}

} // namespace qdadvise
