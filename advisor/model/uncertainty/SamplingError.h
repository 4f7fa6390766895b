// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The delta method: the sampling errors of figures that are computed from a profile's network
// (docs/theory/uncertainty.md, equations (UNC2) to (UNC5)).
#pragma once

#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <functional>
#include <vector>

namespace qdadvise {

struct NetworkFigures {
  std::vector<double> values;
  /// The solver came to rest. Otherwise figures of networks that hardly differ differ by chance.
  bool settled = true;
};

/// Computes figures of a network whose threads have this traffic, whatever its routing implies.
/// There are always as many figures, in the same order. After the first call, several threads call
/// it at a time. Solvers know routing and local times only as traffic. So only few numbers have to
/// be varied, however many transitions there are.
using Figures = std::function<Expected<NetworkFigures>(const Network &network,
                                                       const std::vector<Traffic> &traffic)>;

struct SamplingOptions {
  /// By figure, for throughputs and ratios of two: how many times that of one thread it is (the
  /// greater one). 0, or no entry, for other figures. While a section runs, at most all threads
  /// stand still. So an error in something that takes a small share of a run moves a throughput
  /// little, whatever a method's gradient says (UNC5).
  std::vector<double> speedups;
  /// A profile has hundreds of rare sections. Parameters are left out that, all together, move a
  /// figure by this much (a standard deviation, relative); the variance counts them with that
  /// bound. Only if all figures are throughputs. 0: none is left out.
  double negligible = 0;
};

/// The relative variance of each figure, from the variances of means (c^2 mean^2 / samples) (UNC2)
/// and of routing probabilities (multinomial) (UNC4), by gradients in central differences.
/// Parameters without samples have no error, and figures that are 0 have none. Where the figures
/// did not settle there are no gradients, and all parameters count with the bound of those that are
/// left out.
Expected<std::vector<double>> samplingVariances(const Network &network, const Figures &figures,
                                                const SamplingOptions &options = {});

/// Whether anything in the network was sampled.
bool isSampled(const Network &network);

} // namespace qdadvise
