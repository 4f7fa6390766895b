// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of a program before and after a change, beside what was predicted.
#pragma once

#include "advisor/verify/MedianInterval.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// A predicted gain, 95 % interval.
struct PredictedGain {
  double ratio = 1, low = 1, high = 1;
};

/// Runs with one number of threads.
struct VerifiedThreads {
  int threads = 0;
  bool isPinned = false; ///< to as many processors as threads
  /// By pair of runs: seconds, or the program's own figure. Equally many, above 0.
  std::vector<double> before, after;
  std::optional<PredictedGain> predicted;
};

struct Verification {
  std::string host;
  int processors = 0;
  bool isOwnFigure = false; ///< what the program prints; else the time of the whole run
  bool isRate = false;      ///< more is better
  std::vector<VerifiedThreads> measured;
  std::vector<int> beyond;        ///< threads that there are no processors for: not measured
  std::vector<std::string> notes; ///< on the predictions, for people
};

/// How many times as fast it is after the change: the median of the pairs' ratios.
MedianInterval gainOf(const VerifiedThreads &threads, bool isRate);

enum class Fit { agrees, measuredMore, measuredLess };
/// They agree where the intervals have a value in common.
Fit fitOf(const MedianInterval &measured, const PredictedGain &predicted);

/// Slower after the change, in 95 % of all cases at least.
bool isLoss(const MedianInterval &gain);
/// Is it one with any number of threads?
bool isLoss(const Verification &verification);

} // namespace qdadvise
