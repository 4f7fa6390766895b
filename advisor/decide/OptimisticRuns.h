// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often critical sections run until one is through, where they run without their lock and
// again after a conflict: the conflicts of Roy, Hand and Harris (HotPar 2009, section 2.3), with
// those who complete meanwhile instead of those who would wait. docs/theory.md derives it.
#pragma once

#include "advisor/decide/Search.h"
#include "advisor/model/Predict.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// Of a section, with the other executions of its lock.
struct SectionConflicts {
  double probability = 0;   ///< p_c: Conflicts::probability
  double writers = 1;       ///< share of its executions that write: nobody conflicts with the rest
  double ofWriters = 0;     ///< p_c of these
  double ofReaders() const; ///< and of the rest
};
/// By section of the network, of those of a lock. `memory`: by section, what a diagnosis run says;
/// a section that it could not compare with others is like the rest. Empty: there is no rest.
std::vector<SectionConflicts> conflictsAt(const Network &network, std::size_t lock,
                                          const std::vector<std::optional<SectionMemory>> &memory);

/// The network without the lock; its sections have to wait for their data themselves then.
Network withMovedData(Network network, std::size_t lock, const Machine &machine, double threads);

/// By section of the network, how much longer than its holding time those that take the lock take
/// until they are through; >= 1. `kinds` has `ideal` at the lock. Empty: so many conflicts that
/// some never are.
std::vector<double> optimisticRuns(const Network &network, std::size_t lock,
                                   const std::vector<SectionConflicts> &conflicts,
                                   const Assignment &kinds, const Machine &machine, int threads,
                                   const PredictOptions &options);

/// A program without one of its locks.
struct PredictedOptimism {
  double conflict = 0; ///< share of the time in its sections that is in vain
  double speedup = 1;  ///< throughput over that with the lock; 0 where some never are through
};
/// `locked` is with `kinds`, at all locks.
PredictedOptimism predictedOptimism(const Network &network, std::size_t lock,
                                    const std::vector<SectionConflicts> &conflicts,
                                    const Assignment &kinds, const Machine &machine,
                                    const Prediction &locked, const PredictOptions &options);

} // namespace qdadvise
