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
  int cores = 1, sockets = 1; ///< hardware threads that the scheduler knows as processors
  int threadsPerCore = 1;     ///< of them so many share a core with its caches
  ThreadPlacement placement = ThreadPlacement::spread;
  int firstProcessor = 0; ///< in the order of the placement, of the first thread
  /// Computation takes so many times as long while another thread of the core computes.
  double sharedCoreFactor = 1;
  Time hit = 0;         ///< a load or store of a line that the core may use as it is
  Time atomic = 0;      ///< a read-modify-write of a line that the core has alone
  Time drain = 0;       ///< from a plain store of such a line until one can follow
  Time sameCore = 0;    ///< a line that another thread of the core has just got
  Time sameSocket = 0;  ///< a line that another core of the socket has alone, or has written
  Time crossSocket = 0; ///< a line from another socket
  /// A core writes a line that it has read. Where that takes less than a transfer, a read gets a
  /// line that was written alone (SIM15).
  Time upgrade = never;
  bool readsGetAlone() const { return upgrade < sameSocket; }
  /// A core goes on using a line that another one waits for, after it has come (SIM16).
  Time kept = 0;
  /// Of a transfer, the time until the request reaches who has the line.
  Time request = 0;
  Time copy = 0;         ///< a copy of a line that several have, from within the socket
  Time copyInterval = 0; ///< from one such copy that is handed out to the next
  /// From one atomic instruction that a line's home executes to the next. 0: cores execute them.
  Time farInterval = 0;
  Time pause = 0; ///< one turn of spin-waiting
  Time yield = 0; ///< a yield that nobody takes up
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
  int firstProcessor = 0;
};

/// An error names the figure that is missing.
Expected<MulticoreCosts> costsOf(const Machine &machine, const CostNeeds &needs);

} // namespace qdadvise::sim
