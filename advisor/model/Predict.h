// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts a network on a machine, for any number of threads and any lock algorithms.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/Prediction.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/network/KindChoice.h"
#include "advisor/support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace qdadvise {

/// A row of the table of models, for `--model`.
struct PredictionModel {
  const char *name;
  std::vector<LockKind> kinds; ///< the lock algorithms that it is for; none: all
  NetworkMethod method;
  const char *summary;
  /// Solves several thread classes. None: they divide the waiting time of the mean class.
  ClassMethod classMethod = nullptr;
};
/// The models. The first row that fits an algorithm and a method gives a prediction its name.
const std::vector<PredictionModel> &predictionModels();

/// A delegating lock of the virtual multicore delegates hardly any of shorter sections, which the
/// models do not know (docs/theory/qd-lock.md).
inline constexpr double shortestDelegatedNs = 5;

class StartingPoints;

/// A number of cores with which threads share none: `cores` of a prediction that ignores them.
inline constexpr int coreForEveryThread = 1 << 20;

struct PredictOptions {
  int cores = 0; ///< 0: those of the machine
  /// "auto", or a row of the table of models. `recursion` is the fastest one for any locks.
  std::string model = "auto";
  /// "auto" takes the most accurate method that needs no more processor time than this. It may take
  /// three times as much if the next best method is less accurate (MethodCosts).
  double timeBudgetNs = 0.3e9;
  /// Threads share cores even if all locks are ideal, which then stand for code without a lock.
  bool coresAlways = false;
  /// Else `speedup` is 0: it takes a solution with one thread.
  bool withSpeedup = true;
  /// For predictTraffic with networks that hardly differ, the same algorithms, and a core for every
  /// thread. The iterations of the first prediction came to rest at these points. Those of the
  /// others, which may run at the same time, begin there. Null: each begins by itself.
  std::shared_ptr<StartingPoints> startingPoints = nullptr;
};

/// Starting points of no network yet.
std::shared_ptr<StartingPoints> makeStartingPoints();

/// Predicts with algorithm `kinds[i]` at lock i. `threads` >= 1 are the scaling threads.
Expected<Prediction> predict(const Network &network, const std::vector<LockKind> &kinds,
                             const Machine &machine, int threads,
                             const PredictOptions &options = {});

/// Predicts for several numbers of threads, which share work.
Expected<std::vector<Prediction>> predictSweep(const Network &network, const KindChoice &kind,
                                               const Machine &machine,
                                               const std::vector<int> &threads,
                                               const PredictOptions &options = {});

struct Traffic;

/// Predicts with algorithm `kinds[i]` at lock i, and with this traffic instead of what the
/// network's routing implies. Network and traffic must be valid: nothing is checked.
Expected<std::vector<Prediction>>
predictTraffic(const Network &network, const std::vector<Traffic> &traffic,
               const std::vector<LockKind> &kinds, const Machine &machine,
               const std::vector<int> &threads, const PredictOptions &options = {});

} // namespace qdadvise
