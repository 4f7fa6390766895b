// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See replay.h.
#include "runtime/replay.h"

namespace qdadvise::runtime {

using format::none;

namespace {

/// Stacks grow downwards: whether a frame at `a` lies deeper than one at `b`.
/// Only the low halves are known; no stack is 2 GiB long.
bool deeper(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

} // namespace

bool Replay::Held::has(std::uint64_t address) const {
  for (unsigned i = 0; i < addressCount; ++i)
    if (addresses[i] == address)
      return true;
  return false;
}

void Replay::begin(std::uint32_t threadClass, std::uint32_t number, std::uint64_t stamp) {
  classIndex = threadClass;
  threadNumber = number;
  aliveSince = lastStamp = stamp;
  pausedTicks = 0;
  now = 0;
  windowEnd = 0;
  lastSection = none;
  localTicks = blockedTicks = 0;
  attemptSize = heldSize = 0;
  expectedNext = 0;
  mayExpect = false;
  for (std::uint64_t &address : expected)
    address = 0;
}

void Replay::step(const Event &event) {
  const std::uint32_t site = siteOf(event);
  ++serial;
  advance(event);
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
  }
}

/// Moves the virtual clock to the event and puts the time on the account it belongs to.
void Replay::advance(const Event &event) {
  if (context.countersOnly)
    return;
  const double elapsed =
      static_cast<double>(static_cast<std::int64_t>(event.stamp - lastStamp - pausedTicks)) -
      hookTicks(event);
  lastStamp = event.stamp;
  pausedTicks = 0;
  now += elapsed;
  stayInWindow(event.stamp);
  if (attemptSize != 0) {
    if (context.sites[attempts[0].site].role != SiteRole::acquire)
      chargeBlocked(elapsed);
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

// --- the operations that have begun ---

/// Attempts of frames that are gone: an exception or a longjmp left them.
void Replay::dropAbandoned(std::uint32_t stack) {
  while (attemptSize != 0 && deeper(attempts[attemptSize - 1].stack, stack))
    --attemptSize;
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

unsigned Replay::nearestInGroup(unsigned start, std::uint64_t address) const {
  unsigned best = start;
  for (unsigned i = start + 1; i < attemptSize && siblings(start, i); ++i)
    if (distance(attempts[i].address, address) < distance(attempts[best].address, address))
      best = i;
  return best;
}

/// What an inner operation saw of the lock counts for the operation around it.
void Replay::passUp(unsigned groupAt, const Attempt &inner) {
  if (groupAt == 0)
    return;
  Attempt &outer = attempts[nearestInGroup(groupStart(groupAt - 1), inner.address)];
  outer.taken |= inner.taken;
  outer.mine |= inner.mine;
  outer.known |= inner.known;
}

void Replay::onAttempt(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
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
                             (event.what & eventTaken) != 0,
                             (event.what & eventMine) != 0,
                             readable};
}

void Replay::onAcquire(const Event &event, std::uint32_t site) {
  const int found = findAttempt(site, event.address, false);
  Attempt attempt{event.address, serial, now, site, event.stack, 0, false, false, false};
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

  SiteCounts *const counts = tables.site(site);
  if (group != 0) {
    if (counts)
      ++counts->inside;
    passUp(group, attempt);
    lock.inner = true;
    if (heldSize < maxHeld)
      held[heldSize++] = lock;
    else
      ++tables.dropped;
    return;
  }
  if (counts)
    ++counts->executed;
  enter(lock, attempt, site, false);
}

void Replay::onFail(const Event &event, std::uint32_t site) {
  const int found = findAttempt(site, event.address, false);
  if (found < 0)
    return dropAbandoned(event.stack);
  keepUpTo(static_cast<unsigned>(found));
  const unsigned group = groupStart(static_cast<unsigned>(found));
  const Attempt attempt = takeAttempt(static_cast<unsigned>(found));
  SiteCounts *const counts = tables.site(site);
  if (group != 0) {
    if (counts)
      ++counts->inside;
    return;
  }
  // What it took inside and kept, although it failed, is nobody's section.
  for (unsigned i = 0; i < heldSize; ++i)
    held[i].inner = false;
  if (counts) {
    ++counts->executed;
    ++counts->tryFailures;
  }
  const SiteTraits &traits = context.sites[site];
  const std::uint32_t at = sectionFor(site, traits.lockClass, (traits.flags & siteShared) != 0);
  if (at != none)
    ++tables.sections[at].tryFailures;
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

// --- what is held ---

Replay::Held Replay::newLock(const Attempt &attempt, std::uint32_t site) const {
  const SiteTraits &traits = context.sites[site];
  Held lock;
  lock.addresses[0] = attempt.address;
  lock.addressCount = 1;
  lock.section = none;
  lock.record = nullptr;
  lock.inner = false;
  lock.own = 0;
  lock.lockClass = traits.lockClass;
  lock.kind = traits.kind;
  lock.shared = (traits.flags & siteShared) != 0;
  lock.depth = 1;
  lock.serial = serial;
  lock.acquired = now;
  return lock;
}

/// Makes one lock of the object at hand and of what was taken inside the operation
/// and is still held: its identity and algorithm are the innermost's.
void Replay::bindInner(Held &lock, const Attempt &attempt, bool withSiblings, unsigned group) {
  unsigned kept = 0;
  for (unsigned i = 0; i < heldSize; ++i) {
    const Held &inside = held[i];
    const bool isOurs =
        inside.inner && inside.serial > attempt.serial &&
        (!withSiblings ||
         attempts[nearestInGroup(group, inside.addresses[0])].address == attempt.address);
    if (!isOurs) {
      held[kept++] = inside;
      continue;
    }
    lock.kind = inside.kind != LockKind::unknown ? inside.kind : lock.kind;
    lock.shared = inside.shared;
    for (unsigned a = 0; a < inside.addressCount; ++a)
      if (!lock.has(inside.addresses[a])) {
        if (lock.addressCount == maxAddresses)
          --lock.addressCount; // the identity, the last one, is what matters
        lock.addresses[lock.addressCount++] = inside.addresses[a];
      }
  }
  heldSize = kept;
}

int Replay::findHeld(std::uint64_t address) const {
  for (unsigned i = heldSize; i-- > 0;)
    if (held[i].has(address))
      return static_cast<int>(i);
  return -1;
}

void Replay::removeHeld(unsigned at) {
  for (unsigned i = at; i + 1 < heldSize; ++i)
    held[i] = held[i + 1];
  --heldSize;
}

/// Whether the thread holds this lock already and only goes deeper.
bool Replay::reenter(const Held &lock, const Attempt &attempt) {
  const int at = findHeld(lock.identity());
  if (at < 0)
    return false;
  Held &before = held[at];
  // A pthread mutex says whose it is. One that was free at the attempt had been
  // unlocked where we did not see it, by another thread or in code without hooks.
  if (lock.kind == LockKind::pthreadMutex && attempt.known && !attempt.mine) {
    ++tables.unmatched;
    removeHeld(static_cast<unsigned>(at));
    return false;
  }
  ++before.depth;
  before.own += now - attempt.start;
  return true;
}

std::uint32_t Replay::enclosingSection() const {
  for (unsigned i = heldSize; i-- > 0;)
    if (held[i].section != none)
      return held[i].section;
  return none;
}

std::uint32_t Replay::sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared) {
  const std::uint32_t flags = shared ? std::uint32_t{format::sectionShared} : 0u;
  const std::uint32_t inside = enclosingSection();
  // Inside itself, however far out: the same section again, or a traversal with
  // one lock in hand while taking the next would never end making new ones.
  for (std::uint32_t outer = inside; outer != none; outer = tables.sections[outer].key.inside) {
    const SectionKey &key = tables.sections[outer].key;
    if (key.site == site && key.lockClass == lockClass && key.flags == flags && key.inside != none)
      return outer;
  }
  const std::uint32_t index = tables.section({classIndex, site, lockClass, inside, flags});
  if (index == none)
    ++tables.dropped;
  return index;
}

/// An acquisition as the outermost operation is complete.
void Replay::enter(Held &lock, const Attempt &attempt, std::uint32_t site, bool isWake) {
  forgetExpected(lock);
  if (!isWake && reenter(lock, attempt))
    return;
  if (heldSize == maxHeld) {
    ++tables.dropped;
    return;
  }
  if (context.names)
    for (unsigned i = 0; i < lock.addressCount; ++i)
      lock.lockClass = context.names->find(lock.addresses[i], lock.lockClass);
  const double waitNs = isWake ? 0 : toNs(now - attempt.start);
  const bool contended =
      !isWake &&
      (attempt.known ? attempt.taken : !context.countersOnly && waitNs > contendedThresholdNs);
  lock.section = sectionFor(site, lock.lockClass, lock.shared);
  lock.depth = isWake && attempt.depth != 0 ? attempt.depth : 1;
  Section *const section = lock.section == none ? nullptr : &tables.sections[lock.section];
  lock.record = lockRecord(section, lock);
  if (section) {
    ++section->acquisitions;
    section->contended += contended;
    if (section->kind != lock.kind) {
      section->kind = lock.kind;
      tables.noteKind(lock.lockClass, lock.kind);
    }
    if ((section->key.flags & format::sectionOther) != 0)
      ++tables.otherSections;
    if (section->key.inside == none && heldSize == 0)
      recordTransition(lock.section);
    ++windowOf(*section).acquisitions;
    if (!context.countersOnly) {
      tables.addWait(*section, waitNs, contended);
      windowOf(*section).waitNs += waitNs;
    }
  }
  if (lock.record) {
    ++lock.record->acquisitions;
    lock.record->contended += contended;
    lock.record->waitNs += waitNs;
    if (lock.record->address == 0)
      ++tables.otherLocks;
  } else {
    ++tables.dropped;
  }
  held[heldSize++] = lock;
}

Lock *Replay::lockRecord(Section *section, const Held &lock) {
  const std::uint64_t address = lock.identity();
  if (section && section->lockGuess && section->lockGuess->address == address &&
      section->lockGuess->lockClass == lock.lockClass)
    return section->lockGuess;
  Lock *const record = tables.lock(address, lock.lockClass);
  if (section)
    section->lockGuess = record;
  return record;
}

void Replay::recordTransition(std::uint32_t to) {
  const std::uint32_t index = tables.transition({classIndex, lastSection, to});
  if (index == none) {
    ++tables.dropped;
  } else if (context.countersOnly) {
    ++tables.transitions[index].local.count;
  } else {
    tables.addLocal(tables.transitions[index], toNs(localTicks), toNs(blockedTicks));
  }
  localTicks = blockedTicks = 0;
}

void Replay::completeHold(unsigned at) {
  const Held &lock = held[at];
  const std::uint32_t index = lock.section;
  if (index != none) {
    Section &section = tables.sections[index];
    if (!context.countersOnly) {
      const double ns = toNs(lock.own);
      tables.addHold(section, ns);
      windowOf(section).holdNs += ns;
      if (lock.record)
        lock.record->heldNs += toNs(now - lock.acquired);
    }
    if (section.key.inside == none)
      lastSection = index;
  }
  removeHeld(at);
}

/// A wrapper's release is marked before the call: those of the primitives inside are
/// still to come and belong to it.
void Replay::expectRest(const Held &lock, std::uint64_t released) {
  bool further = false;
  for (unsigned i = 0; i < lock.addressCount; ++i) {
    if (further) {
      expected[expectedNext] = lock.addresses[i];
      mayExpect = true;
      expectedNext = (expectedNext + 1) % maxExpected;
    }
    further |= lock.addresses[i] == released;
  }
}

bool Replay::wasExpected(std::uint64_t address) {
  if (!mayExpect)
    return false;
  for (std::uint64_t &candidate : expected)
    if (candidate == address && address != 0) {
      candidate = 0;
      return true;
    }
  return false;
}

void Replay::forgetExpected(const Held &lock) {
  if (!mayExpect)
    return;
  mayExpect = false;
  for (std::uint64_t &candidate : expected) {
    if (candidate != 0 && lock.has(candidate))
      candidate = 0;
    mayExpect |= candidate != 0;
  }
}

void Replay::onRelease(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  if (wasExpected(event.address))
    return;
  const int at = findHeld(event.address);
  if (at < 0) {
    if ((context.sites[site].flags & siteConditional) == 0)
      ++tables.unmatched;
    return;
  }
  Held &lock = held[at];
  expectRest(lock, event.address);
  if (lock.depth > 1)
    --lock.depth;
  else
    completeHold(static_cast<unsigned>(at));
}

// --- waiting for something else than a lock ---

void Replay::onWait(const Event &event, std::uint32_t site) {
  dropAbandoned(event.stack);
  const bool outermost = attemptSize == 0;
  std::uint32_t depth = 1;
  if (outermost) {
    const int at = findHeld(event.address);
    if (at >= 0) {
      depth = held[at].depth;
      expectRest(held[at], event.address);
      completeHold(static_cast<unsigned>(at));
    } else {
      ++tables.unmatched;
    }
  }
  onAttempt(event, site);
  attempts[attemptSize - 1].depth = depth;
}

void Replay::onWake(const Event &event, std::uint32_t site) {
  const int found = findAttempt(site, event.address, false);
  SiteCounts *const counts = tables.site(site);
  Attempt attempt{event.address, serial, now, site, event.stack, 1, false, false, false};
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
  if (counts)
    ++(group == 0 ? counts->executed : counts->inside);
  if (group == 0)
    enter(lock, attempt, site, true);
}

void Replay::onBlock(const Event &event, std::uint32_t site) { onAttempt(event, site); }

void Replay::onUnblock(std::uint32_t site) {
  const int found = findAttempt(site, 0, true);
  if (found < 0)
    return;
  attemptSize = static_cast<unsigned>(found);
  if (SiteCounts *const counts = tables.site(site))
    ++(attemptSize == 0 ? counts->executed : counts->inside);
}

// --- the thread itself ---

void Replay::end(std::uint64_t stamp) {
  if (!context.countersOnly && attemptSize == 0 && heldSize == 0) {
    stayInWindow(stamp);
    chargeLocal(static_cast<double>(static_cast<std::int64_t>(stamp - lastStamp - pausedTicks)));
  }
  if (lastSection != none)
    recordTransition(none);
  if (ThreadClassTimes *const mine = tables.threadClass(classIndex))
    mine->aliveNs += toNs(static_cast<double>(static_cast<std::int64_t>(stamp - aliveSince)));
  aliveSince = lastStamp = stamp;
  pausedTicks = 0;
  lastSection = none;
}

void Replay::cut(std::uint64_t stamp) {
  for (unsigned i = 0; i < heldSize; ++i) {
    held[i].section = none;
    held[i].record = nullptr;
  }
  attemptSize = 0;
  windowEnd = 0;
  times = nullptr;
  lastSection = none;
  localTicks = blockedTicks = 0;
  aliveSince = lastStamp = stamp;
  pausedTicks = 0;
}

void Replay::changeClass(std::uint32_t threadClass, std::uint64_t stamp) {
  end(stamp);
  cut(stamp);
  classIndex = threadClass;
}

} // namespace qdadvise::runtime
