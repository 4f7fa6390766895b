// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a machine, and the costs by number of threads that follow from them. Times in
// nanoseconds.
#pragma once

#include "advisor/machine/Processors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// A measured, published or assumed figure; `spread` is how much it varies.
struct Figure {
  double value = 0;
  std::optional<double> spread;
  std::string source; ///< "" where it is the machine's
};

/// A figure that depends on the number of threads (or lines).
struct Curve {
  std::vector<std::pair<double, double>> rows; ///< (number, value), ascending
  std::vector<double> spread;                  ///< per row, or empty
  std::string source;                          ///< as Figure::source
};

/// A cost by number of threads that is fast to compute, without a search in tables of figures.
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

/// The mean time to get a cache line that one of several threads had last.
struct LineTransfer {
  double sameSocketNs = 0, crossSocketNs = 0;
  int cores = 0, sockets = 1, threadsPerCore = 1; ///< as in Machine
  ThreadPlacement placement = ThreadPlacement::spread;
  /// How many transfers it takes to read a line of another core and then to write it: two, or fewer
  /// where a read may get it alone (SIM15).
  double readAndWrite = 2;

  /// The asking thread is one of the `threads`. There is one thread a processor, as they are
  /// placed.
  double operator()(double threads) const { return elsewhere(threads) * fromOther(threads); }
  /// The probability that a thread on another core had the line last, where each is as likely.
  double elsewhere(double threads) const;
  /// The time to get the line from another core.
  double fromOther(double threads) const;
  /// The same, over what it is, where the other thread is of the same socket with that probability
  /// beyond chance (LN6).
  double nearer(double threads, double nearby) const {
    return 1 - nearby + nearby / spread(threads);
  }
  /// The time from one of the `threads` to another, over that within one socket.
  double spread(double threads) const;
  /// How many of the threads run beside another one on their core.
  double besideOthers(double threads) const { return siblings(present(threads)); }
  /// How many threads run on as many cores as these where costs were measured, which gives a core
  /// to each thread before any is shared.
  double alikeMeasured(double threads) const;
  /// The same where costs by number of threads were measured: one socket is filled after the other.
  LineTransfer asMeasured() const {
    LineTransfer result = *this;
    result.placement = ThreadPlacement::sockets;
    return result;
  }

private:
  double present(double threads) const;
  double siblings(double present) const;
  double pairsInOneSocket(double present) const;
};

/// The costs of one lock algorithm. There are no defaults: an equation that needs a missing figure
/// names it (`Machine::require`).
struct KindCosts {
  std::map<std::string, Figure> figures; ///< by key, e.g. lock_overhead_ns
  std::map<std::string, Curve> curves;   ///< by key, e.g. delegation_overhead_ns

  /// DO(k), with k threads waiting. It is linear between the rows and beyond, and never falls
  /// beyond the last. Below the first row, and everywhere where there is one row only, it is
  /// proportional to k, so that DO(k)/k, the cost of one delegated operation, stays finite and
  /// above zero. 0 where there is no row or k <= 0.
  double delegationOverhead(double k) const { return delegationCurve()(k); }
  CostCurve delegationCurve() const;

  /// What taking the lock costs beside the section itself, with j threads at the lock, including
  /// the one in the section. It is LO for j <= 1; else `handover_ns`, a number or rows of (j, ns),
  /// linear from (1, LO) over the rows and beyond, never falling beyond the last; else LO + c (j -
  /// 1)/2 with c = `handover_per_waiter_ns` (Boyd-Wickizer et al. 2012). 0 where nothing is known.
  /// It applies after sections that last longer than the traffic of the handoff before them.
  CostCurve handoffCurve() const;
  /// How long such sections last with j threads at the lock.
  static double longSectionNs(double j) { return 250 * std::max(4.0, j); }
  /// The same after sections that are shorter than the traffic of a handoff, `handover_short_ns`. 0
  /// everywhere where nothing is known.
  CostCurve shortHandoffCurve() const;
};

/// One row of the wake-up table: how long the sleeper slept since its call, its latency, and the
/// waker's cost.
struct WakeupCost {
  double sleptNs = 0, latencyNs = 0, wakerNs = 0;
  /// Latency and cost are at most this far from the means, and all values in between are as likely.
  /// None is below zero.
  double latencyHalfNs = 0, wakerHalfNs = 0;
};

} // namespace qdadvise
