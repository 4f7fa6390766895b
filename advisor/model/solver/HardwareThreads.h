// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware threads that share a core: what threads compute takes longer while a thread beside them
// computes (docs/theory/cores.md, equations (COR12) to (COR14)).
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/solver/Solver.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// How much longer threads compute on the average (COR12), (COR13), where so many of them run and
/// each computes, beside others or not, for a share `computing` of its time. 1 or more.
double sharedCoreStretch(const Machine &machine, double threads, double computing);

/// As solveNetwork, on cores that hardware threads share. It solves again until the share of time
/// in which threads compute is that of the solution (COR14).
Expected<std::vector<Solution>> solveOnSharedCores(const SolverProblem &problem,
                                                   const std::vector<int> &threads,
                                                   const SolverOptions &options);

} // namespace qdadvise
