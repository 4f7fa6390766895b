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

namespace {

/// Wrappers around one another in a short cut.
constexpr unsigned maxWrapped = 4;

/// Events between the two looks at a lock, and between the second and its use.
constexpr std::size_t lookAhead = 15;

double ticks(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

} // namespace

void Replay::run(const Event *events, std::size_t count) {
  lookForRetirements();
  const bool manyLocks = tables.hasManyLocks();
  for (std::size_t i = 0; i < count;) {
    if (__builtin_expect(events[i].stamp >= retireStamp, 0))
      retireBefore(events[i].stamp);
    if (manyLocks && i + 2 * lookAhead < count) {
      tables.expectLock(events[i + 2 * lookAhead].address);
      tables.expectLockRecord(events[i + lookAhead].address);
    }
    const unsigned done = count - i >= 3 ? simpleSection(events + i, count - i) : 0;
    if (done == 0)
      step(events[i]);
    i += done != 0 ? done : 1;
  }
  tables.events += count;
}

/// How many calls of wrappers begin here, each within the one before it and within
/// those that are open.
unsigned Replay::callsAround(const Event *events, std::size_t count) const {
  unsigned around = 0;
  std::uint32_t stack = callSize != 0 ? calls[callSize - 1].stack : 0;
  for (bool first = callSize == 0; around < maxWrapped && 2 * around + 3 <= count; ++around) {
    const Event &event = events[around];
    if (instantOf(event) != Instant::attempt ||
        context.sites[siteOf(event)].role != SiteRole::wrapper)
      break;
    if (!first && !deeper(event.stack, stack))
      break;
    first = false;
    stack = event.stack;
  }
  return around;
}

/// What a section that begins here counts as. False where there was none such before.
bool Replay::findRoute(const Event *events, unsigned around, Route &found) {
  const Event &attempt = events[around];
  const SiteTraits &traits = context.sites[siteOf(attempt)];
  std::uint32_t site = siteOf(attempt);
  std::uint32_t lockClass = traits.lockClass;
  if (around != 0) {
    site = siteOfCall(siteOf(events[0]), events[0].address);
    const std::uint32_t named = context.sites[site].lockClass;
    lockClass = named != none ? named : lockClass;
    if (context.names)
      lockClass = context.names->find(events[0].address, lockClass);
  }
  if (context.names)
    lockClass = context.names->find(attempt.address, lockClass);
  const std::uint32_t flags =
      (traits.flags & siteShared) != 0 ? std::uint32_t{format::sectionShared} : 0u;
  Section *const section = tables.recentSection({classIndex, site, lockClass, none, flags});
  if (!section)
    return false;
  const std::uint32_t index = tables.recentSectionIndex(site);
  Transition *const transition =
      tables.recentTransition(tables.sections[lastSection], {classIndex, lastSection, index});
  SiteCounts *const counts = tables.site(site);
  found = {siteOf(attempt), lastSection, index, lockClass, section, transition, counts};
  return transition && counts;
}

/// Does with the first of these events what as many steps do, or nothing. Returns how
/// many: an attempt, an acquire and a release, and the calls of wrappers around the
/// former two.
unsigned Replay::simpleSection(const Event *events, std::size_t count) {
  if ((attemptSize | heldSize | retries.count) != 0 || mayExpect || lastSection == none)
    return 0;
  const unsigned around = callsAround(events, count);
  const unsigned total = 2 * around + 3;
  if (total > count || callSize + around > maxCalls)
    return 0;
  const Event &attempt = events[around], &acquire = events[around + 1];
  const Event &release = events[total - 1];
  const std::uint32_t primitive = siteOf(attempt);
  const std::uint64_t address = attempt.address;
  if (instantOf(attempt) != Instant::attempt ||
      (acquire.what & ~std::uint32_t{eventXray}) != packEvent(primitive, Instant::acquire) ||
      instantOf(release) != Instant::release || address == 0 || acquire.address != address ||
      release.address != address || release.stamp >= retireStamp ||
      (!context.countersOnly && (release.stamp >= windowEnd || !times)))
    return 0;
  const SiteTraits &traits = context.sites[primitive];
  if (traits.role != SiteRole::acquire)
    return 0;
  for (unsigned i = 0; i < around; ++i) {
    const Event &begin = events[i], &end = events[total - 2 - i];
    if ((end.what & ~std::uint32_t{eventXray}) != packEvent(siteOf(begin), Instant::acquire) ||
        end.address != begin.address || end.stack != begin.stack ||
        (attempt.stack != begin.stack && !deeper(attempt.stack, begin.stack)))
      return 0;
  }
  if (callSize != 0 && (deeper(calls[callSize - 1].stack, attempt.stack) ||
                        deeper(calls[callSize - 1].stack, release.stack)))
    return 0;

  // Without a wrapper or a name in it, the site and the section before it say all.
  Route route = routes[primitive % routeCount];
  const bool knownBySite = around == 0 && !context.names;
  if (!knownBySite || route.primitive != primitive || route.from != lastSection) {
    if (!findRoute(events, around, route))
      return 0;
    if (knownBySite)
      routes[primitive % routeCount] = route;
  }
  Section *const section = route.section;
  Transition *const transition = route.transition;
  if (section->kind != traits.kind)
    return 0;
  Lock *const lock = lockRecord(section, address, route.lockClass);
  if (!lock || lock->address == 0)
    return 0;
  const bool shared = (traits.flags & siteShared) != 0;

  lastDone = serial + around + 2;
  serial += total;
  lastSection = route.index;
  ++route.counts->executed;
  for (unsigned i = 1; i <= around; ++i)
    if (SiteCounts *const inner = tables.site(siteOf(events[i])))
      ++inner->inside;
  ++section->acquisitions;
  ++section->windows[window].acquisitions;
  ++lock->acquisitions;
  if (context.countersOnly) {
    const bool contended = (attempt.what & eventTaken) != 0;
    section->contended += contended;
    section->contendedByWriter += contended && (attempt.what & eventByWriter) != 0;
    lock->contended += contended;
    ++transition->local.count;
    if (shared)
      noteRead(address, route.lockClass, 0);
    return total;
  }

  double before = unstampedSince;
  double within = 0;
  for (unsigned i = 0; i < around; ++i) {
    before += unstampedTicks(events[i]);
    within += unstampedTicks(events[around + 2 + i]);
  }
  const double local = ticks(lastStamp + pausedTicks, attempt.stamp) - hookTicks(attempt) - before;
  now += local;
  chargeLocal(local);
  const double start = now;
  now += ticks(attempt.stamp, acquire.stamp) - hookTicks(acquire);
  const double acquired = now;
  const double own = ticks(acquire.stamp, release.stamp) - hookTicks(release) - within;
  now += own;
  lastStamp = release.stamp;
  pausedTicks = 0;
  unstampedSince = 0;

  tables.addLocal(*transition, toNs(localTicks), toNs(blockedTicks));
  localTicks = blockedTicks = 0;

  const double waitNs = toNs(acquired - start);
  const double holdNs = toNs(own);
  const bool contended = traits.kind != LockKind::unknown ? (attempt.what & eventTaken) != 0
                                                          : waitNs > contendedThresholdNs;
  section->contended += contended;
  const bool byWriter = contended && (attempt.what & eventByWriter) != 0;
  section->contendedByWriter += byWriter;
  tables.addWait(*section, waitNs, contended, byWriter);
  tables.addHold(*section, holdNs);
  SectionWindow &inWindow = windowOf(*section);
  inWindow.waitNs += waitNs;
  inWindow.holdNs += holdNs;
  lock->contended += contended;
  lock->waitNs += waitNs;
  const double heldNs = toNs(now - acquired);
  lock->heldNs += heldNs;
  if (shared)
    noteRead(address, route.lockClass, heldNs);
  return total;
}

} // namespace qdadvise::runtime
