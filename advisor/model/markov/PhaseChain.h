// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of Markov.h where times are series of exponential phases, which a state has.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// With as many phases as are affordable; nothing if none are.
std::vector<StationState> solveByPhases(const ClosedNetwork &network, int threads);

} // namespace qdadvise
