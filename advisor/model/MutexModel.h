// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's mutex (2.36): threads that find it taken go to sleep, a release wakes one
// of them, and meanwhile any other thread may take it ("barging"). First two threads
// and one mutex, each thread on a core of its own, as a semi-Markov chain in closed
// form; then any number, from mean values. Times in nanoseconds, holding and local
// times exponential. The derivation is in docs/theory.md.
#pragma once

#include "advisor/machine/Machine.h"

namespace qdadvise {

class MutexModel {
public:
  /// `holdNs` and LO of the mutex; wake-up costs, line transfers and `[scheduler] sleep_ns`,
  /// the time from finding it taken to being asleep (absent: 250), of `machine`.
  MutexModel(double holdNs, double lockOverheadNs, const Machine &machine);

  /// Critical sections per nanosecond of two threads, each away from the mutex for
  /// `awayNs` between a release and its next attempt.
  double pairThroughput(double awayNs) const;

  /// What a mutex taken by threads that are away for `awayNs` costs.
  struct Costs {
    /// Mean time between two acquisitions while there are always sleepers: the time
    /// held, and the time free until the woken thread or a barging one has it.
    double saturatedNs = 0;
    /// Time to get the mutex's cache line for a thread that finds it free, beyond LO.
    double transferNs = 0;
    /// Mean time lost by an attempt that finds it taken: what makes two threads come
    /// out as `pairThroughput` has them.
    double failureNs = 0;
  };
  /// With `threads` threads, who sleep for `sleptNs` each time (with two: for the rest of a
  /// holding time).
  Costs costs(int threads, double awayNs, double sleptNs) const;

  /// Mean time from attempt to completion with `threads` threads, each of which comes
  /// once per `cycleNs`: s + LO + (1 - u) transferNs + failureNs u / (1 - u), where u =
  /// saturatedNs (threads - 1) / cycleNs is the share of time in which the others have
  /// it. Infinite where u >= 1: they cannot come that often.
  double residenceNs(const Costs &costs, int threads, double cycleNs) const;

private:
  /// The line is read before it is written, and both times it may be elsewhere.
  double transferNs(int threads) const { return 2 * machine.lineTransferNs(threads); }
  double saturatedNs(double awayNs, double transferNs, const WakeupCost &wakeup) const;

  double holdNs, lockOverheadNs, sleepNs;
  const Machine &machine;
  WakeupCost pairWakeup; ///< mean over the times that the other thread holds the mutex
};

} // namespace qdadvise
