// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts a network on a machine, for any number of threads and any lock algorithms.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/Prediction.h"
#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace qdadvise {

/// A row of the table of models, for `--model`.
struct PredictionModel {
  const char *name;
  std::vector<std::string> kinds; ///< the lock algorithms it is for; none: all
  NetworkMethod method;
  const char *summary;
  /// Of several thread classes. None: they divide the waiting of `method`'s mean class.
  ClassMethod classMethod = nullptr;
};
/// In which the first that fits an algorithm and a method has its name.
const std::vector<PredictionModel> &predictionModels();

class StartingPoints;

struct PredictOptions {
  int cores = 0; ///< 0: the machine's
  /// "auto", or a row of the table of models. `recursion` is the fastest for any locks.
  std::string model = "auto";
  /// "auto" takes the most accurate method that needs no more processor time than this, or up
  /// to three times as much where that is the next best.
  double timeBudgetNs = 0.3e9;
  /// Cores are shared even where all locks are ideal: these stand for code without a lock then.
  bool coresAlways = false;
  /// For predictions of networks that hardly differ, with the same algorithms and a core for every
  /// thread: where the first one's iterations came to rest the others begin, several at a time if
  /// need be. Null: each by itself. For predictTraffic.
  std::shared_ptr<StartingPoints> startingPoints = nullptr;
};

/// An empty one.
std::shared_ptr<StartingPoints> makeStartingPoints();

/// Predicts with algorithm `kinds[i]` at lock i. `threads` >= 1 are the scaling threads.
Expected<Prediction> predict(const Network &network, const std::vector<std::string> &kinds,
                             const Machine &machine, int threads,
                             const PredictOptions &options = {});

/// The same algorithm at every lock, for several numbers of threads (shares the work).
Expected<std::vector<Prediction>> predictSweep(const Network &network, const std::string &kind,
                                               const Machine &machine,
                                               const std::vector<int> &threads,
                                               const PredictOptions &options = {});

struct Traffic;

/// Algorithm `kinds[i]` at lock i, and threads of this traffic instead of what the network's
/// routing implies. Both must be valid: nothing is checked.
Expected<std::vector<Prediction>>
predictTraffic(const Network &network, const std::vector<Traffic> &traffic,
               const std::vector<std::string> &kinds, const Machine &machine,
               const std::vector<int> &threads, const PredictOptions &options = {});

} // namespace qdadvise
