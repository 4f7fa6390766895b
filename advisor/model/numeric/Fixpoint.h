// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

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

/// Some unknowns that are positive, in logarithms: Broyden's method, which learns from each step
/// what the next one has to make up for. A step that led further away is taken back, and the next
/// one is half as far.
template <std::size_t count> class Broyden {
public:
  using Values = std::array<double, count>;
  explicit Broyden(const Values &start) : values(start) {
    for (std::size_t i = 0; i < count; ++i)
      inverse[i][i] = 1;
  }
  const Values &at() const { return values; }

  /// Goes on from where `targets` were found; returns how far they were away, relative.
  double approach(const Values &targets) {
    Values found;
    double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = std::clamp(std::log(targets[i] / values[i]), -farthest, farthest);
      size = std::max(size, std::abs(found[i]));
    }
    if (std::isfinite(errorSize))
      learn(found);
    if (size < 2 * errorSize) {
      error = found;
      errorSize = size;
      step = std::min(1.0, 2 * step);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        values[i] /= std::exp(moved[i]);
      step /= 2;
    }
    for (std::size_t i = 0; i < count; ++i) {
      moved[i] = step * std::clamp(dot(inverse[i], error), -most, most);
      values[i] *= std::exp(moved[i]);
    }
    return size;
  }

private:
  static constexpr double most = 1;      ///< a step's
  static constexpr double farthest = 30; ///< an error's; the logarithm of nothing is not finite

  static double dot(const Values &a, const Values &b) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += a[i] * b[i];
    return sum;
  }
  /// From what became of the errors with the last step.
  void learn(const Values &found) {
    Values changed, missed, row{};
    for (std::size_t i = 0; i < count; ++i)
      changed[i] = found[i] - error[i];
    for (std::size_t i = 0; i < count; ++i) {
      missed[i] = moved[i] + dot(inverse[i], changed);
      for (std::size_t j = 0; j < count; ++j)
        row[j] += moved[i] * inverse[i][j];
    }
    const double scale = dot(row, changed);
    if (scale == 0)
      return;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j)
        inverse[i][j] -= missed[i] * row[j] / scale;
  }

  Values values, moved{}, error{};     ///< the error is that of before the last step
  std::array<Values, count> inverse{}; ///< minus that of how errors change with the unknowns
  double errorSize = std::numeric_limits<double>::infinity(), step = 1;
};

} // namespace qdadvise
