// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/LockTimes.h"

#include <algorithm>
#include <cmath>
#include <qdadvise/locks/spin_wait.h>

namespace qdadvise {

namespace {

constexpr double places = 64; ///< of a QD lock's queue

/// Of the sections that `handover_short_ns` is measured with, where threads wait apart.
constexpr double shortSectionNs = 1;

/// Transfers until nothing of a handoff of locks whose threads wait apart is under way.
constexpr double apartTransfers = 1.25;

/// The larger one where they differ much.
double smoothMax(double a, double b) {
  const double a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

} // namespace

HandoffTime::HandoffTime(const std::string &kind, const KindCosts &costs, const Machine &machine)
    : accesses(findLockAlgorithm(kind)->accesses), apart(waitsApart(kind)),
      curve(costs.handoverCurve()), afterShort(costs.shortHandoverCurve()),
      transfer(machine.lineTransfer()), turnNs(machine.pauseNs()), yieldNs(machine.yieldNs()) {}

double HandoffTime::near(double queueLength, double holdNs, const Reacquisitions &again) const {
  const double known = afterShort(queueLength);
  const double afterLong =
      curve(queueLength) -
      yieldingNs(queueLength, KindCosts::longSectionNs(queueLength) + curve(queueLength));
  const double afterNone =
      known > 0 ? known - yieldingNs(queueLength, shortSectionNs + known) : afterLong;
  // Whoever passes a queue leaves it where it was: it is the others' traffic that short sections
  // wait for.
  const double quiet = afterLong - takenBack(queueLength, again) * sparedNs(queueLength, again);
  const double underWay = apart ? apartTransfers * transfer.sameSocketNs : afterNone;
  const double length = underWay > 0 ? holdNs / underWay : 0;
  double time = quiet + (afterNone - quiet) * std::exp(-length);
  time += yieldingNs(queueLength, holdNs + time);
  const double turn = std::min(turnNs / 2, time);
  return turn + (time - turn) / transfer.spread(queueLength);
}

/// How much longer than for pauses who is next takes to see that it is, `betweenNs` after the one
/// before.
double HandoffTime::yieldingNs(double queueLength, double betweenNs) const {
  if (!apart || yieldNs <= turnNs)
    return 0;
  // Waits vary; the power is as good as any.
  const double patience =
      std::pow((queueLength - 1) * betweenNs / (spin_wait::spin_limit * turnNs), 4);
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

/// Who waits needs the lock's line twice, to see that it is free and to take it, and who returns
/// once: halfway through a handoff the one is as likely to be first as the other.
double HandoffTime::reachNs(double queueLength) const { return curve(queueLength) / 2; }

double HandoffTime::takenBack(double queueLength, const Reacquisitions &again) const {
  const double reach = reachNs(queueLength);
  return reach > 0 ? again.share * -std::expm1(-reach / again.localNs) : 0;
}

/// By those who return within reach.
double HandoffTime::sparedNs(double queueLength, const Reacquisitions &again) const {
  const double reach = reachNs(queueLength);
  if (again.share <= 0 || reach <= 0)
    return 0;
  const double away = again.localNs - reach / std::expm1(reach / again.localNs);
  return std::max(0.0, curve(queueLength) - curve(1) - away);
}

DelegatedTime::DelegatedTime(const KindCosts &costs, const Machine &machine)
    : curve(costs.delegationCurve()), transfer(machine.lineTransfer()) {}

double DelegatedTime::helperNs(double holdNs, double waiting, int threads) const {
  return holdNs +
         curve(waiting) / waiting * transfer.spread(threads) / transfer.spread(waiting + 1);
}

double DelegatedTime::operator()(double holdNs, double waiting, int threads) const {
  const double queueLength = waiting + 1;
  const double word =
      (4 + 2 * queueLength / places) * transfer.sameSocketNs * transfer.spread(threads);
  return smoothMax(helperNs(holdNs, waiting, threads), word);
}

double DelegatedTime::paceNs(double holdNs, double waiting, int threads) const {
  // The curve was measured with the word in the way, where many wait.
  double pace = helperNs(holdNs, waiting, threads);
  for (double fewer = 1; fewer < waiting; fewer *= 2)
    pace = std::min(pace, helperNs(holdNs, fewer, threads));
  return pace;
}

} // namespace qdadvise
