// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves a network whose locks have their algorithms: thread classes, nested sections, instances
// of a lock class and bounded cores around a method for closed networks with one thread class.
// Times in nanoseconds.
//
// The solver iterates (docs/theory/solver.md, equation (SOL1)). Each step of a round is a file:
// what is known so far (Approximation.h) -> the demand on each lock (LockDemand.h) -> stations,
// which the method solves (LockStations.h) -> a solution, in which inner locks have their own
// waiting times (NestedLocks.h) and threads share cores (CoresInUse.h) -> the next approximation
// (Round.h). Classes that are taken inside themselves have bounds (InstanceBounds.h).
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/model/solver/SolverOptions.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

/// What is to be solved. All of it must be valid and outlive the solver.
struct SolverProblem {
  const Network &network;
  const std::vector<LockKind> &kinds; ///< lock algorithms, by lock
  const Machine &machine;
  const std::vector<Traffic> &traffic; ///< of the thread classes
};

/// Solves the problem for each number of scaling threads, which ascend. Each solution says in its
/// summary how far it can be trusted. The solver refuses a problem, and the error says why, if the
/// options are not valid, if the machine description lacks a figure, if the method has no solution
/// for such a network, or if no solution is a number.
Expected<std::vector<Solution>> solveNetwork(const SolverProblem &problem,
                                             const std::vector<int> &threads,
                                             const SolverOptions &options);

} // namespace qdadvise
