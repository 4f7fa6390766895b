// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time from one section to the next at a contended lock, by the number of threads at the lock
// and in the program (docs/theory/handoff.md, equations (HO2) to (HO11) and (HO14)). A machine
// description has these times for as many threads as are at the lock, on as few sockets as they
// need. In a network they may be any of its threads: lines come from as far as among all of them,
// and everything takes so much longer (HO5). Hardware threads of a core have what one of them
// fetches: where they do not come last, as in the measurement, cores count. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "runtime/abi/lock_algorithms.h"

namespace qdadvise {

/// h(j) of a lock that is handed from thread to thread. A release sets off reads and attempts of
/// all waiters. A section that ends before these are over releases the lock behind the last of
/// them. A waiter looks again after a pause, and after many pauses (spin_wait) after a system call,
/// which the next one to have the lock is then in the middle of.
class HandoffTime {
public:
  HandoffTime(LockKind kind, const KindCosts &costs, const Machine &machine);
  /// For a thread that finds the lock free (HO6): LO, and the lock's lines, which are elsewhere
  /// with that probability.
  double alone(int threads, double elsewhere) const {
    return curve(1) + accesses.alone * elsewhere * transfer.fromOther(threads);
  }
  /// The least for a thread that waited: LO and one line (HO7).
  double least(int threads) const { return curve(1) + transfer(threads); }
  /// With `present` threads at the lock, the holder included, after sections of `holdNs`, among
  /// threads of one socket. It is h + (k - h) exp(-holdNs/tau), h after long sections and k after
  /// short ones (HO3). h is less where threads that re-acquire may pass waiters (HO11).
  double near(double present, double holdNs, const Reacquisitions &again = {}) const;
  /// Among so many threads it takes `spread` times `near`, and `spreadNs` more: lines are farther
  /// away, pauses are not (HO5).
  double spread(int threads) const { return transfer.spread(threads); }
  double spreadNs(int threads) const { return (1 - transfer.spread(threads)) * turnNs / 2; }

  /// How long a release keeps its thread at a lock with waiters, after the next one has it (HO9).
  double releaseNs(int threads) const { return accesses.release * transfer.fromOther(threads); }
  /// How much longer the first waiter and the releasing thread take, on the mean: a section of
  /// `holdNs` may end while the waiter's attempt is under way (HO8).
  double lateNs(double holdNs, int threads) const;

  /// The coherence misses of a section that follows a handoff (HO14).
  double handedNs(const MovementTimes &coherenceMiss, const Reacquisitions &again) const;
  /// Share of the releases after which the same thread has the lock again before any waiter (HO10).
  double takenBack(double queueLength, const Reacquisitions &again) const;

private:
  double yieldingNs(double queueLength, double betweenNs) const;
  double reachNs(double queueLength) const;
  double sparedNs(double queueLength, const Reacquisitions &again) const;

  LockAccesses accesses;
  bool apart;
  CostCurve curve, afterShort;
  LineTransfer transfer, measured; ///< among the threads that run, and as costs were measured
  double turnNs, yieldNs; ///< from one look of a waiter to the next: by pauses, and by yields
};

/// An operation that a helper executes, with the helper's own work for it (docs/theory/qd-lock.md,
/// equations (QD3) to (QD5)). Not always the helper is the bottleneck. Each operation takes four
/// transfers of the lock's word: to try the lock, to look again, to insert, and for the helper's
/// look at what comes next. The word serves one transfer at a time. A thread that finds the queue
/// full, every 64 operations, takes two more. The slower of the two limits the operation. If both
/// are equally slow, it takes a fifth longer.
class DelegatedTime {
public:
  DelegatedTime(const KindCosts &costs, const Machine &machine);
  /// An operation of `holdNs`, with `waiting` >= 1 of the threads waiting.
  double operator()(double holdNs, double waiting, int threads) const;
  /// The same if the word keeps up. The helper does the operations that are there at this pace,
  /// before it waits for more.
  double paceNs(double holdNs, double waiting, int threads) const;

private:
  double helperNs(double holdNs, double waiting, int threads) const;

  CostCurve curve;
  LineTransfer transfer, measured; ///< among the threads that run, and as costs were measured
};

} // namespace qdadvise
