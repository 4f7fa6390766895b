// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An interval for every figure of a prediction, from the profile's sampling error (SamplingError.h)
// and the models' own error (ModelError.h; docs/theory/uncertainty.md, equations (UNC1) and
// (UNC11)).
#pragma once

#include "advisor/model/Predict.h"

#include <string>
#include <vector>

namespace qdadvise {

inline constexpr double deviations95 = 1.96; ///< 95 % of a normal distribution lie within so many

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

/// The intervals of one sweep's predictions, ascending by threads, which `predict` made with
/// algorithm `kinds[i]` at lock i. They are symmetric in the logarithm, so that no figure is
/// negative. Shares are at most 1.
Expected<std::vector<FigureIntervals>> confidenceIntervals(const Network &network,
                                                           const std::vector<LockKind> &kinds,
                                                           const Machine &machine,
                                                           const std::vector<Prediction> &sweep,
                                                           const PredictOptions &options = {});

/// The intervals of a prediction that has phases, from those of each. Their errors are taken to be
/// the same in all (RPH5).
FigureIntervals overPhases(const Network &network, const Prediction &prediction,
                           const std::vector<FigureIntervals> &phases);

} // namespace qdadvise
