// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See replay.h.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

void Replay::begin(std::uint32_t threadClass, std::uint32_t number, std::uint64_t stamp) {
  classIndex = threadClass;
  threadNumber = number;
  aliveSince = lastStamp = stamp;
  pausedTicks = 0;
  unstampedSince = 0;
  now = 0;
  entering = wasBlocked = hasLeft = false;
  windowEnd = 0;
  lastSection = none;
  localTicks = blockedTicks = 0;
  attemptSize = asideSize = heldSize = callSize = provisionalSize = 0;
  retries.count = 0;
  expectedNext = 0;
  mayExpect = false;
  lastReleased = lastRead = 0;
  forgetRoutes();
  for (std::uint64_t &address : expected)
    address = 0;
}

void Replay::step(const Event &event) {
  if (instantOf(event) == readersInstant)
    return onReaders(event, lastStamp);
  if (instantOf(event) == pauseInstant) {
    --tables.events; // no hook's
    return pause(event.address);
  }
  const std::uint32_t site = siteOf(event);
  ++serial;
  if (instantOf(event) != Instant::release)
    lastReleased = 0;
  if (context.sites[site].role == SiteRole::wrapper) {
    unstampedSince += unstampedTicks(event);
    return stepCall(event, site);
  }
  advance(event);
  apply(event, site);
  if (__builtin_expect(asideSize != 0, 0) && attemptSize == 0 && heldSize <= asideHeld)
    takeUpAgain();
}

void Replay::apply(const Event &event, std::uint32_t site) {
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

/// Moves the virtual clock to the event and puts the time on the account it belongs to.
void Replay::advance(const Event &event) {
  if (context.countersOnly)
    return;
  const double elapsed =
      static_cast<double>(static_cast<std::int64_t>(event.stamp - lastStamp - pausedTicks)) -
      hookTicks(event) - unstampedSince;
  lastStamp = event.stamp;
  pausedTicks = 0;
  unstampedSince = 0;
  now += elapsed;
  stayInWindow(event.stamp);
  if (attemptSize != 0 || wasBlocked) {
    if (wasBlocked || context.sites[attempts[0].site].role != SiteRole::acquire)
      chargeBlocked(elapsed);
    wasBlocked = false;
  } else if (heldSize != 0) {
    held[heldSize - 1].own += elapsed;
  } else {
    chargeLocal(elapsed);
  }
}

void Replay::chargeBlocked(double ticks) {
  blockedTicks += ticks;
  if (!times)
    return;
  times->blockedNs += ticks * context.nsPerTick;
  times->windows[window].blockedNs += ticks * context.nsPerTick;
}

/// Time goes to the window in which it ends.
void Replay::enterWindow(std::uint64_t stamp) {
  const std::uint64_t since = stamp > context.startStamp ? stamp - context.startStamp : 0;
  window = tables.windowAt(since);
  windowEnd = context.startStamp + (std::uint64_t{window + 1} << tables.windowShift);
  times = tables.threadClass(classIndex);
  if (times)
    times->windows[window].note(threadNumber);
}

// --- locks that end ---

void Replay::lookForRetirements() {
  if (!context.retirements)
    return;
  retiredSeen = context.retirements->size();
  retireStamp = nextRetired < retiredSeen ? context.retirements->stampAt(nextRetired) : ~0ull;
}

void Replay::retireBefore(std::uint64_t stamp) {
  const Retirements &all = *context.retirements;
  for (; nextRetired < retiredSeen && all.stampAt(nextRetired) <= stamp; ++nextRetired)
    retire(all.addressAt(nextRetired), nextRetired);
  retireStamp = nextRetired < retiredSeen ? all.stampAt(nextRetired) : ~0ull;
}

void Replay::retireUpTo(std::uint64_t count) {
  if (!context.retirements)
    return;
  for (; nextRetired < count; ++nextRetired)
    retire(context.retirements->addressAt(nextRetired), nextRetired);
}

/// What is still held of it was given back where nobody saw.
void Replay::retire(std::uint64_t address, std::uint64_t at) {
  for (unsigned i = heldSize; i-- > 0;)
    if (held[i].has(address)) {
      settleLock(held[i]);
      removeHeld(i);
    }
  tables.closeLock(address, [&](std::uint32_t lockClass, const LockTraffic &traffic) {
    context.retirements->give(at, lockClass, traffic);
  });
}

// --- the thread itself ---

void Replay::addOpen(Tables &total, std::uint64_t stamp) const {
  if (context.countersOnly)
    return;
  const double since = stamp > lastStamp ? ticksUntil(stamp) : 0;
  for (unsigned i = 0; i < heldSize; ++i) {
    LockTable::Place place = held[i].recordPlace;
    if (!held[i].recorded || held[i].section == none)
      continue;
    if (Lock *const record = total.lock(held[i].recordAddress, held[i].lockClass, place))
      record->heldNs += toNs(now - held[i].acquired + since);
  }
  const bool waits = attemptSize != 0 && context.sites[attempts[0].site].role != SiteRole::acquire;
  if (ThreadClassTimes *const mine = waits ? total.threadClass(classIndex) : nullptr)
    mine->blockedNs += toNs(since);
}

void Replay::end(std::uint64_t stamp) {
  const double since = ticksUntil(stamp);
  now += since;
  if (!context.countersOnly && attemptSize == 0 && heldSize == 0) {
    stayInWindow(stamp);
    chargeLocal(since);
  }
  settle(provisionalSize);
  settleRetries();
  if (lastSection != none)
    recordTransition(none, localTicks, blockedTicks);
  localTicks = blockedTicks = 0;
  if (ThreadClassTimes *const mine = tables.threadClass(classIndex))
    mine->aliveNs += toNs(static_cast<double>(static_cast<std::int64_t>(stamp - aliveSince)));
  aliveSince = lastStamp = stamp;
  pausedTicks = 0;
  unstampedSince = 0;
  lastSection = none;
}

void Replay::cut(std::uint64_t stamp, std::uint64_t since) {
  for (unsigned i = 0; i < heldSize; ++i) {
    held[i].section = none;
    held[i].recorded = false;
    held[i].provisional = false;
  }
  attemptSize = asideSize = callSize = provisionalSize = 0;
  retries.count = 0;
  windowEnd = 0;
  times = nullptr;
  lastRead = 0;
  forgetRoutes();
  lastSection = none;
  localTicks = blockedTicks = 0;
  aliveSince = since != 0 ? aliveSince + (stamp - since) : stamp;
  lastStamp = stamp;
  entering = wasBlocked = hasLeft = false;
  pausedTicks = 0;
  unstampedSince = 0;
}

void Replay::changeClass(std::uint32_t threadClass, std::uint64_t stamp) {
  end(stamp);
  cut(stamp);
  classIndex = threadClass;
}

} // namespace qdadvise::runtime
