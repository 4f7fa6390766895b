// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions, and simulations, as text and as JSON.
#pragma once

#include "advisor/decide/OptimisticRuns.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/support/TextStyle.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// All that `qdadvise predict` and `qdadvise simulate` say: per algorithm one prediction for every
/// number of threads.
struct PredictOutput {
  std::string source;  ///< what was predicted: file names
  std::string machine; ///< which machine, and whether measured
  int cores = 0;
  std::vector<std::string> lockNames;
  std::vector<std::string> classNames; ///< thread classes, where they are predicted
  std::vector<std::string> kinds;
  std::vector<std::vector<Prediction>> predictions;    ///< by kind, by number of threads
  std::vector<std::vector<FigureIntervals>> intervals; ///< alike
  /// Alike, by lock; empty without a diagnosis run, and none of locks that it has not traced.
  std::vector<std::vector<std::vector<std::optional<PredictedOptimism>>>> optimism;
  bool simulated = false;
  std::vector<std::string> notes;
  std::optional<Run> run;               ///< as it was recorded
  std::vector<double> recordedSpeedups; ///< by kind, where there is a run: with its threads
};

/// A table for the program and one per lock, at most 80 columns wide.
std::string predictText(const PredictOutput &output, const TextStyle &style);
/// The schema of `docs/formats.md`.
std::string predictJson(const PredictOutput &output);

} // namespace qdadvise
