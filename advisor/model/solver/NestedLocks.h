// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting times of sections inside others (docs/theory/nesting.md, equations (NST2) to (NST5)).
// Times in nanoseconds.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/support/Error.h"

namespace qdadvise {

/// Solves a lock that is only taken inside others (NST2). Its customers are the threads that can
/// hold those, and come at the rate at which the others are taken in the solution `outer`.
Expected<LockSolution> solveInnerLock(Approximation &now, std::size_t lock, const Solution &outer);

/// Finds the waiting times of nested sections (NST3), and puts them into the solution, in which
/// they are those of all sections. Returns how far away the last ones were, relative to the time at
/// the lock.
double waitInside(Approximation &now, Solution &solution);

} // namespace qdadvise
