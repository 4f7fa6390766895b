// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes that threads stay at (docs/theory/mutex.md, equation (MX40)). A thread that mostly takes
// the mutex again that it had last is one of the few that meet there, until it goes to another
// lock. Mean value analysis knows how many they are on the mean. Decomposition (Courtois 1977) has
// each mutex serve a fixed number of threads by itself, and a product form for how many stay where.
// The truth is between both.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Mean value analysis, moved towards decomposition at mutexes that threads stay at. Without such
/// mutexes, with several classes of threads, nested sections, or populations left out it is mean
/// value analysis alone.
Expected<std::vector<NetworkState>> solveStaying(const ClosedNetwork &network,
                                                 const std::vector<int> &threads);

} // namespace qdadvise
