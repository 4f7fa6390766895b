// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lock algorithms cost on one machine (`machine.toml`). Times in nanoseconds.
#pragma once

#include "advisor/machine/KindCosts.h"
#include "advisor/support/Error.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct Machine {
  std::string name, cpu, source, reference, date; ///< date as YYYY-MM-DD, or ""
  int cores = 0;
  int sockets = 1;
  std::map<std::string, Figure> timer, line, scheduler; ///< by key as in the file
  Curve movedLines, chainedLines; ///< [line] moved_ns, chained_ns, by number of lines; or no rows
  std::vector<WakeupCost> wakeup; ///< ascending in sleptNs
  std::vector<std::pair<double, double>> wakeupSpread; ///< of latency and cost per row, or empty
  std::string wakeupSource;                            ///< as Figure::source
  std::map<std::string, KindCosts> kinds;

  /// The figure `kind.KIND.KEY` (of rows, the first one's), or an error that names it and
  /// this machine.
  Expected<double> require(const std::string &kind, const std::string &key) const;
  /// The algorithm's costs, if they have what KindCosts::handover needs.
  Expected<KindCosts> requireHandover(const std::string &kind) const;
  /// As above for [scheduler]. Of `wakeup_ns`, a table, the latency in its first row.
  Expected<double> requireScheduler(const std::string &key) const;
  /// One turn of a loop that waits: the processor's pause; a `sched_yield` with nobody there. Those
  /// of current processors where they are not known.
  double pauseNs() const;
  double yieldNs() const;
  /// 0 where [line] lacks the figures.
  LineTransfer lineTransfer() const;
  double lineTransferNs(int threads) const { return lineTransfer()(threads); }
  /// What it takes longer to read and write so many lines that a core of the same socket wrote
  /// last: `moved_ns`, or one transfer after the other.
  CostCurve movedLinesNs() const;
  /// The same of lines each of which says where the next one is: `chained_ns`, or such transfers.
  CostCurve chainedLinesNs() const;
  /// Latency and waker's cost after sleeping `sleptNs`, and how far they spread: linear in
  /// log(slept) between rows, constant beyond; zeros where the table is empty.
  WakeupCost wakeupAfter(double sleptNs) const;
};

/// The origins of a machine's figures.
inline constexpr const char *measured = "measured";
inline constexpr const char *published = "published";
inline constexpr const char *assumed = "assumed";

} // namespace qdadvise
