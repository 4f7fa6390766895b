// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads that share one glibc mutex (2.36), each on a core of its own: a
// semi-Markov chain in closed form. Times in nanoseconds.
//
// A thread that finds the mutex taken needs `sleepNs` until the kernel has it
// queued; the holder's release then makes the wake-up call, which costs the waker
// and takes the sleeper a while, and meanwhile the other thread may take the mutex
// again and again ("barging"). Holding and local times are exponential.
#pragma once

#include "advisor/machine/Machine.h"

namespace qdadvise {

class MutexPair {
public:
  /// `holdNs` and LO of the mutex; wake-up costs and `[scheduler] sleep_ns` (absent:
  /// 250 ns, the figure of the machine that the chain was checked on) of `machine`.
  MutexPair(double holdNs, double lockOverheadNs, const Machine &machine);

  /// Critical sections per nanosecond, both threads together, each computing for
  /// `localNs` between a release and its next attempt.
  double throughput(double localNs) const;

  /// Service time with two or more threads at the lock that gives a two-thread,
  /// one-lock network with exponential service, S(1) = hold + LO, this throughput.
  double contendedServiceNs(double localNs) const;

  double wakeLatencyNs() const { return latencyNs; }
  double wakerCostNs() const { return wakerNs; }

private:
  double holdNs, lockOverheadNs, sleepNs;
  double latencyNs = 0, wakerNs = 0; ///< mean over the time a sleeper sleeps
};

} // namespace qdadvise
