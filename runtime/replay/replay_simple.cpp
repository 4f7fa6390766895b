// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way through a buffer, with short cuts: for the commonest of all, a lock taken and
// released with nothing else in hand, as it was not long ago; and for rows of events that have
// come before (event_patterns.h). Everything else, and all that is new, goes step by step.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

namespace {

/// Events between a first look at a lock's record and its use.
constexpr std::size_t lookAhead = 30;

double ticks(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

} // namespace

void Replay::run(const Event *events, std::size_t count) {
  lookForRetirements();
  const double drift = context.drift();
  factor = context.factor();
  stampedTicks[0] = (context.callHookTicks + drift) * factor;
  stampedTicks[1] = (context.xrayHookTicks + drift) * factor;
  if (__builtin_expect(entering && count != 0, 0)) {
    const std::size_t unseen = enterSlice(events, count);
    tables.events += unseen;
    events += unseen;
    count -= unseen;
  }
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
    if (__builtin_expect(hasLeft || leavesSlice(events[i]), 0)) {
      hasLeft = true;
      break;
    }
    if (__builtin_expect(events[i].stamp >= retireStamp, 0))
      retireBefore(events[i].stamp);
    if (manyLocks && lookAhead < count - i)
      tables.locks.expect(events[i + lookAhead].address);
    step(events[i++]);
  }
  tables.events += count;
}

/// What a section that begins so counts as; without a wrapper the site, the section before it
/// and a lock's own name say all. False where there was none such before.
bool Replay::findRoute(const Event &attempt, std::uint32_t lockClass, Route &found) {
  const std::uint32_t site = siteOf(attempt);
  const SiteTraits &traits = context.sites[site];
  if (traits.role != SiteRole::acquire)
    return false;
  const std::uint32_t flags =
      (traits.flags & siteShared) != 0 ? std::uint32_t{format::sectionShared} : 0u;
  Section *const section = tables.recentSection({classIndex, site, lockClass, none, flags});
  if (!section)
    return false;
  const std::uint32_t index = tables.recentSectionIndex(site);
  Transition *const transition =
      tables.recentTransition(tables.sections[lastSection], {classIndex, lastSection, index});
  SiteCounts *const counts = tables.site(site);
  if (!transition || !counts)
    return false;
  found = {packEvent(site, Instant::attempt),
           lastSection,
           index,
           lockClass,
           traits.kind,
           flags != 0,
           section,
           transition,
           counts};
  return true;
}

/// The lock's record if the section can be counted as simple, else null.
inline Lock *Replay::lockOf(const Route &route, std::uint64_t address) {
  if (route.section->kind != route.kind)
    return nullptr;
  Lock *const lock = tables.lock(address, route.lockClass, route.section->lockPlace);
  return lock && lock->address != 0 ? lock : nullptr;
}

inline __attribute__((always_inline)) void Replay::countPlain(const Route &route, Lock &lock,
                                                              const Event &attempt,
                                                              const Event &acquire,
                                                              const Event &release) {
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
        ticks(lastStamp + pausedTicks, attempt.stamp) - hookTicks(attempt) - unstampedSince;
    const double wait = ticks(attempt.stamp, acquire.stamp) - hookTicks(acquire);
    const double own = ticks(acquire.stamp, release.stamp) - hookTicks(release);
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
/// nothing is in hand and each is as it was not long ago. Returns how many events they are.
std::size_t Replay::plainSections(const Event *events, std::size_t count, bool manyLocks) {
  if ((attemptSize | heldSize | retries.count) != 0 || mayExpect || lastSection == none ||
      (!context.countersOnly && !times))
    return 0;
  const std::uint64_t bound = endOfShortCuts();
  std::size_t done = 0;
  for (; done + 3 <= count; done += 3) {
    const Event &attempt = events[done], &acquire = events[done + 1], &release = events[done + 2];
    constexpr std::uint32_t found = eventTaken | eventMine | eventByWriter | eventXray;
    const std::uint32_t site = siteOf(attempt);
    const std::uint32_t what = packEvent(site, Instant::attempt);
    if ((attempt.what & ~found) != what ||
        (acquire.what & ~std::uint32_t{eventXray}) != packEvent(site, Instant::acquire) ||
        instantOf(release) != Instant::release || attempt.address == 0 ||
        acquire.address != attempt.address || release.address != attempt.address ||
        release.stamp >= bound || leavesCall(attempt) || leavesCall(release))
      break;
    Route &route = routes[site % routeCount];
    const std::uint32_t lockClass =
        context.names ? context.names->find(attempt.address, context.sites[site].lockClass)
                      : context.sites[site].lockClass;
    if ((route.attempt != what || route.from != lastSection || route.lockClass != lockClass) &&
        !findRoute(attempt, lockClass, route))
      break;
    if (manyLocks && lookAhead < count - done)
      tables.locks.expect(events[done + lookAhead].address);
    Lock *const lock = lockOf(route, attempt.address);
    if (!lock)
      break;
    countPlain(route, *lock, attempt, acquire, release);
  }
  serial += done;
  if (done != 0)
    lastDone = serial - 1;
  return done;
}

} // namespace qdadvise::runtime
