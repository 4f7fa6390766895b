// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalising constants of closed product-form networks (Buzen 1973; Reiser and Kobayashi 1976;
// docs/theory/decomposition.md, equation (DEC4)): G = F_1 * F_2 * ..., where F_i(n) is the product
// of v_i / nu_i(k) over k = 1 ... n. v_i are the visits to station i, and nu_i(k) its completions
// per nanosecond with k threads present. A delay of Z has Z^n/n!. The throughput of n threads is
// G(n-1)/G(n). The constants are kept as logarithms: for thousands of threads their range is too
// large for doubles. No library has convolution on such a range.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <vector>

namespace qdadvise {

/// ln F(n) or ln G(n), n = 0 ... N. Minus infinity is a probability of zero.
using LogConstants = std::vector<double>;

/// The constants of a lock with `completions`[n], n = 0 ... N. Some of the threads there are inside
/// an outer section and count as being at that lock only. So with n others there are more in all.
LogConstants lockConstants(const LockStation &lock, const std::vector<double> &completions);
LogConstants delayConstants(double meanNs, int threads);
/// The constants of `count` >= 0 stations that are alike.
LogConstants power(const LogConstants &one, double count);
LogConstants convolve(const LogConstants &a, const LogConstants &b);

/// For each of several stations, the constants of `common` and all other stations.
std::vector<LogConstants> complements(const LogConstants &common,
                                      const std::vector<LogConstants> &stations,
                                      const std::vector<double> &counts);

/// X(n), n = 0 ... N, in cycles per nanosecond.
std::vector<double> throughputs(const LogConstants &network);

/// Solves locks with exponential service, whatever their cv. It is exact for locks that serve one
/// thread after the other, at a rate that may depend on the number of threads there.
Expected<std::vector<NetworkState>> solveConvolution(const ClosedNetwork &network,
                                                     const std::vector<int> &threads);

} // namespace qdadvise
