// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of Markov.h if times are series of exponential phases: a state has the phase of each.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Solves the network with as many phases as are affordable. Empty if none are.
std::vector<StationState> solveByPhases(const ClosedNetwork &network, int threads);

} // namespace qdadvise
