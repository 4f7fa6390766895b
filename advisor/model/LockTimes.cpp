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

double HandoverTime::near(double there, double holdNs) const {
  const double afterLong = curve(there), most = std::max(afterLong, afterShort(there));
  const double length = most > 0 ? holdNs / most : 0;
  return (afterLong + (most - afterLong) * std::exp(-length)) / transfer.spread(there);
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
