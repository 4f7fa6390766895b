// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock classes as the stations of a closed network, and what the states of these say of the lock
// classes. Times in nanoseconds.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

/// Per visit, to have the core again that was lost while waiting; unless the lock stands
/// idle meanwhile, which is its station's matter.
double waitForCoreNs(const Approximation &now, std::size_t lock);

/// The locks that threads come to outside of all others: those that are only taken inside others
/// are no part of the cycle.
ClosedNetwork outermostLocks(const Approximation &now);
/// One lock with a visit a cycle, and so long between two of them.
ClosedNetwork lockByItself(const Approximation &now, std::size_t lock, double delayNs);

/// What one class does at the stations of the outermost locks.
ClassLoad loadOf(const Approximation &now, const Traffic &one);
/// By stations of the outermost locks; says nothing of other locks, nor of classes.
Solution solutionOf(const Approximation &now, const NetworkState &state);
/// Of a lock that each of so many threads has for itself: as with one thread.
LockSolution perThreadSolution(const Approximation &now, std::size_t lock, int threads);
/// By the stations of the lock, as many as it has groups of instances, beginning with that one.
LockSolution lockSolutionOf(const Approximation &now, std::size_t lock,
                            const StationState *station);

} // namespace qdadvise
