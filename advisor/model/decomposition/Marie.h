// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method C, after Marie (An approximate analytical method for general queueing networks, 1979;
// docs/theory/decomposition.md, equations (DEC3), (DEC5) and (DEC6)). Every lock is replaced by one
// whose completions nu_i(n) depend on the number n of threads there, so that the network has a
// product form. Its normalising constants (Convolution.h) give the rate of arrivals at lock i with
// n threads:
//   l_i(n) = v_i G_without_i(N-n-1) / G_without_i(N-n)
// The lock by itself (IsolatedStation.h) with these arrivals gives nu_i again. These are its true
// departures: the helper of a QD lock leaves together with the last thread that it helped. This is
// iterated with nu <- sqrt(nu nu') until no l changes by more than 1e-4. The iteration converges
// for c2 between 1/2 and 1; the true c2 comes in when the locks are put together.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMarie(const ClosedNetwork &network,
                                               const std::vector<int> &threads);

} // namespace qdadvise
