// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markov chains of many states, each of which leads to few others. Their stationary distribution is
// found by Gauss and Seidel's iteration with aggregation (Stewart, Introduction to the Numerical
// Solution of Markov Chains, 1994; docs/theory/markov.md, equations (MK2) and (MK3)).
#pragma once

#include <cstddef>
#include <vector>

namespace qdadvise {

struct SparseChain {
  struct Flow {
    std::size_t from, to; ///< different ones
    double rate;
  };
  std::vector<Flow> flows;     ///< sorted by `to`
  std::vector<double> outflow; ///< by state: the rate of leaving it
};

/// Whether rates are so far apart that the iteration takes for ever. Elimination does not
/// (SparseElimination.h).
bool isStiff(const SparseChain &chain);

/// The stationary distribution. `group` has the group of each state. Aggregation corrects the
/// probabilities of the groups between sweeps: the chain must be irreducible then, and the groups
/// few. Without groups there is only the iteration. It rests long before it is there if the
/// chain is stiff.
std::vector<double> stationaryOf(const SparseChain &chain, const std::vector<std::size_t> &group);

} // namespace qdadvise
