// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Markov chain of the whole network, for few threads (docs/theory/markov.md, equations (MK2) to
// (MK6)). It is exact for times that are made of phases (PhaseType.h), with the routing as it is. A
// state says of every thread before which lock it computes, or at which lock it waits or is in
// service, and in which phase. Locks serve as in IsolatedStation.h. Threads are alike. Gauss and
// Seidel's iteration with aggregation of the phases finds the stationary distribution (Stewart,
// Introduction to the Numerical Solution of Markov Chains, 1994).
//
// m phases cannot vary less than c2 = 1/m. A smaller c2 is extrapolated (Richardson) from c2 + (1/m
// - c2) and c2 + 2 (1/m - c2) (MK4). If no time varies at all, the truth is a rhythm, and phases
// come nowhere near it. Then a state has the time that is left of every operation and computation,
// and only the routing is random (MK5).
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

inline constexpr int mostMarkovThreads = 4;

/// Fails if the machine description lacks a figure, if there are more threads or too many states,
/// if the routing is not known (several thread classes, nested sections), and for locks that cannot
/// be solved by themselves (pthread_mutex).
Expected<std::vector<NetworkState>> solveMarkov(const ClosedNetwork &network,
                                                const std::vector<int> &threads);

} // namespace qdadvise
