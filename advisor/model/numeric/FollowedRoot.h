// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root of an increasing error that moves a little from one call to the next
// (docs/theory/solver.md, equation (SOL4)).
#pragma once

#include "advisor/model/numeric/Ridders.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// Follows the root by secants. Where they do not come closer, Ridders' method looks for it.
class FollowedRoot {
public:
  /// `slope`: of the error near the root; 0: not known.
  FollowedRoot(double start, double slope) : value(start), steepness(slope) {}

  double slope() const { return steepness; }

  /// The root. The last call of `error` was so close that the error there is below `nearError`.
  template <typename Error> double follow(const Error &error) {
    return steepness > 0 && bySecants(error) ? value : value = search(error);
  }

private:
  static constexpr double nearError = 1e-5; ///< a step from there is as good as a root
  static constexpr double longestStep = 0.5;
  static constexpr double width = 1e-4; ///< over which a slope is found
  static constexpr int mostSteps = 6;

  template <typename Error> bool bySecants(const Error &error) {
    double at = value, slope = steepness, now = error(at);
    for (int step = 0; std::abs(now) > nearError; ++step) {
      const double tried = at + std::clamp(-now / slope, -longestStep, longestStep);
      const double found = error(tried);
      const double secant = (found - now) / (tried - at);
      if (step == mostSteps || !(std::abs(found) < std::abs(now) / 2) || !(secant > 0))
        return false;
      at = tried;
      now = found;
      slope = secant;
    }
    steepness = slope;
    value = at - now / slope;
    return true;
  }
  template <typename Error> double search(const Error &error) {
    const double root = riddersRoot(error, value);
    steepness = error(root + width) / width;
    error(root);
    return root;
  }

  double value, steepness;
};

} // namespace qdadvise
