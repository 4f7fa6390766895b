// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache lines that move: what a section takes longer than with one thread because what it touches
// was last written, or read since, by another one on another core. It follows from the section's
// footprint, how many threads come to the lock, and what a line costs on the machine; the
// probabilities are derived in docs/theory/data-movement.md. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// Of one execution.
struct MovementTimes {
  double free = 0;   ///< by who finds the lock free: any of the threads was there last
  double handed = 0; ///< by who was waiting for it: another one was
  double same = 0;   ///< by who was there last
};

class DataMovement {
public:
  explicit DataMovement(const Machine &machine);
  /// With `threads` >= 0 that come to the lock, each as often as any other. Both are 0 for one
  /// thread, or one core.
  MovementTimes operator()(const Footprint &footprint, double threads) const {
    return (*this)(footprint, threads, threads);
  }
  MovementTimes operator()(const Footprint &footprint, double visitors, double threads) const;

private:
  CostCurve linesNs, chainedNs; ///< by number of lines, on one socket
  LineTransfer transfer;
};

/// Threads that come as often as each other and of which two in a row are the same as often as of
/// these: 1 / sum of squared shares (Simpson 1949).
struct Visitors {
  double threads = 0, visits = 0; ///< of all these threads together
};
double evenVisitors(const std::vector<Visitors> &classes);

} // namespace qdadvise
