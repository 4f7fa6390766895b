// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of a multicore by its description, and defaults where the description says nothing.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/sim/EventQueue.h"

namespace qdadvise::sim {

// Times are not negative, and a half more rounds them.
inline Time picoseconds(double ns) {
  return static_cast<Time>(ns * 1000 + 0.5); // NOLINT(bugprone-incorrect-roundings)
}
inline double nanoseconds(Time time) { return static_cast<double>(time) / 1000; }

/// All times in picoseconds. docs/theory/simulation.md says what each is and where it comes from.
struct MulticoreCosts {
  int cores = 1, sockets = 1;
  Time hit = 0;         ///< a load or store of a line that the core may use as it is
  Time atomic = 0;      ///< a read-modify-write of a line that the core has alone
  Time sameSocket = 0;  ///< a line from another core of the socket
  Time crossSocket = 0; ///< a line from another socket
  Time pause = 0;       ///< one turn of spin-waiting
  Time yield = 0;       ///< a yield that nobody takes up
  Time contextSwitch = 0;
  Time sleep = 0;  ///< from the call of futex wait until the thread is asleep
  Time wake = 0;   ///< a futex wake with nobody asleep
  Time refuse = 0; ///< from then until futex wait returns, where the word has changed
  Time timeslice = never;
  Time migration = 0; ///< an idle core takes a waiting thread that has not run for so long
  double others = 0;  ///< share of the time in which an idle core runs another program
  Machine wakeups;    ///< only its table of wake-ups is set

  /// A machine with as many cores as threads, on which only computation takes time.
  static MulticoreCosts ideal(int threads);
};

/// What a simulation needs of the machine.
struct CostNeeds {
  int cores = 0;            ///< 0: the machine's
  bool sleeps = false;      ///< its threads use the futex
  bool sharesCores = false; ///< there are more threads than cores
};

/// An error names the figure that is missing.
Expected<MulticoreCosts> costsOf(const Machine &machine, const CostNeeds &needs);

} // namespace qdadvise::sim
