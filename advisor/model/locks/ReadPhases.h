// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads at glibc's reader-writer lock (2.36, the kind that prefers readers): readers come
// and go beside each other, and are slowed down by the lock's cache line alone, until a writer,
// of those who have made a queue, finds none of them inside; who comes from then on sleeps until
// it has written. By mean values, as in the recursion over the number of threads; derived in
// docs/theory.md. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"

#include <array>

namespace qdadvise {

class ReadPhases {
public:
  /// What is the lock's own.
  struct Lock {
    double reads = 0; ///< share of the sections
    double readNs = 0, writeNs = 0;
    double overheadNs = 0;
    double sleepNs = 0;    ///< from finding it taken to being asleep
    double sentBackNs = 0; ///< how much longer it takes where the kernel refuses that
  };

  /// Writers, did nobody read, as SleepingModel::Costs has them of the same threads.
  struct Writers {
    double queued = 0;     ///< with one thread less
    double perNs = 0;      ///< how often those come
    double handoffNs = 0;  ///< from one acquisition to the next while there are always some
    double transferNs = 0; ///< to get the line, for one that finds nobody
    double failureNs = 0;  ///< lost to the first one
    double meeting = 1; ///< of two in a row, not the same thread: to that where all come at random
  };

  /// How a writer comes to have it, by what it had to wait for.
  struct Gap {
    double share = 0;     ///< of the writes
    double latencyNs = 0; ///< of its wake-up, while nobody comes in
  };
  /// With so many threads.
  struct State {
    double residenceNs = 0;       ///< mean over all sections
    double writeResidenceNs = 0;  ///< of who writes
    double atLine = 0;            ///< readers that wait for the lock's line while it is open
    double spinners = 0;          ///< writers that look whether the one before has begun
    double awaiting = 0;          ///< of these, when one begins that had to wait for readers
    double open = 1;              ///< share of the time in which readers may come in
    std::array<Gap, 3> gaps = {}; ///< all others find nobody
  };

  ReadPhases(const Lock &lock, const Machine &machine) : lock(lock), machine(machine) {}

  /// Threads that are away for `awayNs`; starts from `before`, with one thread less.
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
  KeptOut keptOut(double active, double awayNs, const State &state) const;
  Drain drain(const Others &others, double inside) const;
  AfterWrite afterWrite(const Others &others, const State &state) const;
  Round roundAt(double perNs, int threads, double awayNs, const Writers &writers,
                const State &state) const;
  double throughputOf(int threads, double awayNs, const Writers &writers, const State &state) const;

  Lock lock;
  const Machine &machine;
};

} // namespace qdadvise
