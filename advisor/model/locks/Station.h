// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks as stations of a closed network, seen by the mean value recursion
// (Mva.h): one implementation per lock algorithm, so that a network whose
// locks use different algorithms is solved in one pass. Times in nanoseconds.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <memory>
#include <span>
#include <string>

namespace qdadvise {

/// Locks of one algorithm that stand side by side in a network, so that the recursion asks once
/// for all of them: the compiler sees through the loop. Arrays have a number for each. State of
/// the recursion: population 0 at first; the answers are about one thread more than `update` has
/// seen. `cycleNs` is the mean time of one round of a thread.
class StationGroup {
public:
  virtual ~StationGroup() = default;
  virtual std::size_t size() const = 0;
  /// R: mean time at the lock per visit, from attempt to completion.
  virtual void residenceNs(double *result) const = 0;
  /// Whether waiters do.
  virtual bool sleeps() const = 0;
  /// How long one visit occupies the lock, at least: it serves no more than one thread
  /// in this time.
  virtual void occupancyNs(double *result) const = 0;
  /// Probability that an arriving thread finds the lock taken.
  virtual void contention(double cycleNs, double *result) const = 0;
  /// As StationState::elsewhere.
  virtual void elsewhere(double *result) const = 0;
  /// As StationState::changes.
  virtual void changes(double cycleNs, std::optional<double> *result) const = 0;
  /// One thread more: without it all came round `rate` times per nanosecond together. With it
  /// as many come to a lock as `visitors` that come at random: as often one follows itself.
  virtual void update(double rate, double cycleNs, const double *residenceNs,
                      const double *visitors) = 0;
};

/// Stations of algorithm `kind` (a name in the table of lock algorithms), or the figure that
/// the machine description lacks.
Expected<std::unique_ptr<StationGroup>> makeStations(const std::string &kind,
                                                     std::span<const LockStation> stations,
                                                     const Machine &machine);

/// The figure that a prediction with this algorithm needs and the machine does not have, if any.
std::optional<Error> missingFigure(const std::string &kind, const Machine &machine);

} // namespace qdadvise
