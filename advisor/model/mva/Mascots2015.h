// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of Pan, Klaftenegger and Jonsson, Forecasting lock contention before adopting
// another lock algorithm (MASCOTS 2015), section IV, for networks of QD locks: one helper
// thread h in the whole network and N - 1 others. Service at lock i is s_i + LO for the
// helper and s_i + DO(k_i)/k_i for the others; after lock i the helper is delayed by
// k_i s_i, k_i being the mean number of others there: a fixpoint. Between, exact mean
// value analysis of two classes,
//   R_c,i(h, n) = S_c,i (1 + Q_h,i + Q_n,i), both with one thread of class c less.
// Of the two readings of the helper's delay this is the one without DO, as section IV-B
// prints it. Holding times are exponential, whatever their cv, and every thread has a core.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMascots2015(const ClosedNetwork &network,
                                                     const std::vector<int> &threads);

} // namespace qdadvise
