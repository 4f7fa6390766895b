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

/// The waiting time is scored where the simulated one is at least this share of the
/// holding time: next to nothing is hard to miss by little, and does not matter. Where it is
/// chance, nothing of the lock is scored.
inline constexpr double scoredWaitShare = 0.02;
bool waitIsScored(const Simulated::Lock &lock);

/// Relative errors |predicted / simulated - 1|.
class Errors {
public:
  void add(double predicted, double simulated);
  std::size_t count() const { return values.size(); }
  double mean() const;
  /// The smallest error that a share of all does not exceed; `share` in (0, 1].
  double percentile(double share) const;
  /// Median of predicted / simulated - 1: which way they err.
  double bias() const;

private:
  std::vector<double> values; ///< with their signs
};

/// A region of the table: a share of the cases, or of the locks in them.
struct Region {
  const char *name;
  /// `lock` is none for the whole program's figures.
  bool (*has)(const Scored &scored, const Simulated::Lock *lock);
  bool isOfCases = true; ///< whatever the machine and what was simulated
};
const std::vector<Region> &regions();
/// Without the dash of those that are part of the one above.
std::string nameOf(const Region &region);
bool isIn(const Region &region, const Case &one); ///< of a region of cases

/// What would have been lost by following the predictions: one minus the simulated
/// throughput with the algorithm predicted to be best over that with the best one. The same
/// algorithm at all locks; `ideal` is no choice.
struct Regret {
  const Case *which = nullptr;
  std::string machine, advised, best;
  double lost = 0;
  std::map<std::string, double> simulatedPerS; ///< by algorithm
};
/// For every case and machine with at least two algorithms to choose from, by the first model.
std::vector<Regret> regretsOf(const std::vector<Scored> &scored);

/// All tables, as Markdown.
std::string printScores(const std::vector<Scored> &scored);
/// The largest errors of W and the costliest decisions, by name of the case: for developing.
std::string printWorst(const std::vector<Scored> &scored, std::size_t count);

} // namespace qdadvise::accuracy
