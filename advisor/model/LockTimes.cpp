// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/LockTimes.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

constexpr double places = 64; ///< of a QD lock's queue

/// The larger one where they differ much.
double smoothMax(double a, double b) {
  const double a2 = a * a, b2 = b * b;
  return std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

} // namespace

HandoverTime::HandoverTime(const KindCosts &costs, const Machine &machine)
    : curve(costs.handoverCurve()), afterShort(costs.shortHandoverCurve()),
      transfer(machine.lineTransfer()) {}

double HandoverTime::near(double there, double holdNs, const Returns &returns) const {
  const double afterLong = curve(there), known = afterShort(there);
  const double afterNone = known > 0 ? known : afterLong;
  // Whoever passes a queue leaves it where it was: it is the others' traffic that short sections
  // wait for.
  const double quiet = afterLong - takenBack(there, returns) * sparedNs(there, returns);
  const double length = afterNone > 0 ? holdNs / afterNone : 0;
  return (quiet + (afterNone - quiet) * std::exp(-length)) / transfer.spread(there);
}

double HandoverTime::handedNs(const MovementTimes &moved, const Returns &returns) const {
  return moved.handed - takenBack(2, returns) * (moved.handed - moved.same);
}

/// Who waits needs the lock's line twice, to see that it is free and to take it, and who returns
/// once: halfway through a hand-over the one is as likely to be first as the other.
double HandoverTime::reachNs(double there) const { return curve(there) / 2; }

double HandoverTime::takenBack(double there, const Returns &returns) const {
  const double reach = reachNs(there);
  return reach > 0 ? returns.share * -std::expm1(-reach / returns.localNs) : 0;
}

/// By those who return within reach.
double HandoverTime::sparedNs(double there, const Returns &returns) const {
  const double reach = reachNs(there);
  if (returns.share <= 0 || reach <= 0)
    return 0;
  const double away = returns.localNs - reach / std::expm1(reach / returns.localNs);
  return std::max(0.0, curve(there) - curve(1) - away);
}

DelegatedTime::DelegatedTime(const KindCosts &costs, const Machine &machine)
    : curve(costs.delegationCurve()), transfer(machine.lineTransfer()) {}

double DelegatedTime::operator()(double holdNs, double waiting, int threads) const {
  const double there = waiting + 1, spread = transfer.spread(threads);
  const double helper = holdNs + curve(waiting) / waiting * spread / transfer.spread(there);
  const double word = (4 + 2 * there / places) * transfer.sameSocketNs * spread;
  return smoothMax(helper, word);
}

} // namespace qdadvise
