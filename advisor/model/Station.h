// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock as a station of a closed network, seen by the mean value recursion
// (Recursion.h): one implementation per lock algorithm, so that a network whose
// locks use different algorithms is solved in one pass. Times in nanoseconds.
#pragma once

#include "advisor/model/ClosedNetwork.h"

#include <memory>
#include <string>

namespace qdadvise {

/// State of the recursion at one station: population 0 at first; what it answers is
/// about one thread more than `update` has seen. `cycleNs` is the mean time between
/// two visits of one thread to this station.
class Station {
public:
  virtual ~Station() = default;
  /// R: mean time at the lock per visit, from attempt to completion. Where it depends on
  /// `cycleNs` it falls as that grows, and may be infinite for a cycle too short.
  virtual double residenceNs(double cycleNs) const = 0;
  /// Whether it does depend on it; otherwise any value may be passed.
  virtual bool elastic() const { return false; }
  /// How long one visit occupies the lock, at least: it serves no more than one thread
  /// in this time.
  virtual double occupancyNs() const = 0;
  /// Probability that an arriving thread finds the lock taken.
  virtual double contention(double cycleNs) const = 0;
  /// One thread more: `rate` visits per nanosecond by all threads, each of `residence`.
  virtual void update(double rate, double residence, double cycleNs) = 0;
};

/// A station for algorithm `kind` (a name in the table of lock algorithms), or the
/// figure that the machine description lacks.
Expected<std::unique_ptr<Station>> makeStation(const std::string &kind, const StationLoad &load,
                                               const Machine &machine);

} // namespace qdadvise
