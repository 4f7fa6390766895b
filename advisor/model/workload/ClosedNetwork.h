// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network with one thread class: the input of the methods that solve it, and their output.
// Nesting, instances and bounded cores are the solver's business. A cycle is one visit to an
// outermost section. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/DataMovement.h"
#include "advisor/support/Error.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// Sections that share their lock with each other.
struct Readers {
  double share = 0;  ///< of the visits
  double holdNs = 0; ///< their mean holding time
};

/// The part of a lock's holding time that is waiting, inside its sections, for threads that are not
/// at this lock. The more threads wait here, the fewer are elsewhere (NST6).
struct InnerWait {
  double meanNs = 0;
  double threads = 1; ///< here or elsewhere: all but those at other instances of the lock class
  double queueLengthWhenBusy =
      0; ///< mean number of these here while the lock is held; less than all
};

/// Sleep at inner locks, inside other sections (NST10).
struct SleepInside {
  double ns = 0, times = 0;

  void add(double visits, const SleepInside &each) {
    ns += visits * each.ns;
    times += visits * each.times;
  }
};

/// Visits after which the same thread comes to the same lock again, with only local computation in
/// between.
struct Reacquisitions {
  double share = 0;   ///< of the visits
  double localNs = 0; ///< mean, exponential
};

/// A thread's way from one visit to a lock to the next one.
struct Revisit {
  double visits = 0;      ///< to the lock, per cycle
  double again = 0;       ///< probability that there is no visit to another lock in between
  double againNs = 0;     ///< time away in that case
  double leavingNs = 0;   ///< time from the lock to another one
  double awayNs = 0;      ///< time away in any case, without waiting at other locks
  double waits = 0;       ///< how often it waits at other locks
  double residenceNs = 0; ///< of a visit to another instance of the lock
};

/// The traffic of one lock instance.
struct StationLoad {
  double holdNs = 0; ///< mean holding time, over all sections of the lock
  double cv2 = 1;    ///< its squared coefficient of variation
  /// Factor on everything a thread does on a core, where there are more runnable
  /// threads than cores.
  double stretch = 1;
  double skewness = 2;  ///< third standardised moment of the holding time
  double awayCv2 = 1;   ///< squared coefficient of variation of a thread's time away from the lock
  double spinners = 0;  ///< most waiters that have a core; 0: all of them
  double absenceNs = 0; ///< until the next in line has a core to take the lock
  Readers readers = {};
  InnerWait inner = {};
  /// Per visit: at this lock, or inside a section that keeps all others out of it. Threads are not
  /// elsewhere meanwhile.
  SleepInside sleepInside = {};
  Reacquisitions reacquisitions = {}; ///< of threads that may pass waiters
  /// The way from visit to visit of all instances; no visits if nothing is known.
  Revisit revisit = {};
  double share = 1; ///< of those visits that are to this instance
  double own = 0;   ///< share of the visits to locks that other threads hardly take
  /// Probability that the lock's line is elsewhere when a thread finds the lock free. None: every
  /// thread is equally likely to have had it last.
  std::optional<double> elsewhere = {};
  /// Coherence misses. They are no part of the holding time, which is that of a single thread.
  MovementTimes coherenceMiss = {}; ///< in sections of one thread at a time
  double readerCoherenceMissNs = 0; ///< in sections of readers
  /// Share of the effective visitors that is left because threads come several times in a row.
  double mixing = 1;

  /// The mean coherence miss over all visits, whoever was there last.
  double coherenceMissNs() const {
    return (1 - readers.share) * coherenceMiss.free + readers.share * readerCoherenceMissNs;
  }

  /// The holding time with so many threads at the lock (NST6).
  double holdWithNs(double queueLength) const {
    const double others = std::max(0.0, inner.threads - queueLength);
    return holdNs + inner.meanNs * (others / (inner.threads - inner.queueLengthWhenBusy) - 1);
  }
  /// How many of the threads at the lock are on a core, the holder included.
  double onCores(double queueLength) const {
    return spinners > 0 ? std::min(queueLength, 1 + spinners) : queueLength;
  }
};

/// Whether a thread that comes back may pass those that spin. Mutexes have a model of their own for
/// that.
constexpr bool barges(const LockAlgorithm &lock) {
  return lock.spins && !lock.delegates && !lock.fifo;
}

/// How long a visit takes on a core. Ideal locks know no cores.
inline double heldNs(LockKind kind, const StationLoad &load) {
  return load.holdNs * (kind == LockKind::ideal ? 1 : load.stretch);
}

/// `count` locks that are alike, each visited `visits` times per cycle.
struct LockStation {
  LockKind kind = LockKind::unknown;
  StationLoad load;
  double visits = 0;
  /// Those of the visits that are not made inside an outer section. The holding time of the outer
  /// section contains the others.
  double directVisits = 0;
  double count = 1;
  /// How much longer these take than the mean visit (< 0: shorter).
  double directExtraNs = 0;
  /// The most threads that can be inside the outer sections of the other visits.
  double holders = 0;
  /// What those take there, times their share of the visits.
  double insideNs = 0;

  /// Time per cycle of the direct visits to all `count` locks, if the mean visit takes so long.
  double directNs(double residenceNs) const {
    return count * directVisits * (residenceNs + directExtraNs);
  }
  /// Mean time of all visits, if a direct one waits as the mean visit of `residenceNs` does
  /// (NST11).
  double meanNs(double residenceNs) const {
    return directVisits < visits ? directVisits / visits * (residenceNs + directExtraNs) + insideNs
                                 : residenceNs;
  }
};

/// Time before a visit to a station: local computation and blocked time.
struct ThinkTime {
  double meanNs = 0, cv2 = 1, skewness = 2;
};

struct StridePlan;

struct ClosedNetwork {
  const Machine &machine;
  double delayNs = 0;   ///< blocked time per cycle
  double computeNs = 0; ///< local computation per cycle
  std::vector<LockStation> stations;
  SleepInside sleepInside = {}; ///< per cycle
  bool alike = true; ///< all threads are of one class; otherwise they stand for the mean one
  /// By two stations, the probability that a visit to the first is followed by one to the second.
  /// Each stands for all that are alike. With the think times, by station, this is for methods that
  /// follow single threads. Empty if threads differ or sections are nested.
  std::vector<std::vector<double>> routing = {};
  std::vector<ThinkTime> thinkTimes = {};
  /// Populations to leave out (Strides.h); null where the solution is not one of a gradient's.
  StridePlan *strides = nullptr;
};

/// One station, per visit.
struct StationState {
  double residenceNs = 0, contention = 0;
  double queueLengthWhenBusy = 1; ///< mean number of threads there while there is one (MV8, NST6)
  double elsewhere = 0;           ///< as StationLoad's
  /// Share of the visits that follow another thread's, if that does not follow from `contention`.
  std::optional<double> changes = {};
  /// Share of the visits that find anybody at the lock, if not `contention`: readers among readers
  /// do, and need not wait.
  std::optional<double> foundTaken = {};
  /// How long visits from inside outer sections wait, relative to all, if that is known (DEC13).
  std::optional<double> fromInside = {};
};

struct NetworkState {
  int threads = 0;
  double cyclesPerNs = 0; ///< throughput
  std::vector<StationState> stations;
};

/// Solves the network for every population in `threads`, which ascend and are >= 1. Fails if the
/// machine description lacks a figure.
using NetworkMethod = Expected<std::vector<NetworkState>> (*)(const ClosedNetwork &network,
                                                              const std::vector<int> &threads);

} // namespace qdadvise
