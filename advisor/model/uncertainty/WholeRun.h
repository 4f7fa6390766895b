// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From critical sections to the whole run: Amdahl's law, with the solved network as the part that
// scales (docs/theory/whole-run.md, equations (RUN1) to (RUN8)).
#pragma once

#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/network/Network.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

struct WholeRun {
  double speedup = 1;     ///< over one thread with the same locks
  double serialShare = 0; ///< of its time
};

/// What threads share besides locks, of which one thread tells nothing: caches, memory, clocks, and
/// work that is not divided evenly. One standard deviation of the run's speed-up, relative (RUN4).
inline constexpr double sharingError = 0.06;

/// The least speed-up of so many threads whose sections have this one, if work does not divide: at
/// worst all others wait for the end of the longest stretch (RUN5). `recorded` as below.
double unevenSpeedup(const Run &run, double speedup, double threads, double recorded);

/// How long the parallel part takes at least, where a fixed thread works on what the others do.
struct PipelineNs {
  double least = 0;    ///< if it and the processors are always busy (RUN6)
  double expected = 0; ///< as they wait for each other (RUN7)
  double most = 0;     ///< if the others wait whenever it works (RUN8)
};
/// All 0 if there is no such thread, and for one thread that scales. `recorded` as below.
PipelineNs pipelineNs(const Run &run, double threads, int processors, double recorded);

/// The whole run if its sections have this speed-up, and `recorded` with the threads of the
/// recorded run (RUN1, RUN2). It takes no less time than its longest stretch (RUN5), and its
/// parallel part no less than `leastNs`.
WholeRun wholeRun(const Run &run, double speedup, double recorded, double leastNs = 0);

/// The gain of the whole run, of which a share was serial before, from a gain in throughput (RUN3).
GainInterval ofWholeRun(const GainInterval &gain, double serialShare);

/// The speed-up of the algorithms with the threads of the recorded run, which the network must
/// have. It is 1 for one thread.
Expected<double> recordedSpeedup(const Network &network, const std::vector<LockKind> &kinds,
                                 const Machine &machine, const PredictOptions &options);

/// The speed-up with so many threads, by what `predictAt` says of them. Where a model has no
/// possible answer, fewer threads tell what each of them adds.
Expected<double> possibleSpeedup(int threads,
                                 const std::function<Expected<Prediction>(int)> &predictAt);

} // namespace qdadvise
