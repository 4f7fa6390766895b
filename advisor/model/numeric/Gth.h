// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stationary vector of a Markov chain by GTH elimination: one state after the other is taken
// out (Grassmann, Taksar and Heyman 1985; docs/theory/markov.md, equation (MK1)). It subtracts
// nothing, and so loses no digits.
#pragma once

#include <cstddef>
#include <vector>

namespace qdadvise {

/// Probabilities, or rates, of going from a state (row) to another (column). The diagonal does not
/// matter.
using Matrix = std::vector<std::vector<double>>;

/// Takes state `gone` out of the chain: what leads to it leads to where it led. Returns the
/// probability of leaving it for another state of `rest`.
double eliminate(Matrix &chain, std::size_t gone, const std::vector<std::size_t> &rest);

/// The stationary vector over `states`, all of which lead to the first.
std::vector<double> stationary(Matrix chain, const std::vector<std::size_t> &states);

/// The stationary vector over all states of an irreducible chain, as multiples of the first one's.
std::vector<double> stationaryMultiples(Matrix chain);

} // namespace qdadvise
