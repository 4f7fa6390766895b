// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections inside others wait for their locks. Times in nanoseconds.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/support/Error.h"

namespace qdadvise {

/// A lock that is only taken inside others: its customers are the threads that can
/// hold those, and come at the rate at which these are taken in `outer`.
Expected<LockSolution> solveInnerLock(const Approximation &now, std::size_t lock,
                                      const Solution &outer);

/// The waiting times of nested sections, from a solution in which they are those of all
/// sections; puts them into it. How far away the last ones were, of the time at the lock.
double waitInside(Approximation &now, Solution &solution);

} // namespace qdadvise
