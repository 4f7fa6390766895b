// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interval for every figure of a prediction: what the profile's sampling error makes of
// it (SamplingError.h), and the models' own error (ModelError.h).
#pragma once

#include "advisor/model/Predict.h"

#include <string>
#include <vector>

namespace qdadvise {

/// 95 % intervals of the figures of the same names.
struct Interval {
  double low = 0, high = 0;
};
struct LockIntervals {
  Interval waitNs, queueLength, utilization, contentionRate;
};
struct FigureIntervals {
  Interval throughputPerS, speedup;
  std::vector<LockIntervals> locks; ///< by lock of the network
};

/// For the predictions of one sweep, ascending by threads, as `predict` made them with algorithm
/// `kinds[i]` at lock i. Symmetric in the logarithm: no figure is negative. Shares end at 1.
Expected<std::vector<FigureIntervals>> confidenceIntervals(const Network &network,
                                                           const std::vector<std::string> &kinds,
                                                           const Machine &machine,
                                                           const std::vector<Prediction> &sweep,
                                                           const PredictOptions &options = {});

} // namespace qdadvise
