// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often critical sections run until one is through, where they run without their lock and
// again after a conflict: the conflicts of Roy, Hand and Harris (HotPar 2009, section 2.3), with
// those who complete meanwhile instead of those who would wait. docs/theory/optimistic.md derives
// it.
#pragma once

#include "advisor/decide/Search.h"
#include "advisor/model/Predict.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// How a section conflicts with the other executions at its lock.
struct SectionConflicts {
  double probability = 0;   ///< p_c: Conflicts::probability
  double writers = 1;       ///< share of its executions that write; the rest makes nobody conflict
  double ofWriters = 0;     ///< p_c of these
  double ofReaders() const; ///< p_c of the rest
};
/// The conflicts at a lock, by section of the network. `memory`: by section, what a memory trace
/// says. A section that it could not compare with others is taken to be like the others; the result
/// is empty where it could compare none.
std::vector<SectionConflicts> conflictsAt(const Network &network, std::size_t lock,
                                          const std::vector<std::optional<SectionMemory>> &memory);

/// The network without the lock, where sections wait for their data themselves.
Network withMovedData(Network network, std::size_t lock, const Machine &machine, double threads);

/// By section of the network that takes the lock: the time until an execution succeeds over the
/// section's holding time; >= 1. `kinds` has `ideal` at the lock. Empty where conflicts are so
/// frequent that some executions never succeed, nothing where no model predicts the network.
std::optional<std::vector<double>> optimisticRuns(const Network &network, std::size_t lock,
                                                  const std::vector<SectionConflicts> &conflicts,
                                                  const Assignment &kinds, const Machine &machine,
                                                  int threads, const PredictOptions &options);

/// A program without one of its locks.
struct PredictedOptimism {
  double conflict = 0; ///< share of the time in its sections that is wasted
  double speedup = 1; ///< throughput over that with the lock; 0 where some executions never succeed
};
/// `locked`: the prediction with `kinds` at all locks. Nothing where that, or the one without the
/// lock, is impossible or cannot be made.
std::optional<PredictedOptimism> predictedOptimism(const Network &network, std::size_t lock,
                                                   const std::vector<SectionConflicts> &conflicts,
                                                   const Assignment &kinds, const Machine &machine,
                                                   const Prediction &locked,
                                                   const PredictOptions &options);

} // namespace qdadvise
