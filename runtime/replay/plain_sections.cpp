// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See plain_sections.h.
#include "runtime/replay/plain_sections.h"

namespace qdadvise::runtime {

using format::none;

namespace {

double ticks(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

} // namespace

/// What a section that begins so counts as; without a wrapper the site, the section before it
/// and a lock's own name say all. False where there was none such before.
bool PlainSections::find(Ledger &ledger, const Event &attempt, std::uint32_t lockClass,
                         Route &found) {
  Accounts &accounts = ledger.accounts;
  Tables &tables = accounts.tables;
  const std::uint32_t site = siteOf(attempt);
  const SiteTraits &traits = accounts.context.sites[site];
  if (traits.role != SiteRole::acquire)
    return false;
  const std::uint32_t flags =
      (traits.flags & siteShared) != 0 ? std::uint32_t{format::sectionShared} : 0u;
  Section *const section =
      tables.recentSection({accounts.classIndex, site, lockClass, none, flags});
  if (!section)
    return false;
  const std::uint32_t index = tables.recentSectionIndex(site);
  Transition *const transition = tables.recentTransition(
      tables.sections[ledger.lastSection], {accounts.classIndex, ledger.lastSection, index});
  SiteCounts *const counts = tables.site(site);
  if (!transition || !counts)
    return false;
  found = {packEvent(site, Instant::attempt),
           ledger.lastSection,
           index,
           lockClass,
           traits.kind,
           flags != 0,
           section,
           transition,
           counts};
  return true;
}

/// The lock's record if the section can be counted as plain, else null.
inline Lock *PlainSections::lockOf(Tables &tables, const Route &route, std::uint64_t address) {
  if (route.section->kind != route.kind)
    return nullptr;
  Lock *const lock = tables.lock(address, route.lockClass, route.section->lockPlace);
  return lock && lock->address != 0 ? lock : nullptr;
}

inline __attribute__((always_inline)) void PlainSections::count(Ledger &ledger, const Route &route,
                                                                Lock &lock, const Event &attempt,
                                                                const Event &acquire,
                                                                const Event &release) {
  Accounts &accounts = ledger.accounts;
  Tables &tables = accounts.tables;
  Section &section = *route.section;
  Transition &transition = *route.transition;
  SectionWindow &inWindow = section.windows[accounts.window];
  ledger.lastSection = route.index;
  ++route.counts->executed;
  ++section.acquisitions;
  ++inWindow.acquisitions;
  ++lock.acquisitions;
  const bool taken = (attempt.what & eventTaken) != 0;
  double waitNs = 0, heldNs = 0;
  bool contended = taken;
  if (!accounts.context.countersOnly) {
    VirtualClock &clock = accounts.clock;
    const double local = ticks(clock.lastStamp + clock.pausedTicks, attempt.stamp) -
                         clock.hookTicks(attempt) - clock.unstampedSince;
    const double wait = ticks(attempt.stamp, acquire.stamp) - clock.hookTicks(acquire);
    const double own = ticks(acquire.stamp, release.stamp) - clock.hookTicks(release);
    clock.now += local + wait + own;
    clock.countFrom(release.stamp);
    accounts.chargeLocal(local);
    tables.addLocal(transition, accounts.toNs(accounts.localTicks),
                    accounts.toNs(accounts.blockedTicks));
    accounts.localTicks = accounts.blockedTicks = 0;
    waitNs = accounts.toNs(wait);
    heldNs = accounts.toNs(own);
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
    ledger.countRead(attempt.address, route.lockClass, heldNs);
}

std::size_t PlainSections::run(Operations &operations, const Event *events, std::size_t count,
                               std::uint64_t bound, bool manyLocks) {
  Ledger &ledger = operations.ledger;
  const ReplayContext &context = ledger.accounts.context;
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
        release.stamp >= bound || operations.wrappers.isLeftBy(attempt) ||
        operations.wrappers.isLeftBy(release))
      break;
    Route &route = routes[site % routeCount];
    const std::uint32_t lockClass =
        context.names ? context.names->find(attempt.address, context.sites[site].lockClass)
                      : context.sites[site].lockClass;
    if ((route.attempt != what || route.from != ledger.lastSection ||
         route.lockClass != lockClass) &&
        !find(ledger, attempt, lockClass, route))
      break;
    Tables &tables = ledger.accounts.tables;
    if (manyLocks && lookAhead < count - done)
      tables.locks.expect(events[done + lookAhead].address);
    Lock *const lock = lockOf(tables, route, attempt.address);
    if (!lock)
      break;
    PlainSections::count(ledger, route, *lock, attempt, acquire, release);
  }
  operations.serial += done;
  if (done != 0)
    operations.wrappers.lastDone = operations.serial - 1;
  return done;
}

} // namespace qdadvise::runtime
