// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See tables.h.
#include "runtime/tables/tables.h"

namespace qdadvise::runtime {

using format::none;

void ThreadWindow::absorb(const ThreadWindow &later) {
  if (active == 0)
    firstThread = later.firstThread;
  if (later.active != 0) {
    active += later.active - (active != 0 && lastThread == later.firstThread ? 1 : 0);
    lastThread = later.lastThread;
  }
  localNs += later.localNs;
  blockedNs += later.blockedNs;
}

std::uint32_t Tables::findSection(const SectionKey &key) {
  std::uint64_t hash = mixHash(key.site, key.threadClass);
  hash = mixHash(mixHash(hash, key.inside), std::uint64_t{key.lockClass} << 32 | key.flags);
  const std::uint32_t found =
      sectionIndex.find(hash, [&](std::uint32_t i) { return sections[i].key == key; });
  if (found != none)
    return found;
  const bool isOther = (key.flags & format::sectionOther) != 0;
  if (!isOther && sections.size() - otherSectionRecords >= limits.maxSections)
    return findSection({key.threadClass, none, none, none, format::sectionOther});
  Section *const made = sections.append(arena);
  if (!made || !sectionIndex.insert(arena, hash, sections.size() - 1))
    return none;
  otherSectionRecords += isOther;
  made->key = key;
  return sections.size() - 1;
}

std::uint32_t Tables::findTransition(const TransitionKey &key) {
  Section *const from = key.from == none ? nullptr : &sections[key.from];
  const std::uint64_t hash =
      mixHash(mixHash(key.threadClass, key.from), std::uint64_t{key.to} << 20);
  std::uint32_t found =
      transitionIndex.find(hash, [&](std::uint32_t i) { return transitions[i].key == key; });
  if (found == none) {
    Transition *const made = transitions.append(arena);
    if (!made || !transitionIndex.insert(arena, hash, transitions.size() - 1))
      return none;
    made->key = key;
    found = transitions.size() - 1;
  }
  if (from)
    from->transitionGuess = found + 1;
  return found;
}

/// Null when out of memory, which is counted.
Sample *Tables::blockedOf(Transition &transition) {
  if (!transition.blocked)
    transition.blocked = arena.allocateArray<Sample>(1);
  dropped += !transition.blocked;
  return transition.blocked;
}

void Tables::addBlocked(Transition &transition, double ns) {
  if (Sample *const blocked = blockedOf(transition))
    blocked->add(ns);
}

Lock *Tables::findLock(std::uint64_t address, std::uint32_t lockClass) {
  if (Lock *const found = locks.find(address, lockClass))
    return found;
  const bool isRest = address == 0;
  if (!isRest && locks.size() - restRecords >= limits.maxLocks)
    return findLock(0, lockClass);
  Lock *const made = locks.add(address, lockClass);
  restRecords += made && isRest;
  return made;
}

void Tables::noteKind(std::uint32_t lockClass, LockKind kind) {
  if (kind != LockKind::unknown && lockClassKinds.reach(arena, lockClass))
    lockClassKinds[lockClass] = kind;
}

void Tables::halveWindows() {
  ++windowShift;
  for (std::uint32_t s = 0; s < sections.size(); ++s) {
    SectionWindow *const windows = sections[s].windows;
    for (unsigned w = 0; w < windowCount; ++w) {
      const SectionWindow later = windows[w];
      windows[w] = {};
      windows[w / 2].add(later);
    }
  }
  for (std::uint32_t c = 0; c < threadClasses.size(); ++c) {
    ThreadWindow *const windows = threadClasses[c].windows;
    for (unsigned w = 0; w < windowCount; ++w) {
      const ThreadWindow later = windows[w];
      windows[w] = {};
      windows[w / 2].absorb(later);
    }
  }
}

void ThreadClassTimes::merge(const ThreadClassTimes &theirs, unsigned windowRatio) {
  aliveNs += theirs.aliveNs;
  blockedNs += theirs.blockedNs;
  ThreadWindow shrunk[windowCount] = {};
  for (unsigned w = 0; w < windowCount; ++w)
    shrunk[w >> windowRatio].absorb(theirs.windows[w]);
  for (unsigned w = 0; w < windowCount; ++w) {
    // Threads of different recorders are different threads.
    windows[w].active += shrunk[w].active;
    windows[w].localNs += shrunk[w].localNs;
    windows[w].blockedNs += shrunk[w].blockedNs;
  }
}

/// Adds all but the keys. A window of ours is 2^windowRatio of theirs.
void Tables::mergeSection(Section &ours, const Section &theirs, unsigned windowRatio) {
  if ((ours.key.flags & format::sectionOther) && !(theirs.key.flags & format::sectionOther))
    otherSections += theirs.acquisitions;
  ours.acquisitions += theirs.acquisitions;
  ours.contended += theirs.contended;
  ours.tryFailures += theirs.tryFailures;
  ours.hold.merge(theirs.hold);
  ours.wait.merge(theirs.wait);
  ours.waitContended.merge(theirs.waitContended);
  ours.contendedByWriter += theirs.contendedByWriter;
  ours.waitByWriter.merge(theirs.waitByWriter);
  dropped += !ours.holdHistogram.merge(arena, theirs.holdHistogram);
  dropped += !ours.waitHistogram.merge(arena, theirs.waitHistogram);
  if (theirs.memory) {
    if (MemorySums *const sums = memoryOf(ours))
      sums->merge(*theirs.memory);
    else
      ++dropped;
  }
  for (unsigned w = 0; w < windowCount; ++w)
    ours.windows[w >> windowRatio].add(theirs.windows[w]);
}

void Tables::mergeTransition(const Transition &theirs, const BlockArray<std::uint32_t> &newIndex) {
  TransitionKey key = theirs.key;
  if (key.from != none)
    key.from = newIndex[key.from];
  if (key.to != none)
    key.to = newIndex[key.to];
  const std::uint32_t index = transition(key);
  if (index == none) {
    ++dropped;
    return;
  }
  Transition &ours = transitions[index];
  ours.local.merge(theirs.local);
  ours.barriers += theirs.barriers;
  if (theirs.blocked)
    if (Sample *const blocked = blockedOf(ours))
      blocked->merge(*theirs.blocked);
  dropped += !ours.localHistogram.merge(arena, theirs.localHistogram);
}

void Tables::mergeLocks(const LockTable &theirLocks) {
  LockTable::Place place = 0;
  theirLocks.forEach([&](const Lock &theirs) {
    Lock *const ours = lock(theirs.address, theirs.lockClass(), place);
    if (!ours) {
      ++dropped;
      return;
    }
    if (ours->address == 0 && theirs.address != 0)
      otherLocks += theirs.acquisitions;
    ours->acquisitions += theirs.acquisitions;
    ours->contended = ours->contended + theirs.contended;
    ours->heldNs += theirs.heldNs;
    ours->waitNs += theirs.waitNs;
  });
}

void Tables::merge(const Tables &other) {
  while (windowShift < other.windowShift)
    halveWindows();
  const unsigned windowRatio = windowShift - other.windowShift;

  // An enclosing section has a smaller index than those inside it, so that its
  // new index is known when they need it.
  Arena scratch;
  BlockArray<std::uint32_t> newIndex;
  for (std::uint32_t i = 0; i < other.sections.size(); ++i) {
    const Section &theirs = other.sections[i];
    SectionKey key = theirs.key;
    if (key.inside != none)
      key.inside = newIndex[key.inside];
    const std::uint32_t index = section(key);
    std::uint32_t *const slot = newIndex.append(scratch);
    if (!slot || index == none)
      dropped += theirs.acquisitions;
    if (!slot)
      return;
    *slot = index;
    if (index != none)
      mergeSection(sections[index], theirs, windowRatio);
  }
  for (std::uint32_t i = 0; i < other.transitions.size(); ++i)
    mergeTransition(other.transitions[i], newIndex);
  mergeLocks(other.locks);
  for (std::uint32_t i = 0; i < other.sites.size(); ++i)
    if (SiteCounts *const ours = site(i))
      ours->merge(other.sites[i]);
  for (std::uint32_t i = 0; i < other.threadClasses.size(); ++i)
    if (ThreadClassTimes *const ours = threadClass(i))
      ours->merge(other.threadClasses[i], windowRatio);
  for (std::uint32_t i = 0; i < other.lockClassKinds.size(); ++i)
    noteKind(i, other.lockClassKinds[i]);
  for (std::uint32_t i = 0; i < other.lockClassReaders.size(); ++i)
    if (Readers *const ours = readers(i))
      ours->merge(other.lockClassReaders[i]);
  events += other.events;
  xrayEvents += other.xrayEvents;
  dropped += other.dropped;
  unmatched += other.unmatched;
  otherSections += other.otherSections;
  otherLocks += other.otherLocks;
}

} // namespace qdadvise::runtime
