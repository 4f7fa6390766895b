// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate behind every prediction: what no machine could do, whatever the model says
// (docs/theory/solver.md, equations (SOL6) to (SOL9) and (SOL11)).
#pragma once

#include "advisor/model/solver/Solution.h"
#include "advisor/model/solver/Solver.h"

#include <string>

namespace qdadvise {

/// Why no machine could do what the solution says, "" if one could. Threads are faster than they
/// would be alone, or a lock is held for more than all the time, or threads are more or fewer than
/// there are (Little's law), or the program is slower than if all its threads waited for one, or
/// threads wait at a lock for longer than all others hold it.
std::string impossibility(const SolverProblem &problem, const Solution &solution, int cores);

} // namespace qdadvise
