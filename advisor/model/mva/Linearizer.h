// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linearizer (Chandy and Neuse 1982): mean value analysis for several thread classes without the
// recursion over all smaller populations (docs/theory/classes.md, equations (CL5) and (CL6)). With
// one thread of class c less, the work of a class at a station is taken to be proportional to its
// threads (Schweitzer 1979), with a correction:
//   B_k(N - 1_c) = (N_k - [k = c]) (B_k(N) / N_k + D_kc)
// D_kc is how much that proportion changes when the network is solved with N - 1_c threads. Numbers
// of threads need not be whole.
#pragma once

#include "advisor/model/workload/ClassNetwork.h"

namespace qdadvise {

std::vector<ClassState> solveLinearizer(const ClassNetwork &network);
/// Schweitzer's approximation: without corrections.
std::vector<ClassState> solveSchweitzer(const ClassNetwork &network);

} // namespace qdadvise
