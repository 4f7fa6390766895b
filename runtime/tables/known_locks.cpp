// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See known_locks.h.
#include "runtime/tables/known_locks.h"

namespace qdadvise::runtime {

namespace {

/// The sum of all but the longest, in which the thread may have lost the processor.
double nsOf(const Sample &sample) {
  const format::Moments moments = sample.moments();
  const double others = static_cast<double>(moments.count) * moments.mean - moments.max;
  return others > 0 ? others : 0;
}

} // namespace

void KnownLocks::add(const Tables &tables) {
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
    const Section &section = tables.sections[i];
    if (section.hold.count == 0)
      continue;
    const std::uint32_t lockClass = section.key.lockClass;
    const bool isTold = lockClass != format::none && classes.reach(arena, lockClass);
    Class &known = isTold ? classes[lockClass] : others;
    const double taken = nsOf(section.hold) + nsOf(section.wait);
    known.ns += taken;
    known.variance += taken * taken / static_cast<double>(section.hold.count);
    ns += taken;
  }
}

bool KnownLocks::areKnown(unsigned shift) const {
  const auto left = static_cast<double>(std::uint64_t{1} << shift);
  const auto isKnown = [&](const Class &known) {
    const double enough = known.ns > smallShare * ns ? known.ns : smallShare * ns;
    return known.variance * left <= largestError * largestError * enough * enough;
  };
  bool all = ns > 0 && isKnown(others);
  for (std::uint32_t i = 0; i < classes.size() && all; ++i)
    all = isKnown(classes[i]);
  return all;
}

unsigned KnownLocks::sparableShift(unsigned most) const {
  unsigned shift = 0;
  while (shift < most && areKnown(shift + 1))
    ++shift;
  return shift;
}

} // namespace qdadvise::runtime
