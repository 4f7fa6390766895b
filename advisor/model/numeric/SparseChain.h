// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markov chains of many states, each of which leads to few: Gauss and Seidel's iteration with
// aggregation (Stewart, Introduction to the Numerical Solution of Markov Chains, 1994).
#pragma once

#include <cstddef>
#include <vector>

namespace qdadvise {

struct SparseChain {
  struct Flow {
    std::size_t from, to; ///< different ones
    double rate;
  };
  std::vector<Flow> flows;     ///< by where they go
  std::vector<double> outflow; ///< by state: rate of leaving it
};

/// The stationary distribution. States are in groups, by state, whose probabilities are set right
/// now and then: the chain must be irreducible, and groups few. No groups: iteration alone.
std::vector<double> stationaryOf(const SparseChain &chain, const std::vector<std::size_t> &group);

} // namespace qdadvise
