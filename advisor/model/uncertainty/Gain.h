// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changing lock algorithms gains, with an interval.
#pragma once

#include "advisor/model/Predict.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// Throughput with algorithms `to` over throughput with `from`, with a 95 % interval
/// from the profile's sampling error (delta method) and the known error of the models.
struct GainInterval {
  double ratio = 1, low = 1, high = 1;
  /// Below this it is in one of four cases. Most of the models' errors are far smaller than those
  /// that the 95 % interval has to cover.
  double lowerQuartile = 1;
  /// False: one of the two throughputs is only a bound (`worstCase`), from which no gain follows.
  bool known = true;
};
/// Another network of the same locks, sections and transitions, and the same routing.
using NetworkChange = std::function<Network(const Network &)>;
/// With a `change`, it is made together with that of the algorithms.
Expected<GainInterval> throughputGain(const Network &network, const std::vector<std::string> &from,
                                      const std::vector<std::string> &to, const Machine &machine,
                                      int threads, const PredictOptions &options = {},
                                      const NetworkChange &change = {});

} // namespace qdadvise
