// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From critical sections to the whole run: Amdahl's law, with the solved network as the part that
// scales (docs/theory/whole-run.md, equations (RUN1) to (RUN17)); (RUN18) is
// construction/MeasuredRun's.
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
/// work that is not divided evenly. One standard deviation of the run's speed-up, relative (RUN4):
/// it seldom makes more of it, and may make much less.
inline constexpr double sharingErrorAbove = 0.12, sharingErrorBelow = 0.25;

/// A parallel part that locks would let scale takes so much longer for these reasons on the mean,
/// where infinitely many threads share it (RUN14).
inline constexpr double sharingLoss = 0.2;

/// One of these decides how long the run's parallel part takes.
enum class RunLimit {
  sections, ///< and what threads do between them
  stretch,  ///< the longest between two sections (RUN5)
  pipeline  ///< a fixed thread on whose work the others go, or the processors (RUN6)
};

/// A time of the run, in ns.
struct RunTime {
  double least = 0; ///< if work divides and nobody waits for a fixed thread
  double expected = 0;
  double most = 0; ///< if all others wait for the longest stretch and for the fixed thread
  RunLimit limit = RunLimit::sections; ///< of what is expected
  double serial = 0;                   ///< of what is expected
};

/// How long the parallel part takes at least, where a fixed thread works on what the others do.
struct PipelineNs {
  double least = 0;    ///< if it and the processors are always busy (RUN6)
  double expected = 0; ///< as they wait for each other (RUN7)
  double most = 0;     ///< if the others wait whenever it works (RUN8)
};

/// How many times as long computation takes than without the others, where a run goes so many times
/// as fast as one thread (RUN9).
struct SharingSlowdown {
  double speed = 1;                         ///< what the locks leave; ascending from row to row
  double least = 1, expected = 1, most = 1; ///< 1 or more; the 95 % interval
};

/// A recorded run, and what tells how long it takes with other threads and other locks.
struct RunScaling {
  Run run;
  double recorded = 1; ///< speed-up of its sections with the threads of the recorded run
  int processors = 1;
  std::vector<SharingSlowdown> slowdowns = {}; ///< none: not known
  double wakeupNs = 0;                         ///< from when a sleeper is woken until it goes on
  double loss = 0; ///< of threads for each other, besides locks: sharingLoss, or none

  double oneThreadNs() const { return run.serialNs + run.parallelNs * recorded; }
  /// The serial part, if threads divide this share of it (RUN17).
  double serialNs(double threads, double share) const;
  /// Threads wait for so long, in all, until others have woken up at barriers (RUN12).
  double atBarriersNs(double threads) const;
  /// The parallel part where its work divides (RUN1, RUN11).
  double dividedNs(double speedup) const;
  /// The parallel part is expected to take this at least, however well its locks scale (RUN14).
  double sharedNs(double threads) const;
  /// How much of what the fixed thread computes went on while others computed (RUN16).
  double besideShare() const;
  /// The parallel part, if others do nothing for this share of what it takes one thread (RUN16).
  double inTurnNs(double dividedNs, double share) const;
  /// With threads whose sections have this speed-up over one thread (RUN1, RUN5 to RUN17).
  RunTime time(double threads, double speedup) const;
  /// The run as it is expected (RUN2).
  WholeRun at(double threads, double speedup) const;
  /// The gain of the whole run from one of the sections, which have this speed-up today (RUN3).
  GainInterval gain(double threads, double speedup, const GainInterval &ofSections) const;
  /// All 0 if there is no fixed thread on whose work the others go, and for one thread that scales.
  PipelineNs pipeline(double threads) const;
};

/// The slowdowns that follow from copies of the program, where these ran on the machine, and were
/// of one thread; else none. The machine's hardware threads account for a part of them.
std::vector<SharingSlowdown> sharingSlowdowns(const Run &run, const Machine &machine);

/// What is to be known of them where the run has at most so many threads; "" where no copies ran.
std::string sharingNote(const Run &run, const Machine &machine, int threads);

/// Returns how a run scales whose threads were so many times as fast as one.
RunScaling runScaling(const Run &run, double recordedSpeedup, const Machine &machine,
                      const PredictOptions &options);
/// Returns how the network's run scales with these algorithms at its locks. The network must have a
/// run.
Expected<RunScaling> runScaling(const Network &network, const std::vector<LockKind> &kinds,
                                const Machine &machine, const PredictOptions &options);

/// The speed-up of the algorithms with the threads of the recorded run, which the network must
/// have. It is 1 for one thread.
Expected<double> recordedSpeedup(const Network &network, const std::vector<LockKind> &kinds,
                                 const Machine &machine, const PredictOptions &options);

/// The speed-up with so many threads, by what `predictAt` says of them. Where a model has no
/// possible answer, fewer threads tell what each of them adds.
Expected<double> possibleSpeedup(int threads,
                                 const std::function<Expected<Prediction>(int)> &predictAt);

} // namespace qdadvise
