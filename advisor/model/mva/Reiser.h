// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean value analysis for several classes of threads whose holding times differ (Reiser
// 1979): the full recursion over all populations, up to N_c threads of each class c. Exact
// where all classes hold a lock for the same exponential time (Reiser and Lavenberg 1980).
#pragma once

#include "advisor/model/workload/ClassNetwork.h"

#include <cstddef>

namespace qdadvise {

/// How many populations there are to go through; 0: where threads are no whole numbers, or
/// there are more than a million.
std::size_t reiserPopulations(const std::vector<double> &threads);

/// By Linearizer where there are none.
std::vector<ClassState> solveReiser(const ClassNetwork &network);

} // namespace qdadvise
