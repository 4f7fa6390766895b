// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean value analysis of a closed network with one class of threads (Reiser and Lavenberg 1980;
// docs/theory/mva.md, equations (MV1) to (MV9)). The residence times with n threads follow from the
// state with n - 1 threads, for n = 1, 2, ... Each lock algorithm has a station of its own
// (Station.h).
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// Exact if every station is.
Expected<std::vector<NetworkState>> solveMva(const ClosedNetwork &network,
                                             const std::vector<int> &threads);

} // namespace qdadvise
