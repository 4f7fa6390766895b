// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More threads than cores: how often threads lose their core, how long they wait to have it
// again, and what that makes of local computation and of locks (docs/theory.md). Threads have
// a core of their own each, which they share as evenly as is possible. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/numeric/Fixpoint.h"

#include <vector>

namespace qdadvise {

/// What a machine's scheduler does, by its description or as docs/simulation.md assumes it.
struct Scheduling {
  double spinNs = 0;   ///< of waiting, until the first yield
  double switchNs = 0; ///< a yield that another thread takes up
  double sliceNs = 0;  ///< who does not wait has the core for so long at a time
};
Scheduling schedulingOf(const Machine &machine);

/// Mean time that a thread waits for its core per `onCoreNs` that it needs it, being away
/// from it for `awayNs` in between: exponential times, machine repair with one server a
/// core. 0 where there are no more threads than cores.
double waitForCoreNs(int threads, int cores, double onCoreNs, double awayNs);

/// One lock of a solution found so far. Per visit, but for `visits` and `ownNs`, per cycle.
struct LockUse {
  double visits = 0;
  double among = 1;      ///< locks of the class that share the visits, as if evenly
  double ownNs = 0;      ///< its sections, without those inside them
  double occupiedNs = 0; ///< it is held, with the overhead of taking it
  double overheadNs = 0;
  double waitNs = 0;     ///< for it to be free
  double contention = 0; ///< probability that there is such a wait
  bool spins = false;    ///< and then yields; else waiters sleep
};

struct CoreUse {
  double cyclesPerNs = 0;
  double computeNs = 0, blockedNs = 0; ///< per cycle
  std::vector<LockUse> locks;
};

/// What shared cores do to one lock.
struct LockSharing {
  double losses = 0;    ///< how often a visit loses the core while it waits for the lock
  double stretch = 1;   ///< how much longer it is held, its holder losing the core
  double absenceNs = 0; ///< until the next in line has a core to take the lock over
  double spinners = 0;  ///< who wait on a core, at most; 0: all
};

/// A fixpoint with the waiting times at the locks. Begins with nobody waiting for a lock.
class SharedCores {
public:
  SharedCores(int threads, int cores, const Scheduling &scheduling, std::size_t locks);

  /// From a solution with what is below. Returns how far it was from the fixpoint, relative to
  /// a cycle.
  double update(CoreUse use);

  const LockSharing &at(std::size_t lock) const { return locks[lock]; }
  /// How much longer computation takes.
  double stretch() const { return 1 + coreNs / scheduling.sliceNs; }
  /// For a core, each time that one is lost.
  double waitNs() const { return coreNs; }

private:
  void share(const CoreUse &use);
  double spinNs(const LockUse &lock) const;
  /// Probability that a wait, exponential with that mean, is longer than waiters spin.
  double outlasts(const LockUse &lock, double meanNs) const;

  int threads, cores;
  Scheduling scheduling;
  std::vector<LockSharing> locks;
  std::vector<Damped> waits, contentions;
  double coreNs = 0;
};

} // namespace qdadvise
