// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markov chains by the elimination of one state after the other (Grassmann, Taksar and
// Heyman 1985), which subtracts nothing and so loses no digits.
#pragma once

#include <cstddef>
#include <vector>

namespace qdadvise {

/// Probabilities, or rates, of going from a state (row) to another (column); what is on the
/// diagonal does not matter.
using Matrix = std::vector<std::vector<double>>;

/// Takes state `gone` out of the chain: its in-flow is handed on to where it leads.
/// Returns the probability of leaving it for another state of `rest`.
double eliminate(Matrix &chain, std::size_t gone, const std::vector<std::size_t> &rest);

/// The stationary vector over `states`, all of which lead to the first.
std::vector<double> stationary(Matrix chain, const std::vector<std::size_t> &states);

} // namespace qdadvise
