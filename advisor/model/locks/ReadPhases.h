// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads at glibc's reader-writer lock (2.36, the kind that prefers readers; docs/theory/
// rwlock.md, equations (RW4) to (RW15)). Readers come and go beside each other; only the lock's
// cache line slows them down. Writers queue among themselves, until one finds no reader inside.
// Threads that come from then on sleep until it has written. By mean values, as in the recursion
// over the number of threads. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"

#include <array>

namespace qdadvise {

class ReadPhases {
public:
  /// The lock's own figures.
  struct Lock {
    double reads = 0; ///< share of the sections
    double readNs = 0, writeNs = 0;
    double overheadNs = 0;
    double sleepNs = 0;    ///< from a failing attempt to sleep
    double sentBackNs = 0; ///< how much longer it takes if the kernel refuses that
  };

  /// The writers among themselves, if nobody read: SleepingModel::Costs of the same threads.
  struct Writers {
    double queued = 0;     ///< with one thread less
    double perNs = 0;      ///< rate at which those come
    double handoffNs = 0;  ///< from one acquisition to the next while there are always some
    double transferNs = 0; ///< to get the line, for a writer that finds nobody
    double failureNs = 0;  ///< lost to the first one
    /// Probability that the next writer is another thread, relative to writers that come at random.
    double meeting = 1;
  };

  /// A way in which a writer comes to have the lock.
  struct Gap {
    double share = 0;     ///< of the writes
    double latencyNs = 0; ///< of the writer's wake-up, while nobody comes in
  };
  /// The state with a number of threads.
  struct State {
    double residenceNs = 0;       ///< mean over all sections
    double writeResidenceNs = 0;  ///< of a writer
    double atLine = 0;            ///< readers that wait for the lock's line while it is open
    double spinners = 0;          ///< writers that look whether the one before has begun
    double awaiting = 0;          ///< of these, when a writer begins that had to wait for readers
    double taken = 0;             ///< probability that a thread finds anybody at the lock
    double open = 1;              ///< share of the time in which readers may come in
    std::array<Gap, 3> gaps = {}; ///< the other writers find nobody
    double slope = 0;             ///< of the threads by throughput, in logarithms; 0: not known
  };

  ReadPhases(const Lock &lock, const Machine &machine)
      : lock(lock), machine(machine), transfer(machine.lineTransfer()) {}

  /// For threads that are away for `awayNs`. Starts from `before`, the state with one thread less.
  State solve(int threads, double awayNs, const Writers &writers, const State &before) const;

private:
  struct Visitors;
  struct Line;
  struct KeptOut;
  struct Others;
  struct Drain;
  struct AfterWrite;
  struct Round;
  WakeupCost wakeupAfter(double ns) const;
  Line lineAt(int threads, double readsPerNs, const State &state) const;
  KeptOut keptOut(double awayNs, const State &state) const;
  Drain drain(const Others &others, double inside) const;
  AfterWrite afterWrite(const Others &others, const State &state) const;
  Round roundAt(double perNs, int threads, double awayNs, const Writers &writers,
                const KeptOut &kept, const State &state) const;

  Lock lock;
  const Machine &machine;
  LineTransfer transfer;
};

} // namespace qdadvise
