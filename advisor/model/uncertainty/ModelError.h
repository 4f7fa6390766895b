// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models' own errors (docs/theory/uncertainty.md, equations (UNC6) to (UNC8)): how far
// predictions are from the truth if the network is known exactly. A larger sample makes them no
// smaller. They are relative, one standard deviation.
#pragma once

#include "advisor/model/Prediction.h"
#include "advisor/network/Network.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// The error of the throughput from the models of those locks that count (UNC6). A model errs about
/// waiting: if threads hardly wait, its error hardly matters.
double throughputError(const Prediction &prediction, const std::vector<LockKind> &kinds,
                       const std::function<bool(std::size_t lock)> &counts);

/// What waiters do at some of the locks that count.
struct Waiters {
  bool spinInVain = false; ///< they keep a core without helping
  bool sleep = false;

  void add(LockKind kind);
};

/// A kind of network for which predictions err more than by the models of the locks alone. The
/// errors of several regions are independent.
struct ErrorRegion {
  const char *name;
  bool (*has)(const Network &network, double population, int cores, const Waiters &waiters);
  double throughput, wait;
  /// Whether the error differs between algorithms. If not, two predictions of one network have it
  /// in common, and it is not in their ratio.
  bool byAlgorithm;
};
const std::vector<ErrorRegion> &errorRegions();

/// The error of the ratio of two throughputs with different algorithms, from the regions alone.
double gainError(const Network &network, double population, int cores, const Waiters &waiters);

/// The errors of the figures of one lock, and of the program's throughput.
struct FigureErrors {
  double throughput = 0, wait = 0, queue = 0, contention = 0;
};

class ModelErrors {
public:
  /// `cores` is the number that the prediction was made for.
  ModelErrors(const Network &network, const std::vector<LockKind> &kinds, int cores,
              const Prediction &prediction);
  double ofThroughput() const { return throughput; }
  FigureErrors at(std::size_t lock) const;

private:
  const std::vector<LockKind> &kinds;
  const Prediction &prediction;
  double throughput = 0, waitRegions = 0;
};

} // namespace qdadvise
