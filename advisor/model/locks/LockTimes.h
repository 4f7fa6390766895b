// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes from one section to the next at a contended lock, by how many threads are
// queueLength and how many queueLength are in all. A machine description has it of as many as are
// queueLength, on as few sockets as they need. In a network they may be any of its threads: lines
// come from as far as among all of them, and everything takes so much longer. Times in nanoseconds.
#pragma once

#include "advisor/algorithms/LockAlgorithm.h"
#include "advisor/machine/Machine.h"
#include "advisor/model/workload/ClosedNetwork.h"

namespace qdadvise {

/// h(j) of a lock that is handed over. A release sets off reads, and attempts, of all that wait.
/// A section that ends before these are over releases the lock behind the last of them. Who waits
/// looks again after a pause, and after many of these (spin_wait) after a system call, which the
/// one that is next is in the middle of.
class HandoffTime {
public:
  HandoffTime(const std::string &kind, const KindCosts &costs, const Machine &machine);
  /// Whoever finds the lock free: LO, and the lock's lines, which with that probability are
  /// elsewhere.
  double alone(int threads, double elsewhere) const {
    return curve(1) + accesses.alone * elsewhere * transfer.fromOther(threads);
  }
  /// Whoever waited for it, at least: one line.
  double least(int threads) const { return curve(1) + transfer(threads); }
  /// With a queue of `queueLength` threads, the holder included, after sections of `holdNs`, among
  /// threads of one socket: h + (k - h) exp(-holdNs/k) with h after long sections, k after short
  /// ones; of h, less where those who return may pass those who wait,
  double near(double queueLength, double holdNs, const Reacquisitions &again = {}) const;
  /// and this many times that, and so much, among so many: lines are farther away, pauses are not.
  double spread(int threads) const { return transfer.spread(threads); }
  double spreadNs(int threads) const { return (1 - transfer.spread(threads)) * turnNs / 2; }

  /// How long a release keeps its thread at the lock where others wait, which who is next does not
  /// wait for.
  double releaseNs(int threads) const { return accesses.release * transfer.fromOther(threads); }
  /// How much longer the first of those who wait does, and who releases, on the mean: a section of
  /// `holdNs` may end while its attempt is under way.
  double lateNs(double holdNs, int threads) const;

  /// What the data of a section take to move where others wait for the lock.
  double handedNs(const MovementTimes &coherenceMiss, const Reacquisitions &again) const;
  /// Share of the releases after which the lock is taken again before any of those who wait has it.
  double takenBack(double queueLength, const Reacquisitions &again) const;

private:
  double yieldingNs(double queueLength, double betweenNs) const;
  double reachNs(double queueLength) const;
  double sparedNs(double queueLength, const Reacquisitions &again) const;

  LockAccesses accesses;
  bool apart;
  CostCurve curve, afterShort;
  LineTransfer transfer;
  double turnNs, yieldNs; ///< of who waits
};

/// An operation that a helper executes, with the helper's own work for it. The helper is not
/// always the one that limits: operations have to come, and each of them takes four transfers
/// of the lock's word, which serves one at a time: to try the lock, to look again, to insert,
/// and the helper's look for more. Whoever finds the queue full, every 64 operations, takes two
/// more. The slower of the two limits; one as slow as the other costs a fifth more.
class DelegatedTime {
public:
  DelegatedTime(const KindCosts &costs, const Machine &machine);
  /// An operation of `holdNs`, with `waiting` >= 1 of the threads waiting.
  double operator()(double holdNs, double waiting, int threads) const;
  /// The same where the word keeps up: at this pace a helper does the operations that are there,
  /// before it waits for more.
  double paceNs(double holdNs, double waiting, int threads) const;

private:
  double helperNs(double holdNs, double waiting, int threads) const;

  CostCurve curve;
  LineTransfer transfer;
};

} // namespace qdadvise
