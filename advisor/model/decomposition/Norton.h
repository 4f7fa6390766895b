// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method B, after Norton's theorem for closed networks (Chandy, Herzog and Woo 1975; docs/theory/
// decomposition.md, equation (DEC2)). With n threads at lock i, mean value analysis of the network
// without the lock says how many cycles the other N - n threads complete:
//   l_i(n) = v_i min(X_without_i(N - n), 1 / max over j != i of v_j s_j)
// s_j is the shortest mean operation of lock j. The locks are then solved by themselves.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveNorton(const ClosedNetwork &network,
                                                const std::vector<int> &threads);

} // namespace qdadvise
