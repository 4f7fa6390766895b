// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of Pan, Klaftenegger and Jonsson, Forecasting lock contention before adopting
// another lock algorithm (MASCOTS 2015), section IV, for networks of QD locks
// (docs/theory/papers.md). There is one helper thread h in the whole network, and N - 1 others.
// Service at lock i is s_i + LO for the helper and s_i + DO(k_i)/k_i for the others (PAP1). After
// lock i the helper is delayed by k_i s_i (PAP2), where k_i is the mean number of others at the
// lock: a fixpoint. Inside it there is exact mean value analysis of two classes (PAP3):
//   R_c,i(h, n) = S_c,i (1 + Q_h,i + Q_n,i), both with one thread of class c less.
// The paper's text allows two readings of the helper's delay. This is the one without DO, as
// section IV-B prints it. Holding times are exponential, whatever their cv, and every thread has a
// core.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMascots2015(const ClosedNetwork &network,
                                                     const std::vector<int> &threads);

} // namespace qdadvise
