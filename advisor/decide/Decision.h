// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From predictions to a decision per lock. The objective is the whole program's
// throughput at the target number of threads; docs/advice.md says how it is decided.
#pragma once

#include "advisor/decide/Search.h"
#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

struct DecisionOptions {
  int threads = 0; ///< target; >= 1
  /// A decision predicts hundreds of times.
  PredictOptions predict{0, "auto", 10e6};
  /// Algorithms to choose from; empty: those of LockAlgorithm::onMenu that the machine has the
  /// figures of, without those in line where threads share cores.
  std::vector<std::string> menu;
  MinimumGains minimumGains = usualMinimumGains;
  /// Called now and then: which share of the work is done, as far as that is known.
  std::function<void(double done, const std::string &what)> progress = {};
};

/// What one lock should be. All its figures have the other locks as they are advised, so
/// that they hold for the program which follows the advice; `today` in Decisions has none.
struct LockDecision {
  std::size_t lock = 0;
  std::string today; ///< algorithm the program uses, which may be none of the table
  std::string advised;
  bool keep = true; ///< advised == today
  int threads = 0;
  /// Whole program's throughput with this change over that without it; 1 for keep.
  double speedup = 1, low = 1, high = 1;
  struct Alternative {
    std::string kind;
    LockPrediction prediction;
    double speedup = 1; ///< throughput over that with today's algorithm here
  };
  std::vector<Alternative> alternatives; ///< today's first, then the menu's
  std::vector<std::string> reasons;      ///< for people, most important first
  std::vector<std::string> obstacles;    ///< why the change needs work at some section
};

struct Decisions {
  std::vector<LockDecision> locks;     ///< by lock of the network
  std::vector<std::string> kindsToday; ///< by lock; a stand-in where there is no model
  Prediction today, advised;           ///< the whole program
  GainInterval together;               ///< all changes at once
  std::vector<std::string> notes;      ///< what the reader must know of all figures
};

/// Fails on options out of range, an algorithm that is not in the table, and where
/// `predict` fails.
Expected<Decisions> decide(const Network &network, const Machine &machine,
                           const DecisionOptions &options);

} // namespace qdadvise
