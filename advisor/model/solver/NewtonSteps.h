// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Newton's method for the solver's fixpoint (docs/theory/solver.md, equation (SOL12)). Steps
// towards what the last round found may go round in circles for ever, where waits lengthen and
// shorten each other by turns. Newton's method finds such a fixpoint as well as any other, from
// nearby.
#pragma once

#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/Solution.h"
#include "advisor/support/Error.h"

namespace qdadvise {

/// Goes on from the unknowns until the solution rests, or comes no closer to that any more. Leaves
/// the closest round's solution and demands, and the unknowns with which it began.
Expected<Solution> iterateByNewton(Approximation &now, double restTolerance);

} // namespace qdadvise
