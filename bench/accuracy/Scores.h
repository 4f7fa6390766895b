// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far predictions are from simulations.
#pragma once

#include "advisor/model/Prediction.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Results.h"

#include <map>
#include <string>
#include <vector>

namespace qdadvise::accuracy {

/// One case on one machine, with the same algorithm at every lock, predicted by one model.
struct Scored {
  const Case *which = nullptr;
  std::string machine, kind, model;
  int cores = 0;
  Prediction predicted;
  Simulated simulated;
};

/// The waiting time is scored where the simulated one is at least this share of the holding time:
/// smaller ones have large relative errors that do not matter. A lock that is chance is not scored.
inline constexpr double scoredWaitShare = 0.02;
bool waitIsScored(const Simulated::Lock &lock);

/// Relative errors |predicted / simulated - 1|.
class Errors {
public:
  void add(double predicted, double simulated);
  std::size_t count() const { return values.size(); }
  double mean() const;
  /// The error that `share`, in (0, 1], of all errors do not exceed.
  double percentile(double share) const;
  /// The median of predicted / simulated - 1, which shows the direction of errors.
  double bias() const;

private:
  std::vector<double> values; ///< with their signs
};

/// A region of the table: a share of the cases, or of the locks in them.
struct Region {
  const char *name;
  /// `lock` is null for the figures of the whole program.
  bool (*has)(const Scored &scored, const Simulated::Lock *lock);
  bool isOfCases = true; ///< depends neither on the machine nor on simulated figures
};
const std::vector<Region> &regions();
/// The name without the dash that marks parts of the region above.
std::string nameOf(const Region &region);
bool isIn(const Region &region, const Case &one); ///< for a region of cases

/// What would have been lost by following the predictions: one minus the simulated throughput with
/// the algorithm that is predicted to be best, over that with the best one. All locks have the same
/// algorithm, which cannot be `ideal`.
struct Regret {
  const Case *which = nullptr;
  std::string machine, advised, best;
  double lost = 0;
  std::map<std::string, double> simulatedPerS; ///< by algorithm
};
/// The regrets of every case and machine with at least two algorithms to choose from, by the first
/// model.
std::vector<Regret> regretsOf(const std::vector<Scored> &scored);

} // namespace qdadvise::accuracy
