// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From predictions to a decision per lock.
#pragma once

#include "advisor/model/Prediction.h"

#include <string>
#include <vector>

namespace qdadvise {

struct DecisionOptions {
  int threads = 0; ///< target; >= 1
  PredictOptions predict;
  std::vector<std::string> menu; ///< algorithms to choose from; empty: all but `ideal`
  /// A change is advised only if its gain's lower bound exceeds 1 by this much.
  double minimumGain = 0.05;
};

/// What one lock should be.
struct LockDecision {
  std::size_t lock = 0;
  std::string today;  ///< algorithm the program uses
  std::string advised;
  bool keep = true;
  int threads = 0;
  double speedup = 1, low = 1, high = 1; ///< of the whole program, this lock's change alone
  /// The lock under today's and every algorithm of the menu, the other locks as they are today.
  struct Alternative {
    std::string kind;
    LockPrediction prediction;
    double speedup = 1; ///< throughput over today's
  };
  std::vector<Alternative> alternatives;
  std::vector<std::string> reasons;   ///< for people, most important first
  std::vector<std::string> obstacles; ///< why the change needs work at some section
};

struct Decisions {
  std::vector<LockDecision> locks;
  Prediction today, advised;             ///< the whole program
  GainInterval together;                 ///< all changes at once
  std::vector<std::string> notes;
};

Expected<Decisions> decide(const Network &network, const Machine &machine,
                           const DecisionOptions &options);

} // namespace qdadvise
