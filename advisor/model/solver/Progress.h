// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread at least goes on at any time: it computes, is blocked, holds a lock that it need not
// wait for another one in, or is about to have one. So a network is not slower than one thread at a
// time (docs/theory/solver.md, equations (SOL9) and (SOL13)).
#pragma once

#include "advisor/model/solver/Solution.h"
#include "advisor/model/solver/Solver.h"

#include <cstddef>

namespace qdadvise {

/// What a thread of class `c` does in a cycle if it never waits.
double aloneNs(const SolverProblem &problem, std::size_t c);

/// The most that a visit to the lock keeps all threads from going on, beside the section.
double standstillNs(const SolverProblem &problem, const Solution &solution, int cores,
                    std::size_t lock);

/// Mean number of threads that go on, with the longest standstill at each visit.
double threadsGoingOn(const SolverProblem &problem, const Solution &solution, int cores);

/// Makes all waits so much shorter that one thread goes on (SOL13).
void boundByProgress(const SolverProblem &problem, int cores, Solution &solution);

} // namespace qdadvise
