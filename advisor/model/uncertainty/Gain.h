// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gain of other lock algorithms, with an interval (docs/theory/uncertainty.md, equations (UNC9)
// and (UNC10)).
#pragma once

#include "advisor/model/Predict.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// The throughput with algorithms `to` divided by that with `from`. The 95 % interval comes from
/// the profile's sampling error (delta method) and from the known errors of the models.
struct GainInterval {
  double ratio = 1, low = 1, high = 1;
  /// The gain is less than this in one of four cases (UNC10). Most errors of the models are far
  /// smaller than those that the 95 % interval has to cover.
  double lowerQuartile = 1;
  /// False if one of the throughputs is only a bound (`worstCase`), from which no gain follows, or
  /// `impossible`.
  bool known = true;
};
/// Makes another network with the same locks, sections, transitions and routing.
using NetworkChange = std::function<Network(const Network &)>;
/// The gain of algorithms `to` instead of `from`. A `change` of the network is made together with
/// them.
Expected<GainInterval> throughputGain(const Network &network, const std::vector<LockKind> &from,
                                      const std::vector<LockKind> &to, const Machine &machine,
                                      int threads, const PredictOptions &options = {},
                                      const NetworkChange &change = {});

} // namespace qdadvise
