// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The delta method: how the sampling error of a profile carries over to any figures
// that are computed from its network.
#pragma once

#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <functional>
#include <vector>

namespace qdadvise {

/// Figures of a network whose threads have this traffic, whatever its routing implies; always
/// as many, in the same order. Called by several threads at a time, but for the first time. Solvers
/// know routing and local times as traffic only: so few numbers have to be varied, however many
/// transitions there are.
using Figures = std::function<Expected<std::vector<double>>(const Network &network,
                                                            const std::vector<Traffic> &traffic)>;

struct SamplingOptions {
  /// By figure: of a throughput (or a ratio of two) how many times that of one thread it is (the
  /// greater is); 0, or none said: it is something else. While a section is run, at most all
  /// threads stand still, so an error in what takes a small share of a run moves a throughput
  /// little, whatever a method's gradient says.
  std::vector<double> speedups;
  /// What is left alone may move a figure by this much (a standard deviation, relative), all
  /// together, and is taken to: a profile has hundreds of rare sections. Only where all figures
  /// are throughputs. 0: nothing is left alone.
  double negligible = 0;
};

/// Of each figure its relative variance, from the variances of means (c² mean² / samples) and
/// of routing probabilities (multinomial), by gradients in central differences. What has no
/// samples has no error. A figure that is 0 has none.
Expected<std::vector<double>> samplingVariances(const Network &network, const Figures &figures,
                                                const SamplingOptions &options = {});

/// Whether anything in the network was sampled.
bool isSampled(const Network &network);

} // namespace qdadvise
