// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/LockTimes.h"

#include <algorithm>
#include <cmath>
#include <qdadvise/locks/spin_wait.h>

namespace qdadvise {

namespace {

constexpr double places = 64; ///< of a QD lock's queue

/// Length of the sections that `handover_short_ns` is measured with, if threads wait apart.
constexpr double shortSectionNs = 1;

/// Transfers until a handoff is over at a lock whose threads wait apart.
constexpr double apartTransfers = 1.25;

/// How steeply waiters turn to yields when they wait longer. Waiting times vary; no other power
/// fits better.
constexpr double yieldingPower = 4;

/// Transfers of the lock's word per delegated operation, and for one that finds the queue full.
constexpr double wordTransfers = 2.75, fullQueueTransfers = 0.8;

/// The larger one, if they differ much.
double smoothMax(double a, double b) {
  const double a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

} // namespace

HandoffTime::HandoffTime(LockKind kind, const KindCosts &costs, const Machine &machine)
    : accesses(algorithmOf(kind).accesses), apart(algorithmOf(kind).waitsApart),
      curve(costs.handoffCurve()), afterShort(costs.shortHandoffCurve()),
      transfer(machine.lineTransfer()), measured(transfer.asMeasured()), turnNs(machine.pauseNs()),
      yieldNs(machine.yieldNs()) {}

double HandoffTime::near(double present, double holdNs, const Reacquisitions &again) const {
  const double queueLength = transfer.alikeMeasured(present);
  if (present > 1 && queueLength <= 1) // all on one core
    return curve(1);
  const double known = afterShort(queueLength);
  const double afterLong =
      curve(queueLength) -
      yieldingNs(queueLength, KindCosts::longSectionNs(queueLength) + curve(queueLength));
  const double afterNone =
      known > 0 ? known - yieldingNs(queueLength, shortSectionNs + known) : afterLong;
  // A thread that passes the queue leaves it as it was. Short sections wait for the traffic of the
  // waiters all the same.
  const double quiet = afterLong - takenBack(queueLength, again) * sparedNs(queueLength, again);
  const double underWay = apart ? apartTransfers * transfer.sameSocketNs : afterNone;
  const double length = underWay > 0 ? holdNs / underWay : 0;
  double time = quiet + (afterNone - quiet) * std::exp(-length);
  time += yieldingNs(queueLength, holdNs + time);
  const double turn = std::min(turnNs / 2, time);
  return turn + (time - turn) / measured.spread(queueLength);
}

/// How much longer than with pauses the next one takes to notice (HO4), if sections begin every
/// `betweenNs`.
double HandoffTime::yieldingNs(double queueLength, double betweenNs) const {
  if (!apart || yieldNs <= turnNs)
    return 0;
  const double patience =
      std::pow((queueLength - 1) * betweenNs / (spin_wait::spin_limit * turnNs), yieldingPower);
  return (yieldNs - turnNs) / 2 * patience / (1 + patience);
}

double HandoffTime::lateNs(double holdNs, int threads) const {
  const double attempt = curve(1) + transfer.fromOther(threads);
  return accesses.late * transfer.fromOther(threads) * -std::expm1(-attempt / holdNs);
}

double HandoffTime::handedNs(const MovementTimes &coherenceMiss,
                             const Reacquisitions &again) const {
  return coherenceMiss.handed - takenBack(2, again) * (coherenceMiss.handed - coherenceMiss.same);
}

/// A waiter needs the lock's line twice, to see that the lock is free and to take it; a thread that
/// re-acquires needs it once. Halfway through a handoff each is as likely to be first.
double HandoffTime::reachNs(double queueLength) const { return curve(queueLength) / 2; }

double HandoffTime::takenBack(double queueLength, const Reacquisitions &again) const {
  const double reach = reachNs(queueLength);
  return reach > 0 ? again.share * -std::expm1(-reach / again.localNs) : 0;
}

/// What the re-acquisitions within reach spare (HO11).
double HandoffTime::sparedNs(double queueLength, const Reacquisitions &again) const {
  const double reach = reachNs(queueLength);
  if (again.share <= 0 || reach <= 0)
    return 0;
  const double away = again.localNs - reach / std::expm1(reach / again.localNs);
  return std::max(0.0, curve(queueLength) - curve(1) - away);
}

DelegatedTime::DelegatedTime(const KindCosts &costs, const Machine &machine)
    : curve(costs.delegationCurve()), transfer(machine.lineTransfer()),
      measured(transfer.asMeasured()) {}

double DelegatedTime::helperNs(double holdNs, double waiting, int threads) const {
  return holdNs +
         curve(waiting) / waiting * transfer.spread(threads) / measured.spread(waiting + 1);
}

double DelegatedTime::operator()(double holdNs, double waiting, int threads) const {
  const double queueLength = waiting + 1;
  const double word = (wordTransfers + fullQueueTransfers * queueLength / places) *
                      transfer.sameSocketNs * transfer.spread(threads);
  return smoothMax(helperNs(holdNs, waiting, threads), word);
}

double DelegatedTime::paceNs(double holdNs, double waiting, int threads) const {
  // With many waiters the curve was measured with the word as the bottleneck.
  double pace = helperNs(holdNs, waiting, threads);
  double fewer = 1;
  while (fewer < waiting) {
    pace = std::min(pace, helperNs(holdNs, fewer, threads));
    fewer *= 2;
  }
  return pace;
}

} // namespace qdadvise
