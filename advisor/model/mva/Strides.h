// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Populations that mean value analysis leaves out (docs/theory/mva.md, equation (MV9)).
#pragma once

#include <deque>
#include <span>
#include <vector>

namespace qdadvise {

/// The populations that are left out of a network's solution, for networks that hardly differ from
/// it (UNC14). What leaving them out makes of a figure is then the same in all of these, and not in
/// the difference of two. The first solution makes the plan, all others follow it.
struct StridePlan {
  /// After a row of populations.
  struct Point {
    bool bend = false; ///< no polynomial goes through here
    int leaves = 0;
  };
  std::vector<Point> points;
  bool made = false;
};

/// Times change the more slowly with a thread more, the more there are. From some populations those
/// of later ones follow, by the polynomial through them. A few populations in a row tell how far
/// off that is, and so how far it may go.
class Strides {
public:
  using Values = std::vector<double>;
  /// `weights`: what each value counts for, of the same unit as `whole` in afterPopulation. With a
  /// plan each of these counts by itself.
  explicit Strides(Values weights, StridePlan *plan = nullptr);

  /// Takes what was found with so many threads. Returns how many populations may be left out behind
  /// it, if figures are wanted for `wanted` threads: at() has the values of the last one of these.
  int afterPopulation(int threads, const Values &values, double whole, int wanted);
  const Values &at() const { return ahead; }
  /// One of the values, for populations from `threads` on.
  void along(std::size_t value, int threads, std::span<double> result) const;

private:
  struct Point {
    int threads;
    Values values;
  };
  /// The values with so many threads, by the polynomial.
  void extrapolate(int threads);
  double factorOf(const Point &point, int threads) const;
  StridePlan::Point nextPoint(int threads, const Values &values, double whole, int wanted);
  StridePlan::Point planned(const std::vector<StridePlan::Point> &all);
  double errorAgainst(const Values &values, double whole) const;

  Values weights, ahead;
  StridePlan *plan;
  std::size_t followed = 0; ///< points of the plan
  std::deque<Point> points;
  double stride = 0;
  int inARow = 0; ///< populations since the last one that was left out, or the last point
};

} // namespace qdadvise
