// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linearizer (Chandy and Neuse 1982): mean value analysis for several classes without the
// recursion over all smaller populations. What a class has at a station with one thread of
// class c less is taken to be in proportion to its threads, as by Schweitzer (1979), plus a
// correction:
//   B_k(N - 1_c) = (N_k - [k = c]) (B_k(N) / N_k + D_kc),
// D_kc being what that proportion changes by when the network is solved with N - 1_c threads.
// Threads need be no whole numbers.
#pragma once

#include "advisor/model/workload/ClassNetwork.h"

namespace qdadvise {

std::vector<ClassState> solveLinearizer(const ClassNetwork &network);
/// Without corrections.
std::vector<ClassState> solveSchweitzer(const ClassNetwork &network);

} // namespace qdadvise
