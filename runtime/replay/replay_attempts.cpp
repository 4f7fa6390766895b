// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that have begun: attempts, how they end, and waiting for something else
// than a lock. See replay.h.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

} // namespace

/// Attempts and calls of frames that are gone: an exception or a longjmp left them.
void Replay::dropAbandoned(std::uint32_t stack) {
  while (attemptSize != 0 && deeper(attempts[attemptSize - 1].stack, stack))
    --attemptSize;
  if (callSize != 0 && deeper(calls[callSize - 1].stack, stack))
    dropCalls(stack);
}

/// One operation that takes several locks marks one attempt for each.
bool Replay::siblings(unsigned a, unsigned b) const {
  return attempts[a].site == attempts[b].site && attempts[a].stack == attempts[b].stack;
}

unsigned Replay::groupStart(unsigned at) const {
  while (at > 0 && siblings(at - 1, at))
    --at;
  return at;
}

int Replay::findAttempt(std::uint32_t site, std::uint64_t address, bool anyAddress) const {
  for (unsigned i = attemptSize; i-- > 0;)
    if (attempts[i].site == site && (anyAddress || attempts[i].address == address))
      return static_cast<int>(i);
  return -1;
}

/// Forgets what was begun inside the operation at `at` and never ended.
void Replay::keepUpTo(unsigned at) {
  unsigned last = at;
  while (last + 1 < attemptSize && siblings(at, last + 1))
    ++last;
  attemptSize = last + 1;
}

Replay::Attempt Replay::takeAttempt(unsigned at) {
  const Attempt taken = attempts[at];
  for (unsigned i = at; i + 1 < attemptSize; ++i)
    attempts[i] = attempts[i + 1];
  --attemptSize;
  return taken;
}

/// Where all that has begun is waiting for something else than a lock: what comes is no part of it.
void Replay::setAside() {
  if (attemptSize == 0 || context.sites[attempts[0].site].role != SiteRole::block ||
      asideSize + attemptSize > maxAside)
    return;
  if (asideSize == 0)
    asideHeld = heldSize;
  for (unsigned i = 0; i < attemptSize; ++i)
    aside[asideSize++] = attempts[i];
  attemptSize = 0;
}

void Replay::takeUpAgain() {
  for (unsigned i = 0; i < asideSize; ++i)
    attempts[attemptSize++] = aside[i];
  asideSize = 0;
}

unsigned Replay::nearestInGroup(unsigned start, std::uint64_t address) const {
  unsigned best = start;
  for (unsigned i = start + 1; i < attemptSize && siblings(start, i); ++i) {
    if (log)
      log->unusual = true; // it depends on where locks lie
    if (distance(attempts[i].address, address) < distance(attempts[best].address, address))
      best = i;
  }
  return best;
}

/// What an inner operation saw of the lock counts for the operation around it.
void Replay::passUp(unsigned groupAt, const Attempt &inner) {
  if (groupAt == 0)
    return;
  Attempt &outer = attempts[nearestInGroup(groupStart(groupAt - 1), inner.address)];
  outer.taken |= inner.taken;
  outer.mine |= inner.mine;
  outer.byWriter |= inner.byWriter;
  outer.known |= inner.known;
}

void Replay::onAttempt(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  if (context.sites[site].role != SiteRole::block)
    setAside();
  // The very same operation again, from the same frame: the first one was left by a jump.
  for (unsigned i = 0; i < attemptSize; ++i)
    if (attempts[i].site == site && attempts[i].stack == event.stack &&
        attempts[i].address == event.address)
      attemptSize = i;
  if (attemptSize == maxAttempts) {
    tables.dropped += attemptSize;
    attemptSize = 0;
  }
  const bool readable = context.sites[site].kind != LockKind::unknown;
  attempts[attemptSize++] = {event.address,
                             serial,
                             now,
                             site,
                             event.stack,
                             0,
                             none,
                             (event.what & eventTaken) != 0,
                             (event.what & eventMine) != 0,
                             (event.what & eventByWriter) != 0,
                             readable};
}

void Replay::onAcquire(const Event &event, std::uint32_t site) {
  const int found = findAttempt(site, event.address, false);
  Attempt attempt{event.address, serial, now,   site,  event.stack, 0,
                  none,          false,  false, false, false};
  unsigned group = attemptSize;
  bool withSiblings = false;
  if (found >= 0) {
    keepUpTo(static_cast<unsigned>(found));
    group = groupStart(static_cast<unsigned>(found));
    withSiblings = attemptSize - group > 1;
    attempt = attempts[found];
  } else {
    dropAbandoned(event.stack);
    group = attemptSize;
  }
  Held lock = newLock(attempt, site);
  bindInner(lock, attempt, withSiblings, group);
  if (found >= 0)
    takeAttempt(static_cast<unsigned>(found));
  // What follows of this operation waits for the next lock only from here on.
  for (unsigned i = group; i < attemptSize; ++i)
    attempts[i].start = now;

  if (group != 0) {
    if (SiteCounts *const counts = tables.site(site))
      ++counts->inside;
    passUp(group, attempt);
    lock.inner = true;
    if (heldSize < maxHeld)
      held[heldSize++] = lock;
    else
      ++tables.dropped;
    return;
  }
  enter(lock, attempt, site, false);
}

void Replay::onFail(const Event &event, std::uint32_t site) {
  const SiteTraits &traits = context.sites[site];
  const int found = findAttempt(site, event.address, false);
  if (found < 0)
    return dropAbandoned(event.stack);
  keepUpTo(static_cast<unsigned>(found));
  const unsigned group = groupStart(static_cast<unsigned>(found));
  const Attempt attempt = takeAttempt(static_cast<unsigned>(found));
  if (group != 0) {
    if (SiteCounts *const counts = tables.site(site))
      ++counts->inside;
    return;
  }
  // What it took inside and kept, although it failed, is nobody's section.
  for (unsigned i = 0; i < heldSize; ++i)
    held[i].inner = false;
  if (callSize != 0)
    countRetry(attempt, site);
  else
    countFailures(site, traits.lockClass, (traits.flags & siteShared) != 0, enclosingSection(), 1);
  if (context.countersOnly)
    return;
  const double spent = now - attempt.start;
  if ((traits.flags & siteTimed) != 0)
    chargeBlocked(spent);
  else if (heldSize != 0)
    held[heldSize - 1].own += spent;
  else
    localTicks += spent;
}

void Replay::onWait(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  setAside();
  const bool outermost = attemptSize == 0;
  std::uint32_t depth = 1, lockClass = none;
  if (outermost) {
    settleRetries();
    const int at = findHeld(event.address);
    if (at >= 0) {
      depth = held[at].depth;
      settleLock(held[at]);
      lockClass = held[at].lockClass;
      expectRest(held[at], event.address);
      completeHold(static_cast<unsigned>(at));
    } else {
      tables.unmatched += !context.sliced;
    }
  }
  onAttempt(event, site);
  attempts[attemptSize - 1].depth = depth;
  attempts[attemptSize - 1].lockClass = lockClass;
}

void Replay::onWake(const Event &event, std::uint32_t site) {
  const int found = findAttempt(site, event.address, false);
  Attempt attempt{event.address, serial, now,   site,  event.stack, 1,
                  none,          false,  false, false, false};
  unsigned group = attemptSize;
  if (found >= 0) {
    group = static_cast<unsigned>(found);
    attemptSize = group + 1;
    attempt = attempts[group];
  }
  Held lock = newLock(attempt, site);
  bindInner(lock, attempt, false, group);
  if (found >= 0)
    --attemptSize;
  if (group == 0)
    enter(lock, attempt, site, true);
  else if (SiteCounts *const counts = tables.site(site))
    ++counts->inside;
}

void Replay::onBlock(const Event &event, std::uint32_t site) {
  onAttempt(event, site);
  settleRetries();
  lastDone = serial;
}

void Replay::onUnblock(std::uint32_t site) {
  SiteCounts *const counts = tables.site(site);
  if (const int found = findAttempt(site, 0, true); found >= 0) {
    attemptSize = static_cast<unsigned>(found);
    if (counts)
      ++(attemptSize == 0 ? counts->executed : counts->inside);
    return;
  }
  for (unsigned i = asideSize; i-- > 0;)
    if (aside[i].site == site) {
      asideSize = i;
      if (counts)
        ++(i == 0 ? counts->executed : counts->inside);
      return;
    }
}

/// The readers of the lock that was released just now. Those of a lock around it that is
/// one with it are the same once more.
void Replay::onReaders(const Event &event, std::uint64_t until) {
  if (event.address != lastRead || !lastReaders)
    return;
  if (log)
    log->add({Effect::sharing, false, false, LockKind::unknown, none, none, log->event, 0, 0});
  lastReaders->most = event.stack > lastReaders->most ? event.stack : lastReaders->most;
  if ((event.what & eventLast) == 0)
    return;
  const double busy = static_cast<double>(static_cast<std::int64_t>(until - event.stamp));
  lastReaders->busy.add(context.countersOnly ? 0 : toNs(busy - hookTicks(event)));
}

} // namespace qdadvise::runtime
