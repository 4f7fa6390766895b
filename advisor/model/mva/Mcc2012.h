// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of Pan, Linden and Jonsson, Predicting the cost of lock contention in parallel
// applications on multicores using analytic modeling (MCC 2012), section 4: exact mean value
// analysis in which every lock is a single server. Its service is the holding time and a constant
// lock overhead (section 5.1.1), contended or not (docs/theory/papers.md, equation (PAP4)). Holding
// times are exponential, whatever their cv, and every thread has a core.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

Expected<std::vector<NetworkState>> solveMcc2012(const ClosedNetwork &network,
                                                 const std::vector<int> &threads);

} // namespace qdadvise
