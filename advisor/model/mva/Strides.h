// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Populations that mean value analysis leaves out (docs/theory/mva.md, equation (MV9)).
#pragma once

#include <deque>
#include <vector>

namespace qdadvise {

/// Times change the more slowly with a thread more, the more there are. From some populations those
/// of later ones follow, by the polynomial through them. A few populations in a row tell how far
/// off that is, and so how far it may go.
class Strides {
public:
  using Values = std::vector<double>;
  /// `weights`: what each value counts for, of the same unit as `whole` in afterPopulation.
  explicit Strides(Values weights) : weights(std::move(weights)) {}

  /// Takes what was found with so many threads. Returns how many populations may be left out behind
  /// it, if figures are wanted for `wanted` threads: at() has the values of the last one of these.
  int afterPopulation(int threads, const Values &values, double whole, int wanted);
  const Values &at() const { return ahead; }

private:
  struct Point {
    int threads;
    Values values;
  };
  /// The values with so many threads, by the polynomial.
  void extrapolate(int threads);
  double errorAgainst(const Values &values) const;

  Values weights, ahead;
  std::deque<Point> points;
  double stride = 0;
  int inARow = 0; ///< populations since the last one that was left out, or the last point
};

} // namespace qdadvise
