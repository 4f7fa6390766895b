// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way through a buffer, with a short cut for the commonest of all: a lock taken
// and released, nothing else in hand, as it was not long ago. It saves looking for
// what cannot be there; everything it cannot do, and all that is new, goes step by
// step.
#include "runtime/replay.h"

namespace qdadvise::runtime {

using format::none;

void Replay::run(const Event *events, std::size_t count) {
  for (std::size_t i = 0; i < count;) {
    if (count - i >= 3 && simpleSection(events + i))
      i += 3;
    else
      step(events[i++]);
  }
  tables.events += count;
}

/// Does with these three events what three steps do, or nothing (false).
bool Replay::simpleSection(const Event *events) {
  const Event &attempt = events[0], &acquire = events[1], &release = events[2];
  const std::uint32_t site = siteOf(attempt);
  const std::uint64_t address = attempt.address;
  if (instantOf(attempt) != Instant::attempt ||
      (acquire.what & ~std::uint32_t{eventXray}) != packEvent(site, Instant::acquire) ||
      instantOf(release) != Instant::release || address == 0 || acquire.address != address ||
      release.address != address)
    return false;
  if ((attemptSize | heldSize) != 0 || mayExpect || lastSection == none || context.countersOnly ||
      release.stamp >= windowEnd || !times)
    return false;

  const SiteTraits &traits = context.sites[site];
  if (traits.role != SiteRole::acquire)
    return false;
  std::uint32_t lockClass = traits.lockClass;
  if (context.names)
    lockClass = context.names->find(address, lockClass);
  const bool shared = (traits.flags & siteShared) != 0;
  Section *const section = tables.recentSection(
      {classIndex, site, lockClass, none, shared ? std::uint32_t{format::sectionShared} : 0u});
  if (!section || section->kind != traits.kind)
    return false;
  Lock *const lock = section->lockGuess;
  if (!lock || lock->address != address || lock->lockClass != lockClass)
    return false;
  const std::uint32_t index = tables.recentSectionIndex(site);
  Transition *const transition =
      tables.recentTransition(tables.sections[lastSection], {classIndex, lastSection, index});
  SiteCounts *const counts = tables.site(site);
  if (!transition || !counts)
    return false;

  const auto ticks = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(static_cast<std::int64_t>(to - from));
  };
  const double local = ticks(lastStamp + pausedTicks, attempt.stamp) - hookTicks(attempt);
  const double start = now + local;
  const double acquired = start + (ticks(attempt.stamp, acquire.stamp) - hookTicks(acquire));
  const double own = ticks(acquire.stamp, release.stamp) - hookTicks(release);
  now = acquired + own;
  lastStamp = release.stamp;
  pausedTicks = 0;
  serial += 3;

  chargeLocal(local);
  tables.addLocal(*transition, toNs(localTicks), toNs(blockedTicks));
  localTicks = blockedTicks = 0;
  lastSection = index;
  ++counts->executed;

  const double waitNs = toNs(acquired - start);
  const double holdNs = toNs(own);
  const bool contended = traits.kind != LockKind::unknown ? (attempt.what & eventTaken) != 0
                                                          : waitNs > contendedThresholdNs;
  ++section->acquisitions;
  section->contended += contended;
  tables.addWait(*section, waitNs, contended);
  tables.addHold(*section, holdNs);
  SectionWindow &inWindow = windowOf(*section);
  ++inWindow.acquisitions;
  inWindow.waitNs += waitNs;
  inWindow.holdNs += holdNs;
  ++lock->acquisitions;
  lock->contended += contended;
  lock->waitNs += waitNs;
  lock->heldNs += toNs(now - acquired);
  return true;
}

} // namespace qdadvise::runtime
