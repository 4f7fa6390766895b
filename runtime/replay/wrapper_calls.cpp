// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See wrapper_calls.h.
#include "runtime/replay/wrapper_calls.h"

namespace qdadvise::runtime {

using format::none;

void WrapperCalls::dropCalls(std::uint32_t stack) {
  while (callCount != 0 && isDeeper(calls[callCount - 1].stack, stack))
    --callCount;
  settleFinished();
}

void WrapperCalls::step(const Event &event, std::uint32_t site, std::uint64_t serial) {
  switch (instantOf(event)) {
  case Instant::attempt:
    return begin(event, site, serial);
  case Instant::acquire:
    return end(event, site, true);
  case Instant::fail:
    return end(event, site, false);
  default:
    return;
  }
}

void WrapperCalls::begin(const Event &event, std::uint32_t site, std::uint64_t serial) {
  attempts.dropAbandoned(event.stack);
  dropAbandoned(event.stack);
  // Inside a lock operation there are no sites.
  if (!attempts.isEmpty())
    return;
  // The same call again, from the same frame: the first one was left by a jump.
  for (unsigned i = 0; i < callCount; ++i)
    if (calls[i].site == site && calls[i].stack == event.stack && calls[i].address == event.address)
      callCount = i;
  if (callCount == maxCalls) {
    // Deep recursion: the outermost call will not be a site.
    --callCount;
    for (unsigned i = 0; i < callCount; ++i)
      calls[i] = calls[i + 1];
  }
  calls[callCount++] = {event.address, serial, site, event.stack};
  settleFinished();
}

/// The open call, as an index plus one; 0: none. A hook in last place may be called from
/// where its function's frame is gone already: another frame's call is second choice.
unsigned WrapperCalls::find(const Event &event, std::uint32_t site) const {
  unsigned best = 0;
  for (unsigned at = callCount; at > 0; --at) {
    const Call &call = calls[at - 1];
    if (call.site != site || call.address != event.address)
      continue;
    if (call.stack == event.stack)
      return at;
    best = best != 0 ? best : at;
  }
  return best;
}

void WrapperCalls::end(const Event &event, std::uint32_t site, bool returned) {
  const unsigned at = find(event, site);
  if (at == 0) {
    attempts.dropAbandoned(event.stack);
    return dropAbandoned(event.stack);
  }
  const Call call = calls[at - 1];
  callCount = at - 1;
  // Operations inside it that never ended were left by an exception.
  attempts.dropAfter(call.serial);
  if (returned)
    nameAfter(call);
  settleFinished();
}

/// What the call took and did not give back is its section.
void WrapperCalls::nameAfter(const Call &call) {
  Tables &tables = ledger.accounts.tables;
  unsigned kept = 0;
  while (kept < provisionalCount && provisional[provisionalCount - 1 - kept].lock > call.serial)
    ++kept;
  for (unsigned i = provisionalCount - kept; i < provisionalCount; ++i) {
    Acquisition &taken = provisional[i];
    if (SiteCounts *const counts = tables.site(taken.site))
      ++counts->inside;
    taken.site = call.site;
    taken.address = call.address;
    taken.wrapped = true;
    taken.alone = kept == 1;
  }
  if (kept != 0)
    return;
  if (tries.count != 0 && tries.serial > call.serial && lastDone < call.serial) {
    SiteCounts *const before = tries.callSite != none ? tables.site(tries.callSite) : nullptr;
    if (before)
      ++before->inside;
    tries.callSite = call.site;
    tries.callAddress = call.address;
  } else if (SiteCounts *const counts = tables.site(call.site)) {
    ++counts->inside;
  }
}

/// The site of a call; a body's own mark stands for whoever called it.
std::uint32_t WrapperCalls::siteOfCall(std::uint32_t site, std::uint64_t address) const {
  const ReplayContext &context = ledger.accounts.context;
  const bool byCaller = (context.sites[site].flags & siteByCaller) != 0;
  return byCaller && context.callerSite ? context.callerSite(site, address) : site;
}

// --- locks whose site is not known yet ---

void WrapperCalls::enter(HeldLock &lock, Acquisition &taken) {
  if (tries.count != 0 && tries.address == lock.addresses[0] && tries.callSite == none &&
      tries.serial > calls[callCount - 1].serial) {
    taken.tries = tries;
    taken.tries.ticks = accountAtHand() - tries.ticks;
    tries.count = 0;
  }
  settleTries();
  if (provisionalCount == maxProvisional)
    settle(1);
  taken.lock = lock.serial;
  taken.inside = none;
  if (taken.outermost) {
    Accounts &accounts = ledger.accounts;
    taken.localTicks = accounts.localTicks;
    taken.blockedTicks = accounts.blockedTicks;
    taken.barriers = accounts.barriers;
    accounts.startTransition();
  }
  for (unsigned i = held.size(); i-- > 0;) {
    if (held[i].section == none && !held[i].provisional)
      continue;
    taken.enclosing = held[i].serial;
    taken.inside = held[i].section;
    break;
  }
  provisional[provisionalCount++] = taken;
  lock.provisional = true;
}

/// Counts the oldest `count` provisional acquisitions as they stand.
void WrapperCalls::settle(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    commit(provisional[i]);
  for (std::size_t i = count; i < provisionalCount; ++i)
    provisional[i - count] = provisional[i];
  provisionalCount -= static_cast<unsigned>(count);
}

/// Locks that this one was taken inside of are older and come first.
void WrapperCalls::settleLock(const HeldLock &lock) {
  if (!lock.provisional)
    return;
  const std::uint64_t wanted = lock.serial;
  std::size_t count = 0;
  while (count < provisionalCount && provisional[count].lock <= wanted)
    ++count;
  settle(count);
}

/// Counts what no open call can name any more.
void WrapperCalls::settleFinished() {
  std::size_t count = 0;
  while (count < provisionalCount && (callCount == 0 || provisional[count].lock < calls[0].serial))
    ++count;
  settle(count);
  if (tries.count != 0 && (callCount == 0 || tries.serial < calls[0].serial))
    settleTries();
}

void WrapperCalls::commit(const Acquisition &taken) {
  HeldLock *const lock = held.takenAt(taken.lock);
  if (!lock || !lock->provisional)
    return;
  const ReplayContext &context = ledger.accounts.context;
  lock->provisional = false;
  Acquisition known = taken;
  if (taken.wrapped) {
    known.site = siteOfCall(taken.site, taken.address);
    const std::uint32_t lockClass = context.sites[known.site].lockClass;
    if (lockClass != none && taken.alone && !taken.again)
      lock->lockClass = lockClass;
  }
  if (const FailedTries &before = taken.tries; before.count != 0) {
    const SiteTraits &site = context.sites[before.site];
    if (taken.wrapped)
      waitInTries(known, lock->acquired);
    else
      ledger.countFailures(before.site, site.lockClass, (site.flags & siteShared) != 0,
                           taken.inside, before.count);
  }
  if (SiteCounts *const counts = ledger.accounts.tables.site(known.site))
    ++counts->executed;
  ledger.countAcquisition(*lock, known);
  for (unsigned i = 0; i < provisionalCount; ++i)
    if (provisional[i].enclosing == taken.lock)
      provisional[i].inside = lock->section != none ? lock->section : known.inside;
}

// --- failed tries ---

/// A wrapper that tried until it had the lock has waited since its first try.
void WrapperCalls::waitInTries(Acquisition &taken, double acquired) {
  Accounts &accounts = ledger.accounts;
  const FailedTries &before = taken.tries;
  if (SiteCounts *const counts = accounts.tables.site(before.site))
    counts->inside += before.count;
  taken.contended = true;
  const bool isTimed = (accounts.context.sites[before.site].flags & siteTimed) != 0;
  if (isTimed || accounts.context.countersOnly)
    return; // that time is blocked time already
  if (taken.outermost) {
    taken.localTicks -= before.ticks;
    if (accounts.times)
      accounts.times->windows[accounts.window].localNs -= before.ticks * accounts.context.nsPerTick;
  } else if (HeldLock *const around = held.takenAt(taken.enclosing)) {
    around->own -= before.ticks;
  } else {
    return; // counted as holding what was given back meanwhile
  }
  taken.waitTicks = acquired - before.start;
}

void WrapperCalls::countTry(const Attempt &attempt, std::uint32_t site) {
  const bool again = tries.count != 0 && tries.site == site && tries.address == attempt.address &&
                     tries.callSite == none && tries.serial > calls[callCount - 1].serial;
  if (again) {
    ++tries.count;
    return;
  }
  settleTries();
  tries = {attempt.address, attempt.serial, attempt.start, accountAtHand(), site, 1, none, 0};
}

void WrapperCalls::settleTries() {
  if (tries.count == 0)
    return;
  const ReplayContext &context = ledger.accounts.context;
  FailedTries failed = tries;
  tries.count = 0;
  settle(provisionalCount);
  lastDone = lastDone > failed.serial ? lastDone : failed.serial;
  std::uint32_t lockClass = context.sites[failed.site].lockClass;
  const bool shared = (context.sites[failed.site].flags & siteShared) != 0;
  if (failed.callSite != none) {
    if (SiteCounts *const counts = ledger.accounts.tables.site(failed.site))
      counts->inside += failed.count;
    failed.site = siteOfCall(failed.callSite, failed.callAddress);
    failed.count = 1;
    const std::uint32_t named = context.sites[failed.site].lockClass;
    lockClass = named != none ? named : lockClass;
  }
  ledger.countFailures(failed.site, lockClass, shared, held.enclosingSection(), failed.count);
}

} // namespace qdadvise::runtime
