// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See operations.h.
#include "runtime/replay/operations.h"

namespace qdadvise::runtime {

using format::none;

void Operations::clear() {
  attempts.clear();
  held.clear();
  wrappers.clear();
  expected.clear();
  lastReleased = 0;
}

void Operations::discardOpenState() {
  held.discardSections();
  attempts.clear();
  wrappers.clear();
  wasBlocked = false;
}

void Operations::step(const Event &event) {
  VirtualClock &clock = ledger.accounts.clock;
  if (instantOf(event) == readersInstant)
    return ledger.countReaders(event, clock.lastStamp);
  if (instantOf(event) == pauseInstant) {
    --ledger.accounts.tables.events; // no hook's
    clock.pausedTicks += event.address;
    return;
  }
  const std::uint32_t site = siteOf(event);
  ++serial;
  if (instantOf(event) != Instant::release)
    lastReleased = 0;
  if (context().sites[site].role == SiteRole::wrapper) {
    clock.unstampedSince += clock.unstampedTicks(event);
    return wrappers.step(event, site, serial);
  }
  advance(event);
  apply(event, site);
  if (__builtin_expect(attempts.hasAside(), 0))
    attempts.takeUpAgain(held.size());
}

void Operations::apply(const Event &event, std::uint32_t site) {
  switch (instantOf(event)) {
  case Instant::attempt:
    return onAttempt(event, site);
  case Instant::acquire:
    return onAcquire(event, site);
  case Instant::release:
    return onRelease(event, site);
  case Instant::fail:
    return onFail(event, site);
  case Instant::wait:
    return onWait(event, site);
  case Instant::wake:
    return onWake(event, site);
  case Instant::block:
    return onBlock(event, site);
  case Instant::unblock:
    return onUnblock(site);
  case Instant::retire:
  case Instant::spawn:
    return;
  }
}

void Operations::advance(const Event &event) {
  if (context().countersOnly)
    return;
  Accounts &accounts = ledger.accounts;
  const double elapsed = accounts.clock.advanceTo(event);
  accounts.stayInWindow(event.stamp);
  if (!attempts.isEmpty() || wasBlocked) {
    if (wasBlocked || !waitsForLock())
      accounts.chargeBlocked(elapsed);
    wasBlocked = false;
  } else if (!held.isEmpty()) {
    held.newest().own += elapsed;
  } else {
    accounts.chargeLocal(elapsed);
  }
}

void Operations::endLock(std::uint64_t address) {
  for (unsigned i = held.size(); i-- > 0;)
    if (held[i].has(address)) {
      wrappers.settleLock(held[i]);
      held.remove(i);
    }
}

// --- taking locks ---

void Operations::onAttempt(const Event &event, std::uint32_t site) {
  const SiteTraits &traits = context().sites[site];
  dropAbandoned(event.stack);
  if (traits.role != SiteRole::block)
    attempts.setAside(context().sites, held.size());
  ledger.accounts.tables.dropped +=
      attempts.push({event.address, serial, ledger.accounts.clock.now, site, event.stack, 0, none,
                     (event.what & eventTaken) != 0, (event.what & eventMine) != 0,
                     (event.what & eventByWriter) != 0, traits.kind != LockKind::unknown});
}

void Operations::onAcquire(const Event &event, std::uint32_t site) {
  const double now = ledger.accounts.clock.now;
  const int found = attempts.find(site, event.address);
  Attempt attempt{event.address, serial, now,   site,  event.stack, 0,
                  none,          false,  false, false, false};
  if (found >= 0) {
    attempts.keepUpTo(static_cast<unsigned>(found));
    attempt = attempts[static_cast<unsigned>(found)];
  } else {
    dropAbandoned(event.stack);
  }
  const unsigned group =
      found >= 0 ? attempts.groupStart(static_cast<unsigned>(found)) : attempts.size();
  const bool withSiblings = found >= 0 && attempts.size() - group > 1;
  HeldLock lock = lockTaken(attempt, context().sites[site], serial, now);
  held.bindInner(lock, attempt, attempts, withSiblings, group, ledger.log);
  if (found >= 0)
    attempts.take(static_cast<unsigned>(found));
  // What follows of this operation waits for the next lock only from here on.
  for (unsigned i = group; i < attempts.size(); ++i)
    attempts[i].start = now;

  if (group == 0)
    return enter(lock, attempt, site, false);
  countInside(site);
  attempts.passUp(group, attempt, ledger.log);
  lock.inner = true;
  if (held.isFull())
    ++ledger.accounts.tables.dropped;
  else
    held.add(lock);
}

void Operations::onFail(const Event &event, std::uint32_t site) {
  const SiteTraits &traits = context().sites[site];
  const int found = attempts.find(site, event.address);
  if (found < 0)
    return dropAbandoned(event.stack);
  attempts.keepUpTo(static_cast<unsigned>(found));
  const unsigned group = attempts.groupStart(static_cast<unsigned>(found));
  const Attempt attempt = attempts.take(static_cast<unsigned>(found));
  if (group != 0)
    return countInside(site);
  // What it took inside and kept, although it failed, is nobody's section.
  for (unsigned i = 0; i < held.size(); ++i)
    held[i].inner = false;
  if (wrappers.isInCall())
    wrappers.countTry(attempt, site);
  else
    ledger.countFailures(site, traits.lockClass, (traits.flags & siteShared) != 0,
                         held.enclosingSection(), 1);
  if (context().countersOnly)
    return;
  const double spent = ledger.accounts.clock.now - attempt.start;
  if ((traits.flags & siteTimed) != 0)
    ledger.accounts.chargeBlocked(spent);
  else if (!held.isEmpty())
    held.newest().own += spent;
  else
    ledger.accounts.localTicks += spent;
}

/// Whether the thread holds this lock already and only goes deeper.
bool Operations::reenter(const HeldLock &lock, const Attempt &attempt) {
  Tables &tables = ledger.accounts.tables;
  const int at = held.find(lock.identity());
  if (at < 0)
    return false;
  HeldLock &before = held[static_cast<unsigned>(at)];
  // A pthread mutex says whose it is. One that was free at the attempt had been
  // unlocked where we did not see it, by another thread or in code without hooks.
  if (lock.kind == LockKind::pthreadMutex && attempt.known && !attempt.mine) {
    ++tables.unmatched;
    wrappers.settleLock(before);
    held.remove(static_cast<unsigned>(at));
    return false;
  }
  wrappers.settleTries();
  const bool known = before.section != none &&
                     (tables.sections[before.section].key.flags & format::sectionOther) == 0;
  if (SiteCounts *const counts =
          tables.site(known ? tables.sections[before.section].key.site : attempt.site))
    counts->reentered = true;
  ++before.depth;
  before.own += ledger.accounts.clock.now - attempt.start;
  return true;
}

/// An acquisition as the outermost operation is complete.
void Operations::enter(HeldLock &lock, const Attempt &attempt, std::uint32_t site, bool isWake) {
  Accounts &accounts = ledger.accounts;
  expected.forget(lock);
  wrappers.lastDone = serial;
  SiteCounts *const counts = accounts.tables.site(site);
  if (counts && !wrappers.isInCall())
    ++counts->executed;
  if (!isWake && reenter(lock, attempt)) {
    if (counts && wrappers.isInCall())
      ++counts->inside;
    return;
  }
  if (held.isFull()) {
    ++accounts.tables.dropped;
    return;
  }
  if (ledger.log && !attempt.known && !isWake)
    ledger.log->unusual = true; // how long it waits says whether it was contended
  lock.depth = isWake && attempt.depth != 0 ? attempt.depth : 1;
  Acquisition taken{};
  taken.again = isWake && attempt.lockClass != none;
  if (taken.again)
    lock.lockClass = attempt.lockClass;
  taken.site = site;
  taken.address = attempt.address;
  taken.stamp = accounts.clock.lastStamp;
  taken.waitTicks = isWake ? 0 : accounts.clock.now - attempt.start;
  taken.contended =
      !isWake && (attempt.known ? attempt.taken
                                : !context().countersOnly &&
                                      accounts.toNs(taken.waitTicks) > contendedThresholdNs);
  taken.byWriter = taken.contended && attempt.byWriter;
  taken.outermost = held.isEmpty();
  if (wrappers.isInCall()) {
    wrappers.enter(lock, taken);
  } else {
    taken.inside = held.enclosingSection();
    taken.localTicks = accounts.localTicks;
    taken.blockedTicks = accounts.blockedTicks;
    taken.barriers = accounts.barriers;
    if (taken.outermost)
      accounts.startTransition();
    ledger.countAcquisition(lock, taken);
  }
  held.add(lock);
}

// --- giving them back ---

void Operations::completeHold(unsigned at) {
  wrappers.settleLock(held[at]);
  ledger.countHolding(held[at]);
  held.remove(at);
}

void Operations::onRelease(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  const std::uint32_t flags = context().sites[site].flags;
  const bool inner = (flags & siteInner) != 0;
  if (expected.take(event.address) || (inner && event.address == lastReleased))
    return;
  const int at = held.find(event.address);
  if (at < 0) {
    // A release within the last one, further in than the plugin sees, is not left over.
    if ((flags & (siteConditional | siteInner)) == 0 && event.address != lastReleased)
      ledger.accounts.tables.unmatched += !context().sliced;
    return;
  }
  if (!inner)
    lastReleased = event.address;
  HeldLock &lock = held[static_cast<unsigned>(at)];
  wrappers.settleTries();
  expected.expectRest(lock, event.address);
  if (lock.depth > 1)
    --lock.depth;
  else
    completeHold(static_cast<unsigned>(at));
}

// --- waiting for something else ---

void Operations::onWait(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  attempts.setAside(context().sites, held.size());
  std::uint32_t depth = 1, lockClass = none;
  if (attempts.isEmpty()) {
    wrappers.settleTries();
    if (const int found = held.find(event.address); found >= 0) {
      const auto at = static_cast<unsigned>(found);
      depth = held[at].depth;
      wrappers.settleLock(held[at]);
      lockClass = held[at].lockClass;
      expected.expectRest(held[at], event.address);
      completeHold(at);
    } else {
      ledger.accounts.tables.unmatched += !context().sliced;
    }
  }
  onAttempt(event, site);
  Attempt &wait = attempts[attempts.size() - 1];
  wait.depth = depth;
  wait.lockClass = lockClass;
}

void Operations::onWake(const Event &event, std::uint32_t site) {
  const double now = ledger.accounts.clock.now;
  const int found = attempts.find(site, event.address);
  Attempt attempt{event.address, serial, now,   site,  event.stack, 1,
                  none,          false,  false, false, false};
  unsigned group = attempts.size();
  if (found >= 0) {
    group = static_cast<unsigned>(found);
    attempts.truncate(group + 1);
    attempt = attempts[group];
  }
  HeldLock lock = lockTaken(attempt, context().sites[site], serial, now);
  held.bindInner(lock, attempt, attempts, false, group, ledger.log);
  if (found >= 0)
    attempts.truncate(group);
  if (group == 0)
    enter(lock, attempt, site, true);
  else
    countInside(site);
}

void Operations::onBlock(const Event &event, std::uint32_t site) {
  onAttempt(event, site);
  wrappers.settleTries();
  wrappers.lastDone = serial;
}

void Operations::onUnblock(std::uint32_t site) {
  SiteCounts *const counts = ledger.accounts.tables.site(site);
  const int around = attempts.endBlock(site);
  if (around >= 0 && counts)
    ++(around == 0 ? counts->executed : counts->inside);
  if (around != 0 || (context().sites[site].flags & siteBarrier) == 0)
    return;
  ++ledger.accounts.barriers;
  if (ledger.log)
    ledger.log->unusual = true; // rows of events do not count them
}

} // namespace qdadvise::runtime
