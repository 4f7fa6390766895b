// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of sleepers that threads stay at (docs/theory/mutex.md, equation (MX40)). A thread that
// mostly takes the lock again that it had last is one of the few that meet there, until it goes to
// another one. Mean value analysis knows how many they are on the mean. Decomposition (Courtois
// 1977) has each lock serve a fixed number of threads by itself, and a product form for how many
// stay where. The truth is between both.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Mean value analysis, moved towards decomposition at locks of sleepers that threads stay at.
/// Without such locks, with several classes of threads, nested sections, or populations left out it
/// is mean value analysis alone.
Expected<std::vector<NetworkState>> solveStaying(const ClosedNetwork &network,
                                                 const std::vector<int> &threads);

} // namespace qdadvise
