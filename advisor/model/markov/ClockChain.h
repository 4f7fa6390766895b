// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of Markov.h where times do not vary: a state has what is left of them by the clock.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Whether no time of the network varies.
bool goesByClock(const ClosedNetwork &network);

/// In units of time that are as fine as is affordable; nothing if none are.
std::vector<StationState> solveByClock(const ClosedNetwork &network, int threads);

} // namespace qdadvise
