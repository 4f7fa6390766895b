// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of lock algorithms, as the advisor reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// What a shipped lock that is handed over does with cache lines that are elsewhere: transfers, one
/// after the other.
struct LockAccesses {
  double alone = 1;   ///< to take the lock where it is free
  double release = 0; ///< until who releases it may go on, where others wait
  /// More for either of them where who waits is still on its way into the line.
  double late = 0;
};

/// Of shorter sections a delegating lock of the virtual multicore delegates hardly any, which the
/// models do not know (docs/theory/qd-lock.md).
inline constexpr double shortestDelegatedNs = 5;

/// A row of the table of lock algorithms.
struct LockAlgorithm {
  const char *name;  ///< `--kind`, `[kind.NAME]`
  const char *label; ///< for people: "pthread mutex", "QD lock"
  bool spins;        ///< its waiters burn a core
  bool delegates;    ///< needs its sections as operations
  bool inLine;       ///< spinning waiters get it in the order in which they came
  bool sharesReads;  ///< lets the threads of shared sections in together
  bool onMenu;       ///< advised, unless the user names a menu
  /// Relative error of predicted throughput, one standard deviation (docs/theory/uncertainty.md).
  /// None: there is no model of it, and it can only be simulated.
  std::optional<double> modelError;
  double waitError; ///< the same of the waiting time, where there is any
  LockAccesses accesses = {};
};
/// All there are, by name.
const std::vector<LockAlgorithm> &knownLockAlgorithms();
const LockAlgorithm *findKnownLockAlgorithm(const std::string &name);
/// Those with a model.
const std::vector<LockAlgorithm> &lockAlgorithms();
const LockAlgorithm *findLockAlgorithm(const std::string &name);

} // namespace qdadvise
