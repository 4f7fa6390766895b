// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock classes as stations of a closed network, and solutions from the stations' states. Times in
// nanoseconds.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

/// Mean time per visit to have the core again that was lost while waiting. It is 0 if the lock is
/// idle meanwhile: that is part of its station.
double waitForCoreNs(const Approximation &now, std::size_t lock);

/// The network of the outermost locks. Locks that are only taken inside others are no part of the
/// cycle.
ClosedNetwork outermostLocks(const Approximation &now);
/// One lock that is visited once per cycle, with a delay between two visits.
ClosedNetwork lockByItself(const Approximation &now, std::size_t lock, double delayNs);

/// The load of one class on the stations of the outermost locks.
ClassLoad loadOf(const Approximation &now, std::size_t of);
/// The solution for the outermost locks, without other locks and classes.
Solution solutionOf(const Approximation &now, const NetworkState &state);
/// The solution for a lock of which each of so many threads has its own: as with one thread.
LockSolution perThreadSolution(const Approximation &now, std::size_t lock, int threads);
/// The solution for a lock from its stations, one for each group of instances. `station` is the
/// first.
LockSolution lockSolutionOf(const Approximation &now, std::size_t lock,
                            const StationState *station);

} // namespace qdadvise
