// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of Markov.h if no time varies: a state has the time that is left of each (docs/theory/
// markov.md, equation (MK5)).
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Whether no time of the network varies.
bool goesByClock(const ClosedNetwork &network);

/// Solves the network in units of time that are as fine as is affordable. Empty if none are.
std::vector<StationState> solveByClock(const ClosedNetwork &network, int threads);

} // namespace qdadvise
