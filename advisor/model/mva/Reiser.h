// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean value analysis for several thread classes whose holding times differ (Reiser 1979;
// docs/theory/classes.md, equation (CL4)): the full recursion over all populations, up to N_c
// threads of each class c. It is exact if all classes hold a lock for the same exponential time
// (Reiser and Lavenberg 1980).
#pragma once

#include "advisor/model/workload/ClassNetwork.h"

#include <cstddef>

namespace qdadvise {

/// How many populations the recursion has. 0 if there are more than a million, or if a number of
/// threads is not whole.
std::size_t reiserPopulations(const std::vector<double> &threads);

/// Uses Linearizer if there are too many populations.
std::vector<ClassState> solveReiser(const ClassNetwork &network);

} // namespace qdadvise
