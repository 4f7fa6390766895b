// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of an algorithm to each lock: what `advise` picks, and what there is besides.
#pragma once

#include "advisor/machine/Machine.h"
#include "bench/accuracy/Cases.h"

#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// By lock.
using Assignment = std::vector<std::string>;

/// The algorithm at all locks, or those of the locks in order, for people and keys.
std::string labelOf(const Assignment &assignment);

struct Choices {
  Assignment advised;                ///< by `decide`, with its menu; the locks are mutexes today
  std::vector<Assignment> promising; ///< of the highest predicted throughputs, highest first
};

/// `promising` are `count` of all assignments of `kinds`; where there are more than 4096, of those
/// in which only the first locks differ.
Expected<Choices> choicesOf(const Case &which, const Machine &machine,
                            const std::vector<std::string> &kinds, std::size_t count);

/// Simulated throughputs of what can be done with a case.
struct Outcome {
  std::string name; ///< of case and machine
  std::string picked, bestKinds;
  double advised = 0, best = 0; ///< best of all that were simulated
  double keep = 0, qd = 0;      ///< everywhere; 0: not simulated
  double promising = 0;         ///< the first of these
};

/// Rows by rule, as Markdown: how much of the best throughput each reaches.
std::string printAssignments(const std::vector<Outcome> &outcomes);
/// The costliest of what `advise` picked, by name of the case: for developing.
std::string printWorst(std::vector<Outcome> outcomes, std::size_t count);

} // namespace qdadvise::accuracy
