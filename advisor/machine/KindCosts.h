// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a machine, and what follows from them: costs by number of threads. Times in
// nanoseconds.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qdadvise {

/// A measured, published or assumed figure; `spread` is how much it varies.
struct Figure {
  double value = 0;
  std::optional<double> spread;
  std::string source; ///< where it differs from the machine's, else ""
};

/// A figure that depends on how many threads (or lines) there are: (number, value), ascending.
struct Curve {
  std::vector<std::pair<double, double>> rows;
  std::vector<double> spread; ///< per row, or empty
  std::string source;         ///< as Figure::source
};

/// A cost by number of threads, to be asked often: without a look at any table of figures.
class CostCurve {
public:
  CostCurve() = default; ///< 0 everywhere
  /// Through (number of threads, ns), ascending: linear between the rows and beyond, never
  /// falling beyond the last. Below the first row, and everywhere where there is one row only,
  /// `proportional` to the number of threads, or else constant.
  CostCurve(std::vector<std::pair<double, double>> rows, bool proportional);
  double operator()(double threads) const;

private:
  std::vector<std::pair<double, double>> rows;
  bool proportional = false;
};

/// Mean time to get a cache line that any of some threads had last.
struct LineTransfer {
  double sameSocketNs = 0, crossSocketNs = 0;
  int cores = 0, sockets = 1;

  /// The asking one is among the `threads`; one thread a core, socket by socket.
  double operator()(double threads) const { return elsewhere(threads) * fromOther(threads); }
  /// Where each of them is as likely to have had the line last: that it was one on another core,
  double elsewhere(double threads) const;
  /// and what it takes if it was.
  double fromOther(double threads) const;
  /// How much longer than on one socket it takes from one of the `threads` to another.
  double spread(double threads) const;
};

/// Each thread waits for a line of its own, so that a hand-over sets off little.
inline bool waitsApart(std::string_view kind) { return kind == "mcs" || kind == "clh"; }

/// Costs of one lock algorithm. A missing figure is missing: an equation that
/// needs it names it (`Machine::require`).
struct KindCosts {
  std::map<std::string, Figure> figures; ///< by key, e.g. lock_overhead_ns
  std::map<std::string, Curve> curves;   ///< by key, e.g. delegation_overhead_ns

  /// DO(k), k threads waiting: linear between the rows and beyond (never falling beyond the
  /// last); below the first row, and everywhere where there is one row only, proportional
  /// to k, which keeps DO(k)/k, the cost of one delegated operation, finite and above
  /// zero. 0 where there is no row or k <= 0.
  double delegationOverhead(double k) const { return delegationCurve()(k); }
  CostCurve delegationCurve() const;

  /// What taking the lock costs beside the section itself with j threads at the lock, the one
  /// in it included: LO for j <= 1; else `handover_ns`, a number or rows of (j, ns), linear
  /// from (1, LO) over the rows and beyond (never falling beyond the last); else LO + c (j - 1)/2
  /// with c = `handover_per_waiter_ns` (Boyd-Wickizer et al. 2012). 0 where nothing is known.
  /// That is after sections long enough for what the hand-over before has set off to be over.
  double handover(double j) const { return handoverCurve()(j); }
  CostCurve handoverCurve() const;
  /// How long these are with j threads there.
  static double longSectionNs(double j) { return 250 * std::max(4.0, j); }
  /// The same after sections that are shorter than what a hand-over sets off, `handover_short_ns`;
  /// 0 everywhere where nothing is known.
  CostCurve shortHandoverCurve() const;
};

/// One row of the wake-up table: how long the sleeper slept, from its call on, its latency, the
/// waker's cost.
struct WakeupCost {
  double sleptNs = 0, latencyNs = 0, wakerNs = 0;
  /// How far latency and cost are from these either way at most, everything in between as likely:
  /// half of them are within half of it, and none is below zero.
  double latencyHalfNs = 0, wakerHalfNs = 0;
};

} // namespace qdadvise
