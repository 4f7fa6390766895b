// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One round of the solver's iteration.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/support/Error.h"

#include <vector>

namespace qdadvise {

/// Solves the outermost locks for one thread class and several populations.
Expected<std::vector<Solution>> solveOneClass(const Approximation &now,
                                              const std::vector<int> &populations);

/// Finds the solution of the approximation, and from it the next approximation. Returns how far
/// the two are apart, relative. That is not finite if the solution is no number.
Expected<double> iterate(Approximation &now, Solution &solution);

} // namespace qdadvise
