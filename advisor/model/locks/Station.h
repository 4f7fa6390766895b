// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks as stations of a closed network, as mean value analysis (Mva.h) sees them. Each lock
// algorithm has an implementation of its own, so that one pass solves a network with several
// algorithms. Times in nanoseconds.
#pragma once

#include "advisor/model/locks/NextAwake.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

namespace qdadvise {

/// Two threads at a lock of sleepers lose this by meeting there.
struct PairMeetings {
  double lostNs = 0;  ///< per visit
  double meeting = 0; ///< share of the time in which one of them waits, were it the only lock
};

/// A population, as the recursion tells stations of it: all its threads together make `rate` cycles
/// per nanosecond. Arrays have a number per lock. `visitors` are the effective visitors of each
/// lock with a thread more: as many threads that come at random are next after themselves as often.
/// `nearby` is the probability, beyond chance, that the thread before is of the same socket.
/// `meets` is the share of the others' visits that a thread may meet.
/// `meanNs` is the residence time of all visits, those from inside outer sections with their own.
struct Population {
  int threads;
  double rate, cycleNs;
  const double *residenceNs, *sleptNs, *visitors, *nearby, *meanNs, *meets;
};

/// The same for one lock.
struct PopulationAtLock {
  int threads;
  double rate, cycleNs; ///< of visits to it, and from one visit of a thread to the next
  double residenceNs, sleptNs, visitors, nearby, meanNs, meets;
};

/// Populations that are left out, with the last one before, which has `threads` threads. `rate` is
/// by population. `contention` is that of the first lock's for a thread more, by population, then
/// the next lock's.
struct LeftOut {
  int threads;
  std::span<const double> rate;
  const double *contention;
};

/// The same for one lock.
struct LeftOutAtLock {
  int threads;
  double visits; ///< per cycle
  std::span<const double> rate, contention;
};

/// Locks of one algorithm that are next to each other in a network. One call asks all of them, so
/// that the compiler can vectorise the loop; each array has a number per lock. A group has the
/// state of the recursion over populations. At first that is population 0; the answers are for one
/// thread more than `update` has seen. `cycleNs` is the mean time of a thread's cycle.
class StationGroup {
public:
  virtual ~StationGroup() = default;
  virtual std::size_t size() const = 0;
  /// R: mean time at the lock per visit, from attempt to completion.
  virtual void residenceNs(double *result) const = 0;
  /// Whether waiters sleep.
  virtual bool sleeps() const = 0;
  /// The least time that a visit occupies the lock: it serves at most one thread in this time.
  virtual void occupancyNs(double *result) const = 0;
  /// Probability that an arriving thread finds the lock taken.
  virtual void contention(double cycleNs, double *result) const = 0;
  /// Where the population is two threads, what these lose.
  virtual void meetings(PairMeetings * /*result*/) const {}
  /// As StationState::elsewhere.
  virtual void elsewhere(double *result) const = 0;
  /// As StationState::changes.
  virtual void changes(double cycleNs, std::optional<double> *result) const = 0;
  /// As StationState::foundTaken.
  virtual void foundTaken(std::optional<double> * /*result*/) const {}
  /// Whether the answers depend on the last population alone, or nearly: then some populations may
  /// be left out.
  virtual bool forgets() const = 0;
  /// Whether populations may be left out of a gradient's solutions, which all leave out the same.
  virtual bool canPassOver() const = 0;
  virtual void passOver(const LeftOut & /*populations*/) {}
  /// How long a thread sleeps each time that it does, if it is at the lock for so long; 0 where
  /// waiters do not sleep.
  virtual void sleptNs(const double * /*residenceNs*/, double *result) const {
    std::fill_n(result, size(), 0.0);
  }
  /// How much of a visit of that length a thread sleeps or is on its way to sleep and back; 0 where
  /// waiters do not sleep.
  virtual void asleepNs(const double * /*residenceNs*/, double *result) const {
    std::fill_n(result, size(), 0.0);
  }
  /// Who goes on where a thread leaves the lock, at which it is for so long.
  virtual void nextAwake(double /*cycleNs*/, const double * /*residenceNs*/,
                         NextAwake *result) const {
    std::fill_n(result, size(), NextAwake());
  }
  /// Adds a thread to a population.
  virtual void update(const Population &before) = 0;
};

/// Stations of algorithm `kind`, or the figure that the machine description lacks.
Expected<std::unique_ptr<StationGroup>>
makeStations(LockKind kind, std::span<const LockStation> stations, const Machine &machine);

/// The figure that a prediction with this algorithm needs and the machine does not have, if any.
std::optional<Error> missingFigure(LockKind kind, const Machine &machine);

} // namespace qdadvise
