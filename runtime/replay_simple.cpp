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

/// Events between a first look at a lock's record and its use.
constexpr std::size_t lookAhead = 30;

double ticks(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

} // namespace

void Replay::run(const Event *events, std::size_t count) {
  lookForRetirements();
  const double drift = context.drift();
  stampedTicks[0] = context.callHookTicks + drift;
  stampedTicks[1] = context.xrayHookTicks + drift;
  const bool manyLocks = tables.hasManyLocks();
  if (manyLocks)
    for (std::size_t i = 0; i < lookAhead && i < count; i += 3)
      tables.locks.expect(events[i].address);
  // Where a row of events began that is gone through step by step.
  std::size_t row = count;
  std::uint32_t before = none;
  for (std::size_t i = 0; i < count;) {
    if (row < i && isIdle()) {
      if (i - row <= longestEpisode)
        learn(events + row, static_cast<unsigned>(i - row), before);
      row = count;
    }
    i += plainSections(events + i, count - i, manyLocks);
    if (i == count)
      break;
    if (row == count && instantOf(events[i]) < readersInstant && isIdle()) {
      if (const std::size_t known = knownEpisode(events + i, count - i)) {
        i += known;
        continue;
      }
      row = i;
      before = lastSection;
    }
    if (__builtin_expect(events[i].stamp >= retireStamp, 0))
      retireBefore(events[i].stamp);
    if (manyLocks && lookAhead < count - i)
      tables.locks.expect(events[i + lookAhead].address);
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
  found = {packEvent(siteOf(attempt), Instant::attempt),
           lastSection,
           index,
           lockClass,
           traits.kind,
           flags != 0,
           section,
           transition,
           counts};
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
  Route route;
  if (!findRoute(events, around, route))
    return 0;
  if (around == 0 && !context.names)
    routes[primitive % routeCount] = route;
  Lock *const lock = lockOf(route, address);
  if (!lock)
    return 0;
  lastDone = serial + around + 2;
  serial += total;
  for (unsigned i = 1; i <= around; ++i)
    if (SiteCounts *const inner = tables.site(siteOf(events[i])))
      ++inner->inside;
  double before = unstampedSince;
  double within = 0;
  for (unsigned i = 0; i < around; ++i) {
    before += unstampedTicks(events[i]);
    within += unstampedTicks(events[around + 2 + i]);
  }
  countSimple(route, *lock, attempt, acquire, release, before, within);
  return total;
}

/// The lock's record if the section can be counted as simple, else null.
inline Lock *Replay::lockOf(const Route &route, std::uint64_t address) {
  if (route.section->kind != route.kind)
    return nullptr;
  Lock *const lock = tables.lock(address, route.lockClass, route.section->lockPlace);
  return lock && lock->address != 0 ? lock : nullptr;
}

/// `before` and `within`: ticks of hooks without a stamp before the attempt, and between the
/// acquire and the release.
inline __attribute__((always_inline)) void
Replay::countSimple(const Route &route, Lock &lock, const Event &attempt, const Event &acquire,
                    const Event &release, double before, double within) {
  Section &section = *route.section;
  Transition &transition = *route.transition;
  SectionWindow &inWindow = section.windows[window];
  lastSection = route.index;
  ++route.counts->executed;
  ++section.acquisitions;
  ++inWindow.acquisitions;
  ++lock.acquisitions;
  const bool taken = (attempt.what & eventTaken) != 0;
  double waitNs = 0, heldNs = 0;
  bool contended = taken;
  if (!context.countersOnly) {
    const double local =
        ticks(lastStamp + pausedTicks, attempt.stamp) - hookTicks(attempt) - before;
    const double wait = ticks(attempt.stamp, acquire.stamp) - hookTicks(acquire);
    const double own = ticks(acquire.stamp, release.stamp) - hookTicks(release) - within;
    now += local + wait + own;
    lastStamp = release.stamp;
    pausedTicks = 0;
    unstampedSince = 0;
    chargeLocal(local);
    tables.addLocal(transition, toNs(localTicks), toNs(blockedTicks));
    localTicks = blockedTicks = 0;
    waitNs = toNs(wait);
    heldNs = toNs(own);
    if (route.kind == LockKind::unknown)
      contended = waitNs > contendedThresholdNs;
    tables.addWait(section, waitNs, contended, contended && (attempt.what & eventByWriter) != 0);
    tables.addHold(section, heldNs);
    inWindow.waitNs += waitNs;
    inWindow.holdNs += heldNs;
    lock.waitNs += waitNs;
    lock.heldNs += heldNs;
  } else {
    ++transition.local.count;
  }
  if (__builtin_expect(contended, 0)) {
    ++section.contended;
    lock.contended = lock.contended + 1;
    section.contendedByWriter += (attempt.what & eventByWriter) != 0;
  }
  if (route.shared)
    noteRead(attempt.address, route.lockClass, heldNs);
}

/// Does with the sections that begin here one after another what as many steps do, as long as
/// there is no wrapper in sight and each is as it was not long ago. Returns how many events
/// they are.
std::size_t Replay::plainSections(const Event *events, std::size_t count, bool manyLocks) {
  if ((attemptSize | heldSize | retries.count | callSize) != 0 || mayExpect || context.names ||
      (!context.countersOnly && !times))
    return 0;
  const std::uint64_t bound =
      !context.countersOnly && windowEnd < retireStamp ? windowEnd : retireStamp;
  std::size_t done = 0;
  for (; done + 3 <= count; done += 3) {
    const Event &attempt = events[done], &acquire = events[done + 1], &release = events[done + 2];
    const Route &route = routes[siteOf(attempt) % routeCount];
    constexpr std::uint32_t found = eventTaken | eventMine | eventByWriter | eventXray;
    if ((attempt.what & ~found) != route.attempt || route.from != lastSection ||
        (acquire.what & ~std::uint32_t{eventXray}) !=
            route.attempt + packEvent(0, Instant::acquire) ||
        instantOf(release) != Instant::release || attempt.address == 0 ||
        acquire.address != attempt.address || release.address != attempt.address ||
        release.stamp >= bound)
      break;
    if (manyLocks && lookAhead < count - done)
      tables.locks.expect(events[done + lookAhead].address);
    Lock *const lock = lockOf(route, attempt.address);
    if (!lock)
      break;
    countSimple(route, *lock, attempt, acquire, release, unstampedSince, 0);
  }
  serial += done;
  if (done != 0)
    lastDone = serial - 1;
  return done;
}

} // namespace qdadvise::runtime
