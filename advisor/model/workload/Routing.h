// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visit ratios (docs/theory/network.md, equation (NET1)): how often a thread of a class enters each
// section in the long run.
#pragma once

#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// A set of sections that a thread, once in it, never leaves.
struct RoutingPart {
  double share = 0;           ///< of the class's threads that end up here, started uniformly
  std::vector<double> visits; ///< by section of the network; sums to one; nested sections 0
};

/// The recurrent parts of a class's routing. Irreducible routing has one with share 1, also if it
/// is periodic. In reducible routing every section with transitions is equally likely to be the
/// first one, because a recorded run says nothing about that. Empty for a class without
/// transitions. The network must be valid. Solved by GTH elimination (Gth.h).
std::vector<RoutingPart> recurrentParts(const Network &network, std::size_t threadClass);

} // namespace qdadvise
