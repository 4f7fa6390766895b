// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network whose locks have their algorithms: thread classes, nested sections, instances
// of a lock class and bounded cores around a method for closed networks with one class of
// threads. Times in nanoseconds.
//
// A round of the fixpoint, a file each: what is known so far (Approximation.h) -> the demand on
// each lock (LockDemand.h) -> stations, which the method solves (LockStations.h) -> a solution,
// in which locks inside others have their own waiting times (NestedLocks.h) and threads share
// cores (CoresInUse.h).
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

/// Solves for each number of scaling threads, ascending. `kinds` by lock.
Expected<std::vector<Solution>>
solveNetwork(const Network &network, const std::vector<std::string> &kinds, const Machine &machine,
             const std::vector<Traffic> &traffic, const std::vector<int> &threads,
             const SolverOptions &options);

} // namespace qdadvise
