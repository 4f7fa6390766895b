// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More threads than cores (docs/theory/cores.md, equations (COR1) to (COR9), (COR16)): how often
// threads lose their core, how long they wait for it, and how much longer local computation and
// locks take. Each thread has a fixed core, and threads share cores as evenly as possible. Times in
// nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/numeric/Fixpoint.h"

#include <vector>

namespace qdadvise {

/// A machine's scheduler, by its description or by the assumptions of docs/theory/simulation.md.
struct Scheduling {
  double spinNs = 0;   ///< how long a waiter spins until it yields
  double switchNs = 0; ///< a yield to another thread
  double sliceNs = 0;  ///< time slice of a thread that does not wait
  double sleepNs = 0;  ///< from an attempt that fails until the thread is asleep
};
Scheduling schedulingOf(const Machine &machine);

/// Mean time that a thread waits for its core per cycle (COR3). In a cycle it needs the core for
/// `onCoreNs`, and is away from it for `awayNs`. Times are exponential: machine repair with one
/// server for each core (COR2). 0 if there are enough cores.
double waitForCoreNs(int threads, int cores, double onCoreNs, double awayNs);
/// The same where a thread that wants a core takes any that is idle: machine repair with one queue
/// and as many servers as cores (COR15).
double waitForAnyCoreNs(int threads, int cores, double onCoreNs, double awayNs);

/// Each of so many threads computes for this time between two visits to a lock.
struct BetweenVisits {
  double threads = 0;
  double meanNs = 0;
  double variance = 0; ///< ns^2
};

/// How long a line of waiters stands still, each time that all have had the lock, because two of
/// them share a core: one is next while the other computes (COR16). A round takes `roundNs`, > 0.
double standstillNs(const BetweenVisits &one, const BetweenVisits &other, double roundNs);

/// One lock of the solution so far. `visits` and `ownNs` are per cycle, all others per visit.
struct LockUse {
  double visits = 0;
  double among = 1;      ///< locks of the class that share the visits, as if evenly
  double ownNs = 0;      ///< the lock's sections, without those inside them
  double occupiedNs = 0; ///< how long it is held, with the overhead of taking it
  double overheadNs = 0;
  double waitNs = 0;                  ///< until it is free
  double contention = 0;              ///< probability of such a wait
  std::vector<BetweenVisits> between; ///< of the classes that come here
  bool spins = false;                 ///< waiters spin and then yield; otherwise they sleep
};

struct CoreUse {
  double cyclesPerNs = 0;
  double computeNs = 0, blockedNs = 0; ///< per cycle
  std::vector<LockUse> locks;
};

/// What shared cores do to one lock.
struct LockSharing {
  double losses = 0;    ///< how often a visit loses the core while it waits for the lock (COR5)
  double stretch = 1;   ///< how much longer the lock is held because holders lose the core (COR7)
  double absenceNs = 0; ///< until the next in line has a core to take the lock (COR8)
  double spinners = 0;  ///< most waiters that have a core (COR9); 0: all of them
};

/// The cores as part of the solver's fixpoint: they and the waiting times at locks depend on each
/// other. At the beginning nobody waits for a lock.
class SharedCores {
public:
  SharedCores(int threads, int cores, const Scheduling &scheduling, std::size_t locks);

  /// What the unknowns say of the cores; before a solution.
  void share();
  /// Takes a step towards what the solution says. Returns how far that was away, relative to a
  /// cycle.
  double update(CoreUse use);

  /// Its unknowns.
  std::vector<Damped *> damped();

  const LockSharing &at(std::size_t lock) const { return locks[lock]; }
  /// How much longer computation takes (COR6).
  double stretch() const { return 1 + coreNs / scheduling.sliceNs; }
  /// Mean wait for a core, each time that one is lost.
  double waitNs() const { return coreNs; }

private:
  double halfARoundNs() const;
  double partnersNs(const LockUse &lock, double roundNs) const;
  double spinNs(const LockUse &lock) const;
  /// Probability that an exponential wait with that mean is longer than waiters spin.
  double outlasts(const LockUse &lock, double meanNs) const;

  int threads, cores;
  Scheduling scheduling;
  std::vector<LockSharing> locks;
  std::vector<Damped> waits, contentions; ///< by lock, of its use
  CoreUse last;                           ///< by the last solution
  double coreNs = 0;
};

} // namespace qdadvise
