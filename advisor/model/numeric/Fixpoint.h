// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unknowns of a fixpoint (docs/theory/solver.md, equations (SOL1) and (SOL2)). Boost.Math has no
// method for systems of equations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace qdadvise {

/// An unknown that goes towards its target by damped steps. A step that overshoots was too large:
/// near saturation waiting times are steep. The step is halved then, and grows again, more slowly
/// after each overshoot. Otherwise the unknown could swing for ever.
struct Damped {
  static constexpr double firstStep = 0.5; ///< of the way to the target
  static constexpr double growth = 0.4;    ///< of a step, before any overshoot: half of it

  double value = 0, step = firstStep, lastError = 0;
  double lastTarget = 0; ///< if lastError is not 0
  int overshoots = 0;
  double longestStep = 1;

  /// Begins anew from here, with steps that never become longer than this.
  void calm(double longest) {
    step = longestStep = longest;
    lastError = 0;
    overshoots = 0;
  }

  /// Goes towards `target`. Returns how far away that was.
  double approach(double target) {
    const double error = target - value;
    value += stepTo(target, error) * error;
    return std::abs(error);
  }

  /// The same in logarithms, for what may be off by orders of magnitude: it does not become
  /// many times what is sought at once, and comes back from there as fast as it went.
  double approachInLogarithms(double target) {
    if (value <= 0 || target <= 0)
      return approach(target);
    const double before = value, error = std::log(target / value);
    value *= std::exp(stepTo(target, error) * error);
    return std::abs(target - before);
  }

private:
  double stepTo(double target, double error) {
    if (error * lastError < 0) {
      step /= 2;
      ++overshoots;
    } else {
      step = std::min(longestStep, (1 + growth / (2 + overshoots)) * step);
    }
    lastError = error;
    lastTarget = target;
    return step;
  }
};

/// Positive unknowns, in logarithms, by Broyden's method. It learns from each step how the errors
/// change with the unknowns. A step that leads further away is taken back, and the next one is half
/// as long.
template <std::size_t count> class Broyden {
public:
  using Values = std::array<double, count>;
  /// Minus the inverse of the errors' Jacobian.
  using Inverse = std::array<Values, count>;
  /// `learned`: from an iteration for nearly the same; empty if there was none.
  explicit Broyden(const Values &start, const std::optional<Inverse> &learned = std::nullopt)
      : values(start), inverse(learned.value_or(alone())) {}
  const Values &at() const { return values; }
  const Inverse &learned() const { return inverse; }

  /// Takes a step from where `targets` were found. Returns how far away they were, relative.
  double approach(const Values &targets) {
    Values found;
    double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = std::clamp(std::log(targets[i] / values[i]), -largestError, largestError);
      size = std::max(size, std::abs(found[i]));
    }
    if (std::isfinite(errorSize))
      learn(found);
    if (size < worse * errorSize) {
      error = found;
      errorSize = size;
      step = std::min(1.0, 2 * step);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        values[i] /= std::exp(moved[i]);
      step /= 2;
    }
    for (std::size_t i = 0; i < count; ++i) {
      moved[i] = step * std::clamp(dot(inverse[i], error), -longestStep, longestStep);
      values[i] *= std::exp(moved[i]);
    }
    return size;
  }

private:
  static constexpr double longestStep = 1;
  static constexpr double largestError = 30; ///< the logarithm of 0 is not finite
  static constexpr double worse = 2;         ///< an error that is so many times as large is worse

  /// As if each error depended on its own unknown alone.
  static Inverse alone() {
    Inverse result{};
    for (std::size_t i = 0; i < count; ++i)
      result[i][i] = 1;
    return result;
  }
  static double dot(const Values &a, const Values &b) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += a[i] * b[i];
    return sum;
  }
  /// Updates the inverse by what the last step did to the errors.
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

  Values values, moved{}, error{}; ///< `error` is from before the last step
  Inverse inverse;
  double errorSize = std::numeric_limits<double>::infinity(), step = 1;
};

} // namespace qdadvise
