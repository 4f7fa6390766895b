// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of an algorithm to each lock: the one that `advise` picks, and the alternatives.
#pragma once

#include "advisor/machine/Machine.h"
#include "bench/accuracy/Cases.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// The algorithms by lock.
using Assignment = std::vector<LockKind>;

/// The algorithms' names, by lock.
std::vector<std::string> namesOf(const Assignment &assignment);
/// The algorithm if all locks have the same, else those of the locks in order, for people and keys.
std::string labelOf(const Assignment &assignment);

struct Choices {
  Assignment advised;                ///< by `decide` and its menu, for locks that are mutexes today
  std::vector<Assignment> promising; ///< with the highest predicted throughputs, the highest first
};

/// `promising` gets `count` of all assignments of `kinds`. Where there are more than 4096, only the
/// first locks have different algorithms.
Expected<Choices> choicesOf(const Case &which, const Machine &machine,
                            const std::vector<LockKind> &kinds, std::size_t count);

/// The simulated throughputs of the choices for a case.
struct Outcome {
  std::string name; ///< the case and the machine
  std::string picked, bestKinds;
  double advised = 0, best = 0; ///< `best` is the best of all that were simulated
  double keep = 0, qd = 0;      ///< the same everywhere; 0: not simulated
  double promising = 0;         ///< the most promising assignment
};

/// A Markdown table of how much of the best throughput each rule reaches.
std::string printAssignments(const std::vector<Outcome> &outcomes);
/// The costliest choices of `advise` with the names of their cases, for developing.
std::string printWorst(std::vector<Outcome> outcomes, std::size_t count);

} // namespace qdadvise::accuracy
