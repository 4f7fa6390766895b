// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/LongerSteps.h"

#include <cmath>

namespace qdadvise {

namespace {

constexpr double astray = 2; ///< a change that is so many times the last one led away
/// After so many rounds, longer steps are tried for nested sections on shared cores, too.
constexpr int roundsNested = 40;

} // namespace

LongerSteps::LongerSteps(const LockedNetwork &given, Unknowns &unknowns, double nearby)
    : given(given), unknowns(unknowns), nearby(nearby) {
  note();
}

void LongerSteps::afterRound(double change) {
  const bool waits = unknowns.cores && given.nested && ++rounds < roundsNested;
  if (change > nearby || change > astray * lastChange)
    anderson.forget();
  lastChange = change;
  if (!waits && change <= nearby) {
    const std::vector<Damped *> all = unknowns.damped();
    std::vector<double> targets = values;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i]->lastError != 0)
        targets[i] = all[i]->lastTarget;
    if (const auto next = anderson.next(values, targets); next && isSensible(*next)) {
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i]->value = (*next)[i];
      unknowns.mixAsFound(given);
    }
  }
  note();
}

void LongerSteps::note() {
  values.clear();
  for (const Damped *const one : unknowns.damped())
    values.push_back(one->value);
}

/// No time or number of threads becomes negative.
bool LongerSteps::isSensible(const std::vector<double> &next) const {
  for (std::size_t i = 0; i < next.size(); ++i)
    if (!std::isfinite(next[i]) || (values[i] >= 0) != (next[i] >= 0))
      return false;
  return true;
}

} // namespace qdadvise
