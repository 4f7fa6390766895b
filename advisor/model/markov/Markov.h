// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Markov chain of the whole network, for few threads: exact for times that are made of
// phases (PhaseType.h), with the routing as it is. A state says of every thread before which
// lock it computes and in which phase, or at which lock it waits or is in service, and in
// which phase; locks serve as in IsolatedStation.h. Threads are alike. The stationary
// distribution is found by Gauss and Seidel's iteration with aggregation of the phases (Stewart,
// Introduction to the Numerical Solution of Markov Chains, 1994).
//
// A time of less variation than m phases have, c2 < 1/m, is extrapolated (Richardson) from
// c2 + (1/m - c2) and c2 + 2 (1/m - c2). Where no time varies at all phases come nowhere near
// the truth, which is a rhythm: then a state has the time that is left of every operation and
// computation, and only the routing is random.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

inline constexpr int mostMarkovThreads = 4;

/// Fails, beside for figures that the machine description lacks, where there are more
/// threads or too many states, where the routing is not known (several classes of threads,
/// nested sections), and for locks that cannot be solved by themselves (pthread_mutex).
Expected<std::vector<NetworkState>> solveMarkov(const ClosedNetwork &network,
                                                const std::vector<int> &threads);

} // namespace qdadvise
