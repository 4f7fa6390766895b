// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of the solver's iteration that know how all unknowns change together (docs/theory/
// solver.md, equation (SOL10)). Damped steps know each by itself, and take twice as many rounds
// where dozens of nested sections wait for each other.
#pragma once

#include "advisor/model/numeric/Anderson.h"
#include "advisor/model/solver/Unknowns.h"

#include <limits>
#include <vector>

namespace qdadvise {

class LongerSteps {
public:
  /// `given` and `unknowns` must outlive this. Steps are longer from a change of the solution on
  /// that is `nearby`.
  LongerSteps(const LockedNetwork &given, Unknowns &unknowns, double nearby);

  /// Replaces the damped steps of a round, which changed the solution so much, once the iteration
  /// comes closer with each of them. Nested sections on shared cores settle sooner without, if they
  /// do at all: there steps are longer only after many rounds.
  void afterRound(double change);

private:
  bool isSensible(const std::vector<double> &next) const;
  void note();

  const LockedNetwork &given;
  Unknowns &unknowns;
  double nearby;
  std::vector<double> values; ///< with which the round began
  int rounds = 0;
  double lastChange = std::numeric_limits<double>::infinity();
  Anderson anderson;
};

} // namespace qdadvise
