// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All schedules, depth first.
//
// With a bound on preemptions, these are all schedules within the bound. Without, they follow from
// sleep sets (P. Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems",
// LNCS 1032), which run exactly one of all schedules that differ only in the order of independent
// steps. The two are not combined, since the schedule that stands for the others might be beyond
// the bound.
#pragma once

#include "unittests/exploration/Choices.h"

#include <optional>
#include <vector>

namespace qdadvise::sim {

class ExhaustiveChoices : public Choices {
public:
  explicit ExhaustiveChoices(std::optional<unsigned> preemptionBound) : bound(preemptionBound) {}

  /// Prepares the next schedule. Returns false if there is none.
  bool advance();

  unsigned thread(const Crossroads &at) override;
  unsigned pick(unsigned count) override;

private:
  /// A point at which the schedule could have gone on differently.
  struct Branching {
    ThreadSet left = 0; ///< threads, or numbers of things, that have not been tried yet
    ThreadSet done = 0;
    unsigned chosen = 0;
  };
  ThreadSet allowed(const Crossroads &at) const;

  std::optional<unsigned> bound;
  std::vector<Branching> path;
  std::size_t depth = 0; ///< how far the current schedule is on the path
  unsigned preemptions = 0;
  ThreadSet sleeping = 0; ///< threads whose next action was tried before, with the same effect
};

} // namespace qdadvise::sim
