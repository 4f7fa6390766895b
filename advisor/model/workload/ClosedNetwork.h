// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A closed network with one class of threads, as the methods that solve it take it, and
// what they answer: nesting, instances and bounded cores are the Solver's. A cycle is one
// visit to an outermost section. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/DataMovement.h"
#include "advisor/support/Error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// Sections that share their lock with others of their like.
struct Readers {
  double share = 0;  ///< of the visits
  double holdNs = 0; ///< their mean holding time
};

/// What of a lock's holding time is waiting, inside its sections, for threads that are not at
/// this lock: the more wait here, the fewer are there.
struct InnerWait {
  double meanNs = 0;
  double threads = 1; ///< here or elsewhere: all but those at other instances of the lock class
  double queueLengthWhenBusy =
      0; ///< of these, mean number here while the lock is held; less than all
};

/// Visits that are followed by another one of the same thread to the same lock, with nothing but
/// local computation in between.
struct Reacquisitions {
  double share = 0;   ///< of the visits
  double localNs = 0; ///< mean, exponential
};

/// From one visit to a lock to the next.
struct Revisit {
  double visits = 0;    ///< to the lock, in a round
  double again = 0;     ///< probability that there is none to another lock between
  double againNs = 0;   ///< how long that takes
  double leavingNs = 0; ///< from the lock to another one
  double awayNs = 0;    ///< from visit to visit, whichever way, but for waiting at other locks
  double waits = 0;     ///< at other locks, how often
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
  double spinners = 0;  ///< who wait on a core, at most; 0: all
  double absenceNs = 0; ///< until the next of those who wait has a core to take the lock over
  Readers readers = {};
  InnerWait inner = {};
  Reacquisitions reacquisitions = {}; ///< where who returns may pass those who wait
  /// To all instances, of which this one has that share of the visits; none where nothing is known.
  Revisit revisit = {};
  double share = 1;
  /// Probability that who finds the lock free does not find its line here. None: every thread is
  /// as likely to have had it last.
  std::optional<double> elsewhere = {};
  /// Until the data are here: no part of the holding time, which is that of one thread.
  MovementTimes coherenceMiss = {}; ///< of what one thread at a time does
  double readerCoherenceMissNs = 0; ///< of the others
  /// Of the threads that would follow themselves as often, those that are left as threads come
  /// several times in a row.
  double mixing = 1;

  /// Over all visits, whoever was there last.
  double coherenceMissNs() const {
    return (1 - readers.share) * coherenceMiss.free + readers.share * readerCoherenceMissNs;
  }

  /// With so many at the lock.
  double holdWithNs(double queueLength) const {
    const double others = std::max(0.0, inner.threads - queueLength);
    return holdNs + inner.meanNs * (others / (inner.threads - inner.queueLengthWhenBusy) - 1);
  }
  /// Of so many at the lock, those on a core, the holder included.
  double onCores(double queueLength) const {
    return spinners > 0 ? std::min(queueLength, 1 + spinners) : queueLength;
  }
};

/// How long a visit takes on a core: `ideal` knows no cores.
inline double heldNs(const std::string &kind, const StationLoad &load) {
  return load.holdNs * (kind == "ideal" ? 1 : load.stretch);
}

/// `count` locks that are alike, each visited `visits` times per cycle.
struct LockStation {
  std::string kind; ///< a name in the table of lock algorithms
  StationLoad load;
  double visits = 0;
  /// Of these visits, those that are part of a cycle by themselves. The others are
  /// made inside an outer section, whose holding time already contains them.
  double directVisits = 0;
  double count = 1;
  /// How much longer than the mean visit (< 0: shorter) these take.
  double directExtraNs = 0;
  /// How many threads can be inside outer sections, at a time, that such visits are made in.
  double holders = 0;

  /// Time per cycle at all of them, where the mean visit takes so long.
  double directNs(double residenceNs) const {
    return count * directVisits * (residenceNs + directExtraNs);
  }
};

/// What a thread does before it comes to a station: local computation and blocked time.
struct ThinkTime {
  double meanNs = 0, cv2 = 1, skewness = 2;
};

struct ClosedNetwork {
  const Machine &machine;
  double delayNs = 0;   ///< blocked time per cycle
  double computeNs = 0; ///< local computation per cycle
  std::vector<LockStation> stations;
  /// The probability that a visit to a station is followed by one to another, by station and
  /// station, each standing for all that are alike; and what comes before, by station. For
  /// methods that follow single threads; empty where threads differ or sections are nested.
  std::vector<std::vector<double>> routing = {};
  std::vector<ThinkTime> thinkTimes = {};
};

/// One station, per visit.
struct StationState {
  double residenceNs = 0, contention = 0;
  double queueLengthWhenBusy = 1; ///< mean number of threads there while anybody is
  double elsewhere = 0;           ///< as StationLoad's
  /// Share of the visits that follow another thread's, where that is no matter of `contention`.
  std::optional<double> changes = {};
};

struct NetworkState {
  int threads = 0;
  double cyclesPerNs = 0; ///< throughput
  std::vector<StationState> stations;
};

/// Solves for every population of `threads`, ascending, each >= 1. Fails where the machine
/// description lacks a figure.
using NetworkMethod = Expected<std::vector<NetworkState>> (*)(const ClosedNetwork &network,
                                                              const std::vector<int> &threads);

} // namespace qdadvise
