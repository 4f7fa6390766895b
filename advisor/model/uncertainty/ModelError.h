// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far predictions are from the truth where the network is known exactly: the models'
// own errors (docs/theory.md), which no larger sample makes smaller. Relative, one
// standard deviation.
#pragma once

#include "advisor/model/Prediction.h"
#include "advisor/network/Network.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// Of the throughput, from the models of the locks that count. A model errs about waiting: where
/// threads hardly wait, it hardly matters.
double throughputError(const Prediction &prediction, const std::vector<std::string> &kinds,
                       const std::function<bool(std::size_t lock)> &counts);

/// Where predictions err more than by the model of a lock alone: that much more, independently.
struct ErrorRegion {
  const char *name;
  /// `spinning`: at some locks that count, who waits has a core.
  bool (*has)(const Network &network, double population, int cores, bool spinning);
  double throughput, wait;
  /// With every algorithm another error; else what two predictions of one network have in common
  /// is not in their ratio.
  bool byAlgorithm;
};
const std::vector<ErrorRegion> &errorRegions();

/// Of the ratio of two throughputs that differ in algorithms, from the regions alone.
double gainError(const Network &network, double population, int cores, bool spinning);

/// Whether who waits for one of these locks keeps a core, and helps nobody.
bool spinsInVain(const std::string &kind);

/// Of one lock's figures, and the whole program's.
struct FigureErrors {
  double throughput = 0, wait = 0, queue = 0, contention = 0;
};

class ModelErrors {
public:
  /// `cores` as the prediction was made for.
  ModelErrors(const Network &network, const std::vector<std::string> &kinds, int cores,
              const Prediction &prediction);
  double ofThroughput() const { return throughput; }
  FigureErrors at(std::size_t lock) const;

private:
  const std::vector<std::string> &kinds;
  const Prediction &prediction;
  double throughput = 0, waitRegions = 0;
};

} // namespace qdadvise
