// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalising constants of closed product-form networks (Buzen 1973; Reiser and Kobayashi
// 1976): G = F_1 * F_2 * ..., with F_i(n) = prod over k = 1 ... n of v_i / nu_i(k), v_i the
// visits to station i and nu_i(k) its completions per nanosecond with k threads present;
// Z^n/n! for a delay of Z. Throughput with n threads is G(n-1)/G(n). Kept as logarithms:
// for thousands of threads no double holds their range.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// ln F(n) or ln G(n), n = 0 ... N. Minus infinity: a probability of zero.
using LogConstants = std::vector<double>;

/// Of a lock with `completions`[n], n = 0 ... N. Of those there, some are inside an outer
/// section and count as being at that lock only: with n others there are more in all.
LogConstants lockConstants(const LockStation &lock, const std::vector<double> &completions);
LogConstants delayConstants(double meanNs, int threads);
/// Of `count` >= 0 alike stations.
LogConstants power(const LogConstants &one, double count);
LogConstants convolve(const LogConstants &a, const LogConstants &b);

/// For each of several stations, the network of all the others and of `common`.
std::vector<LogConstants> complements(const LogConstants &common,
                                      const std::vector<LogConstants> &stations,
                                      const std::vector<double> &counts);

/// X(n), n = 0 ... N, in cycles per nanosecond.
std::vector<double> throughputs(const LogConstants &network);

/// Locks with exponential service, whatever their cv. Exact for those that serve one after
/// the other, at a rate that may depend on how many are there.
Expected<std::vector<NetworkState>> solveConvolution(const ClosedNetwork &network,
                                                     const std::vector<int> &threads);

} // namespace qdadvise
