// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See attempts.h.
#include "runtime/replay/attempts.h"

namespace qdadvise::runtime {

namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

} // namespace

unsigned Attempts::push(const Attempt &attempt) {
  for (unsigned i = 0; i < count; ++i)
    if (open[i].site == attempt.site && open[i].stack == attempt.stack &&
        open[i].address == attempt.address)
      count = i;
  unsigned lost = 0;
  if (count == most) {
    lost = count;
    count = 0;
  }
  open[count++] = attempt;
  return lost;
}

int Attempts::find(std::uint32_t site, std::uint64_t address) const {
  for (unsigned i = count; i-- > 0;)
    if (open[i].site == site && open[i].address == address)
      return static_cast<int>(i);
  return -1;
}

void Attempts::keepUpTo(unsigned at) {
  unsigned last = at;
  while (last + 1 < count && areSiblings(at, last + 1))
    ++last;
  count = last + 1;
}

Attempt Attempts::take(unsigned at) {
  const Attempt taken = open[at];
  for (unsigned i = at; i + 1 < count; ++i)
    open[i] = open[i + 1];
  --count;
  return taken;
}

unsigned Attempts::groupStart(unsigned at) const {
  while (at > 0 && areSiblings(at - 1, at))
    --at;
  return at;
}

unsigned Attempts::nearestInGroup(unsigned start, std::uint64_t address, EffectLog *log) const {
  unsigned best = start;
  for (unsigned i = start + 1; i < count && areSiblings(start, i); ++i) {
    if (log)
      log->unusual = true;
    if (distance(open[i].address, address) < distance(open[best].address, address))
      best = i;
  }
  return best;
}

void Attempts::passUp(unsigned groupAt, const Attempt &inner, EffectLog *log) {
  if (groupAt == 0)
    return;
  Attempt &outer = open[nearestInGroup(groupStart(groupAt - 1), inner.address, log)];
  outer.taken |= inner.taken;
  outer.mine |= inner.mine;
  outer.byWriter |= inner.byWriter;
  outer.known |= inner.known;
}

void Attempts::setAside(const SiteTraits *sites, unsigned held) {
  if (count == 0 || sites[open[0].site].role != SiteRole::block || asideCount + count > mostAside)
    return;
  if (asideCount == 0)
    asideHeld = held;
  for (unsigned i = 0; i < count; ++i)
    aside[asideCount++] = open[i];
  count = 0;
}

void Attempts::takeUpAgain(unsigned held) {
  if (count != 0 || held > asideHeld)
    return;
  for (unsigned i = 0; i < asideCount; ++i)
    open[count++] = aside[i];
  asideCount = 0;
}

int Attempts::endBlock(std::uint32_t site) {
  for (unsigned i = count; i-- > 0;)
    if (open[i].site == site) {
      count = i;
      return static_cast<int>(i);
    }
  for (unsigned i = asideCount; i-- > 0;)
    if (aside[i].site == site) {
      asideCount = i;
      return static_cast<int>(i);
    }
  return -1;
}

} // namespace qdadvise::runtime
