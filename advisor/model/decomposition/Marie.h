// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Method C, Marie's (An approximate analytical method for general queueing networks, 1979):
// every lock is replaced by one whose completions nu_i(n) depend on how many threads n are
// there, so that the network has a product form; its normalising constants (Convolution.h)
// give what arrives at lock i while n threads are there,
//   l_i(n) = v_i G_without_i(N-n-1) / G_without_i(N-n),
// and the lock by itself (IsolatedStation.h), with these arrivals, gives nu_i anew, its true
// departures: a QD lock's helper leaves together with the last whom it helped. Iterated with
// nu <- sqrt(nu nu'), with c2 between 1/2 and 1, where it converges, until no l moves by more
// than 1e-4; the true c2 comes in when the locks are put together.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMarie(const ClosedNetwork &network,
                                               const std::vector<int> &threads);

} // namespace qdadvise
