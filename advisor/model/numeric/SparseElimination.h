// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GTH elimination (Gth.h) of chains of many states, each of which leads to few others. It has no
// subtraction, so that rates may be as far apart as numbers can be (docs/theory/markov.md,
// equations (MK1) and (MK7)).
#pragma once

#include "advisor/model/numeric/SparseChain.h"

#include <vector>

namespace qdadvise {

/// The stationary distribution of an irreducible chain. The state with the fewest ways through it
/// goes first (Markowitz 1957); once many of those left lead to each other, they are a matrix.
/// Empty if that takes more than so many steps.
std::vector<double> eliminated(const SparseChain &chain, double mostSteps);

} // namespace qdadvise
