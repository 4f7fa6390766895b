// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean value analysis of a closed network with one class of threads: residence
// times with n threads from the state with n - 1, for n = 1, 2, ... (Reiser and
// Lavenberg 1980). What a lock adds is its Station's business.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Exact where every station is.
Expected<std::vector<NetworkState>> solveMva(const ClosedNetwork &network,
                                             const std::vector<int> &threads);

} // namespace qdadvise
