// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that a thread holds: what taking one and giving it back comes to.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

bool Replay::Held::has(std::uint64_t address) const {
  for (unsigned i = 0; i < addressCount; ++i)
    if (addresses[i] == address)
      return true;
  return false;
}

Replay::Held Replay::newLock(const Attempt &attempt, std::uint32_t site) const {
  const SiteTraits &traits = context.sites[site];
  Held lock;
  lock.addresses[0] = attempt.address;
  lock.addressCount = 1;
  lock.section = none;
  lock.recorded = false;
  lock.inner = lock.provisional = false;
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
    settleLock(before);
    removeHeld(static_cast<unsigned>(at));
    return false;
  }
  settleRetries();
  const bool known = before.section != none &&
                     (tables.sections[before.section].key.flags & format::sectionOther) == 0;
  if (SiteCounts *const counts =
          tables.site(known ? tables.sections[before.section].key.site : attempt.site))
    counts->reentered = true;
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

std::uint32_t Replay::sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared,
                                 std::uint32_t inside) {
  const std::uint32_t flags = shared ? std::uint32_t{format::sectionShared} : 0u;
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
  lastDone = serial;
  SiteCounts *const counts = tables.site(site);
  if (counts && callSize == 0)
    ++counts->executed;
  if (!isWake && reenter(lock, attempt)) {
    if (counts && callSize != 0)
      ++counts->inside;
    return;
  }
  if (heldSize == maxHeld) {
    ++tables.dropped;
    return;
  }
  if (log && !attempt.known && !isWake)
    log->unusual = true; // how long it waits says whether it was contended
  lock.depth = isWake && attempt.depth != 0 ? attempt.depth : 1;
  Acquisition taken{};
  taken.again = isWake && attempt.lockClass != none;
  if (taken.again)
    lock.lockClass = attempt.lockClass;
  taken.site = site;
  taken.address = attempt.address;
  taken.stamp = lastStamp;
  taken.waitTicks = isWake ? 0 : now - attempt.start;
  taken.contended = !isWake && (attempt.known ? attempt.taken
                                              : !context.countersOnly &&
                                                    toNs(taken.waitTicks) > contendedThresholdNs);
  taken.byWriter = taken.contended && attempt.byWriter;
  taken.outermost = heldSize == 0;
  if (callSize != 0) {
    enterProvisionally(lock, taken);
  } else {
    taken.inside = enclosingSection();
    taken.localTicks = localTicks;
    taken.blockedTicks = blockedTicks;
    if (taken.outermost)
      localTicks = blockedTicks = 0;
    count(lock, taken);
  }
  held[heldSize++] = lock;
}

/// Counts an acquisition as one of its site.
void Replay::count(Held &lock, const Acquisition &taken) {
  if (context.names) {
    lock.lockClass = context.names->find(taken.address, lock.lockClass);
    for (unsigned i = 0; i < lock.addressCount; ++i)
      lock.lockClass = context.names->find(lock.addresses[i], lock.lockClass);
  }
  const double waitNs = toNs(taken.waitTicks);
  lock.section = sectionFor(taken.site, lock.lockClass, lock.shared, taken.inside);
  Section *const section = lock.section == none ? nullptr : &tables.sections[lock.section];
  if (!section)
    return;
  if (section->kind != lock.kind) {
    section->kind = lock.kind;
    tables.noteKind(lock.lockClass, lock.kind);
  }
  if ((section->key.flags & format::sectionOther) != 0)
    ++tables.otherSections;
  if (section->key.inside == none && taken.outermost)
    recordTransition(lock.section, taken.localTicks, taken.blockedTicks);
  const Lock *const record =
      addAcquisition(*section, lock.identity(), lock.lockClass, windowOfStamp(taken.stamp),
                     taken.contended, taken.byWriter, waitNs);
  lock.recorded = record != nullptr;
  lock.recordAddress = record ? record->address : 0;
  lock.recordPlace = section->lockPlace;
  if (log)
    log->add({Effect::acquisition, taken.contended, taken.byWriter, lock.kind, lock.section,
              lock.lockClass, lock.identity(), partsOf(taken.waitTicks), 0});
}

/// Null when out of memory for the lock's record, which is counted.
Lock *Replay::addAcquisition(Section &section, std::uint64_t address, std::uint32_t lockClass,
                             unsigned atWindow, bool contended, bool byWriter, double waitNs) {
  SectionWindow &inWindow = section.windows[atWindow];
  ++section.acquisitions;
  ++inWindow.acquisitions;
  section.contended += contended;
  section.contendedByWriter += byWriter;
  if (!context.countersOnly) {
    tables.addWait(section, waitNs, contended, byWriter);
    inWindow.waitNs += waitNs;
  }
  Lock *const record = tables.lock(address, lockClass, section.lockPlace);
  if (!record) {
    ++tables.dropped;
    return nullptr;
  }
  ++record->acquisitions;
  record->contended = record->contended + contended;
  record->waitNs += waitNs;
  if (record->address == 0)
    ++tables.otherLocks;
  return record;
}

void Replay::recordTransition(std::uint32_t to, double local, double blocked) {
  const std::uint32_t index = tables.transition({classIndex, lastSection, to});
  if (index == none)
    ++tables.dropped;
  else if (context.countersOnly)
    ++tables.transitions[index].local.count;
  else
    tables.addLocal(tables.transitions[index], toNs(local), toNs(blocked));
  if (log)
    log->add({Effect::passage, false, false, LockKind::unknown, index, none, 0, partsOf(local),
              partsOf(blocked)});
}

void Replay::completeHold(unsigned at) {
  const Held &lock = held[at];
  settleLock(lock);
  const std::uint32_t index = lock.section;
  if (ended && ended->count < EndedSections::most)
    ended->entries[ended->count++] = {lock.serial, lock.identity(), index};
  if (index != none) {
    Section &section = tables.sections[index];
    const double heldNs = toNs(now - lock.acquired);
    if (!context.countersOnly) {
      addHolding(section, toNs(lock.own));
      LockTable::Place place = lock.recordPlace;
      if (Lock *const record =
              lock.recorded ? tables.lock(lock.recordAddress, lock.lockClass, place) : nullptr)
        record->heldNs += heldNs;
    }
    if (log)
      log->add({Effect::holding, false, false, lock.kind, index, lock.lockClass, lock.identity(),
                partsOf(lock.own), partsOf(now - lock.acquired)});
    if (lock.shared)
      noteRead(lock.identity(), lock.lockClass, heldNs);
    if (section.key.inside == none)
      lastSection = index;
  }
  removeHeld(at);
}

void Replay::addHolding(Section &section, double ownNs) {
  tables.addHold(section, ownNs);
  windowOf(section).holdNs += ownNs;
}

void Replay::noteRead(std::uint64_t address, std::uint32_t lockClass, double heldNs) {
  if (log)
    log->add({Effect::reading, false, false, LockKind::unknown, none, lockClass, address,
              partsOf(heldNs), 0});
  lastRead = address;
  lastReaders = tables.readers(lockClass);
  if (lastReaders)
    lastReaders->heldNs += heldNs;
  else
    ++tables.dropped;
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
  if (!mayExpect || address == 0)
    return false;
  bool found = false;
  mayExpect = false;
  for (std::uint64_t &candidate : expected) {
    if (candidate == address && !found) {
      candidate = 0;
      found = true;
    }
    mayExpect |= candidate != 0;
  }
  return found;
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
  const std::uint32_t flags = context.sites[site].flags;
  const bool inner = (flags & siteInner) != 0;
  if (wasExpected(event.address) || (inner && event.address == lastReleased))
    return;
  const int at = findHeld(event.address);
  if (at < 0) {
    // A release within the last one, further in than the plugin sees, is not left over.
    if ((flags & (siteConditional | siteInner)) == 0 && event.address != lastReleased)
      tables.unmatched += !context.sliced;
    return;
  }
  if (!inner)
    lastReleased = event.address;
  Held &lock = held[at];
  settleRetries();
  expectRest(lock, event.address);
  if (lock.depth > 1)
    --lock.depth;
  else
    completeHold(static_cast<unsigned>(at));
}

} // namespace qdadvise::runtime
