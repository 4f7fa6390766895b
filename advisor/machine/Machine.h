// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lock algorithms cost on one machine (`machine.toml`). Times in nanoseconds.
#pragma once

#include "advisor/support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// A measured, published or assumed figure; `spread` is the interquartile range.
struct Figure {
  double value = 0;
  std::optional<double> spread;
  std::string source; ///< where it differs from the machine's, else ""
};

/// Costs of one lock algorithm. A missing figure is missing: an equation that
/// needs it names it (`Machine::require`).
struct KindCosts {
  std::map<std::string, Figure> figures;                       ///< by key, e.g. lock_overhead_ns
  std::vector<std::pair<double, double>> delegationOverheadNs; ///< (k waiting threads, DO(k))

  /// DO(k): linear between the points and beyond; below the first point, proportional to k.
  /// 0 where the table is empty or k <= 0.
  double delegationOverhead(double k) const;
};

/// One row of the wake-up table: how long the sleeper slept, its latency, the waker's cost.
struct WakeupCost {
  double sleptNs = 0, latencyNs = 0, wakerNs = 0;
};

struct Machine {
  std::string name, cpu, source, reference, date;
  int cores = 0;
  int sockets = 1;
  std::map<std::string, Figure> timer, line, scheduler; ///< by key as in the file
  std::vector<WakeupCost> wakeup;                       ///< ascending in sleptNs
  std::map<std::string, KindCosts> kinds;

  /// The figure `kind.KIND.KEY`, or an error that names it and this machine.
  Expected<double> require(const std::string &kind, const std::string &key) const;
  /// As above for [scheduler].
  Expected<double> requireScheduler(const std::string &key) const;
  /// Latency and waker's cost after sleeping `sleptNs`: linear in log(slept) between
  /// rows, constant beyond; zeros where the table is empty.
  WakeupCost wakeupAfter(double sleptNs) const;
};

Expected<Machine> parseMachine(const std::string &toml, const std::string &name);
Expected<Machine> readMachine(const std::string &path);
std::string printMachine(const Machine &machine);

/// The description used when `calibrate` has not been run: a generic server, assumed figures.
const Machine &genericMachine();
/// `$XDG_CONFIG_HOME/qdadvise/machine.toml`, else `~/.config/qdadvise/machine.toml`.
std::string userMachinePath();

} // namespace qdadvise
