// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds for lock classes of which a thread holds one instance while it takes another. Threads that
// do so keep others from the instances that they hold, so that the iteration may have no fixpoint.
// But one thread always goes on. So the class as a single lock is the worst case, and the class
// with so many instances that threads never meet is the best one (docs/theory/nesting.md, equation
// (NST7)). Likewise locks that are taken inside each other in different orders, as a single lock
// (NST9).
#pragma once

#include "advisor/model/solver/Solver.h"
#include "advisor/model/workload/NestingCycles.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace qdadvise {

/// Solves the problem within its bounds. Where threads in different orders do meet, the locks of a
/// cycle are one lock. Else, and for classes that are taken inside themselves, solutions that did
/// not converge, are clearly worse than the worst case or, in a cycle, than with fewer threads, or
/// have a lock of such a class held half of the time, and all with more threads, have the
/// throughput of the most threads below these, or the worst case's if that is more.
Expected<std::vector<Solution>> solveWithinBounds(const SolverProblem &problem,
                                                  const std::vector<int> &threads,
                                                  const SolverOptions &options);

/// Solves the problem without such bounds. `instances` tells its starting points from those of the
/// same problem with other numbers of instances; 0: the numbers are the network's own.
Expected<std::vector<Solution>> solveWithInstances(const SolverProblem &problem,
                                                   const std::vector<int> &threads,
                                                   const SolverOptions &options,
                                                   std::uint32_t instances);

} // namespace qdadvise
