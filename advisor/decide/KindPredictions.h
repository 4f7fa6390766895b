// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that can be predicted of a program with given algorithms at its locks.
#pragma once

#include "advisor/decide/OptimisticRuns.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/network/KindChoice.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// The run of the program, with what it does besides its critical sections.
struct PredictedRun {
  WholeRun figures;
  Interval speedup; ///< 95 %
};

/// What is predicted, or simulated, for one number of threads.
struct PredictedPoint {
  Prediction figures;
  FigureIntervals intervals;
  std::optional<PredictedRun> run; ///< none where it is not known what else the program does
  /// By lock of the network; none where its sections were not traced. Simulations have no such
  /// figures.
  std::vector<std::optional<PredictedOptimism>> optimism;

  std::optional<PredictedOptimism> optimismAt(std::size_t lock) const {
    return lock < optimism.size() ? optimism[lock] : std::nullopt;
  }
};

struct KindPredictions {
  KindChoice kind;
  std::vector<PredictedPoint> points; ///< by number of threads
};

/// The same with algorithm `kinds[i]` at lock i, without what a memory trace tells.
Expected<KindPredictions> predictAssignment(const Network &network,
                                            const std::vector<LockKind> &kinds,
                                            const Machine &machine, const std::vector<int> &threads,
                                            const PredictOptions &options);

/// `memory`: by section of the network, as in conflictsAt.
Expected<KindPredictions> predictKind(const Network &network,
                                      const std::vector<std::optional<SectionMemory>> &memory,
                                      const KindChoice &kind, const Machine &machine,
                                      const std::vector<int> &threads,
                                      const PredictOptions &options);

/// The run of a program whose threads take no locks. It has no figures of sections, and the
/// speed-up is that of threads that have the processors for themselves.
KindPredictions predictWithoutLocks(const Run &run, const Machine &machine,
                                    const std::vector<int> &threads, const PredictOptions &options);

} // namespace qdadvise
