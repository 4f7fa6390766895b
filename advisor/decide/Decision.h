// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From predictions to a decision per lock. The objective is the whole program's
// throughput at the target number of threads; docs/theory/decisions.md says how it is decided.
#pragma once

#include "advisor/decide/Agreement.h"
#include "advisor/decide/Search.h"
#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

struct DecisionOptions {
  int threads = 0; ///< the number to advise for; >= 1
  /// A decision predicts hundreds of times: each prediction may take 10 ms.
  PredictOptions predict{0, "auto", 10e6};
  /// Algorithms to choose from; empty: those of LockAlgorithm::onMenu that the machine has the
  /// figures of, without those in line where threads share cores.
  std::vector<LockKind> menu;
  MinimumGains minimumGains = usualMinimumGains;
  /// Each recorded run by itself, where there are several: a change that half of them contradict is
  /// not advised.
  std::vector<Network> runs = {};
  /// Called now and then with the share of the work that is done, as far as that is known.
  std::function<void(double done, const std::string &what)> progress = {};
};

/// What one lock should be. Its figures assume that the other locks are as advised, so that they
/// hold for the program that follows the advice.
struct LockDecision {
  std::size_t lock = 0;
  GivenKind today; ///< what the program uses
  GivenKind advised;
  bool keep = true; ///< advised == today
  int threads = 0;
  /// Throughput of the whole program with this change over that without it; 1 for keep.
  double speedup = 1, low = 1, high = 1;
  struct Alternative {
    LockKind kind = LockKind::unknown;
    LockPrediction prediction;
    double speedup = 1; ///< throughput of the program over that with today's algorithm here
  };
  std::vector<Alternative> alternatives; ///< today's first, then the menu's
  Agreement agreement;                   ///< of the runs with this change, or one not advised
  std::vector<std::string> reasons;      ///< for people, most important first
  std::vector<std::string> obstacles;    ///< why the change needs work at some section
};

struct Decisions {
  std::vector<LockDecision> locks; ///< by lock of the network
  std::vector<LockKind>
      kindsToday;                 ///< by lock; another algorithm stands in where there is no model
  Prediction today, advised;      ///< the whole program
  GainInterval together;          ///< all changes at once
  std::vector<std::string> notes; ///< on all figures, for the reader
};

/// Fails on options out of range, an algorithm that is not in the table, and where
/// `predict` fails.
Expected<Decisions> decide(const Network &network, const Machine &machine,
                           const DecisionOptions &options);

} // namespace qdadvise
