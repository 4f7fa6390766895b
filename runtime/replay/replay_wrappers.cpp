// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that may return with a lock held that they took. What a lock
// taken inside counts as is known when the call ends: if it is still held, as the
// call's section; else as its own. Until then it is provisional: counted nowhere, so
// that nothing need be undone. See replay.h.
//
// A section keeps the waiting time of the operation that took the lock. What a wrapper
// does besides, and it may do much, is local computation as everywhere else; only
// failed tries of the lock before it is taken are part of the waiting.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

/// Forgets calls whose frames are gone.
void Replay::dropCalls(std::uint32_t stack) {
  while (callSize != 0 && deeper(calls[callSize - 1].stack, stack))
    --callSize;
  settleFinished();
}

void Replay::stepCall(const Event &event, std::uint32_t site) {
  switch (instantOf(event)) {
  case Instant::attempt:
    return beginCall(event, site);
  case Instant::acquire:
    return endCall(event, site, true);
  case Instant::fail:
    return endCall(event, site, false);
  default:
    return;
  }
}

void Replay::beginCall(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  // Inside a lock operation there are no sites.
  if (attemptSize != 0)
    return;
  // The very same call again, from the same frame: the first one was left by a jump.
  for (unsigned i = 0; i < callSize; ++i)
    if (calls[i].site == site && calls[i].stack == event.stack && calls[i].address == event.address)
      callSize = i;
  if (callSize == maxCalls) {
    // Deep recursion: the outermost call will not be a site.
    --callSize;
    for (unsigned i = 0; i < callSize; ++i)
      calls[i] = calls[i + 1];
  }
  calls[callSize++] = {event.address, serial, site, event.stack};
  settleFinished();
}

/// The open call, as an index plus one; 0: none. A hook in last place may be called from
/// where its function's frame is gone already: another frame's call is second choice.
unsigned Replay::findCall(const Event &event, std::uint32_t site) const {
  unsigned best = 0;
  for (unsigned at = callSize; at > 0; --at) {
    const Call &call = calls[at - 1];
    if (call.site != site || call.address != event.address)
      continue;
    if (call.stack == event.stack)
      return at;
    best = best != 0 ? best : at;
  }
  return best;
}

void Replay::endCall(const Event &event, std::uint32_t site, bool returned) {
  const unsigned at = findCall(event, site);
  if (at == 0)
    return dropAbandoned(event.stack);
  const Call call = calls[at - 1];
  callSize = at - 1;
  // Operations inside it that never ended were left by an exception.
  while (attemptSize != 0 && attempts[attemptSize - 1].serial > call.serial)
    --attemptSize;
  if (returned)
    nameAfter(call);
  settleFinished();
}

/// What the call took and did not give back is its section.
void Replay::nameAfter(const Call &call) {
  unsigned kept = 0;
  for (unsigned i = provisionalSize; i-- > 0 && provisional[i].lock > call.serial;)
    ++kept;
  for (unsigned i = provisionalSize - kept; i < provisionalSize; ++i) {
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
  if (retries.count != 0 && retries.serial > call.serial && lastDone < call.serial) {
    SiteCounts *const before = retries.callSite != none ? tables.site(retries.callSite) : nullptr;
    if (before)
      ++before->inside;
    retries.callSite = call.site;
    retries.callAddress = call.address;
  } else if (SiteCounts *const counts = tables.site(call.site)) {
    ++counts->inside;
  }
}

/// The site of a call; a body's own mark stands for whoever called it.
std::uint32_t Replay::siteOfCall(std::uint32_t site, std::uint64_t address) const {
  const bool byCaller = (context.sites[site].flags & siteByCaller) != 0;
  return byCaller && context.callerSite ? context.callerSite(site, address) : site;
}

// --- locks whose site is not known yet ---

void Replay::enterProvisionally(Held &lock, Acquisition &taken) {
  if (retries.count != 0 && retries.address == lock.addresses[0] && retries.callSite == none &&
      retries.serial > calls[callSize - 1].serial) {
    taken.retries = retries;
    taken.retries.ticks = accountAtHand() - retries.ticks;
    retries.count = 0;
  }
  settleRetries();
  if (provisionalSize == maxProvisional)
    settle(1);
  taken.lock = lock.serial;
  taken.inside = none;
  if (taken.outermost) {
    taken.localTicks = localTicks;
    taken.blockedTicks = blockedTicks;
    localTicks = blockedTicks = 0;
  }
  for (unsigned i = heldSize; i-- > 0;) {
    if (held[i].section == none && !held[i].provisional)
      continue;
    taken.enclosing = held[i].serial;
    taken.inside = held[i].section;
    break;
  }
  provisional[provisionalSize++] = taken;
  lock.provisional = true;
}

/// Counts the oldest `count` provisional acquisitions as they stand.
void Replay::settle(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    commit(provisional[i]);
  for (std::size_t i = count; i < provisionalSize; ++i)
    provisional[i - count] = provisional[i];
  provisionalSize -= static_cast<unsigned>(count);
}

/// Something happens to the lock that must find it counted. Those that it was taken
/// inside of are older and come first.
void Replay::settleLock(const Held &lock) {
  if (!lock.provisional)
    return;
  const std::uint64_t wanted = lock.serial;
  std::size_t count = 0;
  while (count < provisionalSize && provisional[count].lock <= wanted)
    ++count;
  settle(count);
}

/// Counts what no open call can name any more.
void Replay::settleFinished() {
  std::size_t count = 0;
  while (count < provisionalSize && (callSize == 0 || provisional[count].lock < calls[0].serial))
    ++count;
  settle(count);
  if (retries.count != 0 && (callSize == 0 || retries.serial < calls[0].serial))
    settleRetries();
}

void Replay::commit(const Acquisition &taken) {
  Held *lock = nullptr;
  for (unsigned i = 0; i < heldSize; ++i)
    if (held[i].serial == taken.lock && held[i].provisional)
      lock = &held[i];
  if (!lock)
    return;
  lock->provisional = false;
  Acquisition known = taken;
  if (taken.wrapped) {
    known.site = siteOfCall(taken.site, taken.address);
    const std::uint32_t lockClass = context.sites[known.site].lockClass;
    if (lockClass != none && taken.alone && !taken.again)
      lock->lockClass = lockClass;
  }
  const Retries &tries = taken.retries;
  if (tries.count != 0 && taken.wrapped)
    waitInTries(known, lock->acquired);
  else if (tries.count != 0)
    countFailures(tries.site, context.sites[tries.site].lockClass, isShared(tries.site),
                  taken.inside, tries.count);
  if (SiteCounts *const counts = tables.site(known.site))
    ++counts->executed;
  count(*lock, known);
  for (unsigned i = 0; i < provisionalSize; ++i)
    if (provisional[i].enclosing == taken.lock)
      provisional[i].inside = lock->section != none ? lock->section : known.inside;
}

// --- failed tries ---

/// A wrapper that tried until it had the lock has waited since its first try.
void Replay::waitInTries(Acquisition &taken, double acquired) {
  const Retries &tries = taken.retries;
  if (SiteCounts *const counts = tables.site(tries.site))
    counts->inside += tries.count;
  taken.contended = true;
  const bool isTimed = (context.sites[tries.site].flags & siteTimed) != 0;
  if (isTimed || context.countersOnly)
    return; // that time is blocked time already
  Held *around = nullptr;
  for (unsigned i = 0; i < heldSize && !taken.outermost; ++i)
    if (held[i].serial == taken.enclosing)
      around = &held[i];
  if (taken.outermost) {
    taken.localTicks -= tries.ticks;
    if (times)
      times->windows[window].localNs -= tries.ticks * context.nsPerTick;
  } else if (around) {
    around->own -= tries.ticks;
  } else {
    return; // counted as holding what was given back meanwhile
  }
  taken.waitTicks = acquired - tries.start;
}

void Replay::countRetry(const Attempt &attempt, std::uint32_t site) {
  const bool again = retries.count != 0 && retries.site == site &&
                     retries.address == attempt.address && retries.callSite == none &&
                     retries.serial > calls[callSize - 1].serial;
  if (again) {
    ++retries.count;
    return;
  }
  settleRetries();
  retries = {attempt.address, attempt.serial, attempt.start, accountAtHand(), site, 1, none, 0};
}

/// Failed tries were failed tries, or a wrapper's one.
void Replay::settleRetries() {
  if (retries.count == 0)
    return;
  Retries tries = retries;
  retries.count = 0;
  settle(provisionalSize);
  lastDone = lastDone > tries.serial ? lastDone : tries.serial;
  std::uint32_t lockClass = context.sites[tries.site].lockClass;
  const bool shared = isShared(tries.site);
  if (tries.callSite != none) {
    if (SiteCounts *const counts = tables.site(tries.site))
      counts->inside += tries.count;
    tries.site = siteOfCall(tries.callSite, tries.callAddress);
    tries.count = 1;
    const std::uint32_t named = context.sites[tries.site].lockClass;
    lockClass = named != none ? named : lockClass;
  }
  countFailures(tries.site, lockClass, shared, enclosingSection(), tries.count);
}

void Replay::countFailures(std::uint32_t site, std::uint32_t lockClass, bool shared,
                           std::uint32_t inside, std::uint32_t failures) {
  if (SiteCounts *const counts = tables.site(site)) {
    counts->executed += failures;
    counts->tryFailures += failures;
  }
  const std::uint32_t at = sectionFor(site, lockClass, shared, inside);
  if (at != none)
    tables.sections[at].tryFailures += failures;
}

} // namespace qdadvise::runtime
