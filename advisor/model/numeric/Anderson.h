// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anderson's acceleration of a fixpoint iteration (1965; docs/theory/solver.md, equation (SOL10)).
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace qdadvise {

/// Learns from the last rounds how the errors of all unknowns change together.
class Anderson {
public:
  /// Where to go from `values`, for which the iteration found these `targets`. None while too
  /// little is known. As many values each time.
  std::optional<std::vector<double>> next(const std::vector<double> &values,
                                          const std::vector<double> &targets);
  void forget() {
    rounds.clear();
    known = false;
  }

private:
  /// From one round to the next.
  struct Difference {
    std::vector<double> errors, targets;
  };
  static constexpr std::size_t mostRounds = 6;
  static constexpr double leastNew = 1e-5; ///< share of a difference that others do not have

  std::deque<Difference> rounds; ///< the latest first
  bool known = false;            ///< of the last round
  std::vector<double> lastErrors, lastTargets;
};

} // namespace qdadvise
