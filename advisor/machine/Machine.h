// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lock algorithms cost on one machine (`machine.toml`). Times in nanoseconds.
#pragma once

#include "advisor/machine/KindCosts.h"
#include "advisor/machine/Processors.h"
#include "advisor/support/Error.h"
#include "runtime/abi/lock_algorithms.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

struct Machine {
  std::string name, cpu, source, reference, date; ///< date as YYYY-MM-DD, or ""
  int cores = 0; ///< processors that threads can run on, hardware threads of one core included
  int sockets = 1;
  int threadsPerCore = 1;
  ThreadPlacement placement = ThreadPlacement::spread;
  std::map<std::string, Figure> timer, line, scheduler; ///< by key as in the file
  Curve movedLines, chainedLines; ///< [line] moved_ns, chained_ns, by number of lines; may be empty
  std::vector<WakeupCost> wakeup; ///< ascending in sleptNs
  std::vector<std::pair<double, double>> wakeupSpread; ///< of latency and cost by row, or empty
  std::string wakeupSource;                            ///< as Figure::source
  std::map<LockKind, KindCosts> kinds;
  std::map<std::string, KindCosts> unknownKinds; ///< of algorithms that are not in the table

  Processors processors() const { return {cores, sockets, threadsPerCore}; }
  /// The first `count` processors of this machine, which are fewer. Sockets keep their size, so
  /// that there may be fewer of them, too.
  Machine withProcessors(int count) const;

  /// Whether this was measured on a machine with so many processors of this model, as its `cpu`.
  bool isMeasuredOn(const std::string &model, int processors) const {
    return source == "measured" && cpu == model && cores == processors;
  }

  /// All of them, by name.
  std::map<std::string, const KindCosts *> kindsByName() const;
  /// The figure `kind.KIND.KEY` (of a curve, the first row's), or an error that names the figure
  /// and this machine.
  Expected<double> require(LockKind kind, const std::string &key) const;
  /// The algorithm's costs, if they have what KindCosts::handoffCurve needs.
  Expected<KindCosts> requireHandoff(LockKind kind) const;
  /// The same for [scheduler]. For the table `wakeup_ns` it is the latency in the first row.
  Expected<double> requireScheduler(const std::string &key) const;
  /// One turn of a loop that waits, with the processor's pause or with a `sched_yield` that no
  /// thread takes up. Where they are not known, they are those of current processors.
  double pauseNs() const;
  double yieldNs() const;
  /// How much longer computation takes while another thread of the core computes:
  /// `shared_core_factor`, or 1.5.
  double sharedCoreFactor() const;
  /// How many of so many threads run beside another one on their core.
  double threadsBesideOthers(double threads) const;
  /// 0 where [line] lacks the figures.
  LineTransfer lineTransfer() const;
  double lineTransferNs(int threads) const { return lineTransfer()(threads); }
  /// From one copy of a line, or one of several lines, to the next: `copy_interval_ns`, else a
  /// quarter of a transfer.
  double copyIntervalNs() const;
  /// How much longer it takes to read and write so many lines if a core of the same socket wrote
  /// them last: `moved_ns`; or a transfer, and the others as soon after it as lines follow.
  CostCurve movedLinesNs() const;
  /// The same for lines each of which says where the next one is: `chained_ns`, or such transfers.
  CostCurve chainedLinesNs() const;
  /// The latency and the waker's cost after sleeping `sleptNs`, and how far they spread. They are
  /// linear in log(slept) between rows, constant beyond, and 0 where the table is empty.
  WakeupCost wakeupAfter(double sleptNs) const;
};

/// The share of a line's transfer that passes until who has the line knows of the request. Assumed
/// (SIM8).
inline constexpr double requestShare = 0.4;

/// The origins of a machine's figures.
inline constexpr const char *measured = "measured";
inline constexpr const char *published = "published";
inline constexpr const char *assumed = "assumed";

} // namespace qdadvise
