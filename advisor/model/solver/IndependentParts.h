// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks that fall apart: thread classes that have no lock in common never meet
// (docs/theory/classes.md, equations (CL9) and (CL10)).
#pragma once

#include "advisor/model/solver/Solver.h"

#include <cstddef>
#include <vector>

namespace qdadvise {

/// The traffic of each part, by index. Two classes are in one part if they share a lock, or if
/// others connect them. A lock that each thread has for itself connects nobody.
std::vector<std::vector<std::size_t>> independentParts(const Network &network,
                                                       const std::vector<Traffic> &traffic);

/// As solveNetwork. Each part is solved by itself, with its share of the cores where there are not
/// enough for all threads.
Expected<std::vector<Solution>> solveInParts(const SolverProblem &problem,
                                             const std::vector<int> &threads,
                                             const SolverOptions &options);

} // namespace qdadvise
