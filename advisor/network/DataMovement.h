// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much longer a section takes than with one thread because cache lines move: another thread, on
// another core, last wrote what it touches, or has read it since. The time follows from the
// section's footprint, the number of threads that come to the lock, and the cost of a line on the
// machine. docs/theory/data-movement.md derives the probabilities. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// The extra time of one execution, by who executes it.
struct MovementTimes {
  double free = 0;   ///< a thread that finds the lock free: any thread was there last
  double handed = 0; ///< a thread that waited for the lock: another thread was there last
  double same = 0;   ///< the thread that was there last
};

class DataMovement {
public:
  explicit DataMovement(const Machine &machine);
  /// `threads` >= 0 is the number of threads that come to the lock, each as often as any other. All
  /// times are 0 for one thread, or one core.
  MovementTimes operator()(const Footprint &footprint, double threads) const {
    return (*this)(footprint, threads, threads);
  }
  /// The same where `threads` come to the lock, so unevenly that it is as with `visitors`
  /// (evenVisitors).
  MovementTimes operator()(const Footprint &footprint, double visitors, double threads) const;

private:
  CostCurve linesNs, chainedNs; ///< by number of lines, on one socket
  LineTransfer transfer;
};

struct Visitors {
  double threads = 0, visits = 0; ///< `visits` of all these threads together
};
/// The number of threads, each visiting as often as any other, of which two visits in a row are by
/// the same thread as often as of the given ones: 1 / sum of squared shares (Simpson 1949).
double evenVisitors(const std::vector<Visitors> &classes);

} // namespace qdadvise
