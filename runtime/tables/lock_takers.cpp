// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_takers.h.
#include "runtime/tables/lock_takers.h"

#include "runtime/tables/lock_end_log.h"
#include "runtime/tables/tables.h"

namespace qdadvise::runtime {

using format::none;

namespace {

/// The thread class that took each lock class, plus one, as far as tables say; or none.
bool classesOf(const Tables &tables, Arena &arena, BlockArray<std::uint32_t> &classes) {
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i) {
    const SectionKey &key = tables.sections[i].key;
    if (key.lockClass == none)
      continue;
    if (!classes.reach(arena, key.lockClass))
      return false;
    std::uint32_t &known = classes[key.lockClass];
    known = known == 0 || known == key.threadClass + 1 ? key.threadClass + 1 : none;
  }
  return true;
}

} // namespace

LockTakers::Use *LockTakers::useOf(std::uint64_t address) {
  const std::uint64_t hash = mixHash(0, address);
  const std::uint32_t found =
      useIndex.find(hash, [&](std::uint32_t i) { return uses[i].address == address; });
  if (found != none)
    return &uses[found];
  Use *const made = uses.append(arena);
  if (!made || !useIndex.insert(arena, hash, uses.size() - 1))
    return nullptr;
  made->address = address;
  return made;
}

void LockTakers::note(const Tables &ofThread) {
  ofThread.locks.forEach([&](const Lock &lock) {
    if (lock.address == 0 || !complete) // many, beyond max_locks
      return;
    Use *const use = useOf(lock.address);
    complete = use != nullptr;
    if (!use)
      return;
    // It may have several records, each of a name.
    if (use->hereBy != &ofThread) {
      use->hereBy = &ofThread;
      use->here = 0;
    }
    use->acquisitions += lock.acquisitions;
    use->here += lock.acquisitions;
    if (use->here > use->most) {
      use->most = use->here;
      use->mostBy = &ofThread;
    }
  });
}

Takers *LockTakers::takersOf(std::uint32_t lockClass, std::uint32_t threadClass) {
  const std::uint64_t hash = mixHash(lockClass, threadClass);
  const std::uint32_t found = takersIndex.find(hash, [&](std::uint32_t i) {
    return all[i].lockClass == lockClass && all[i].threadClass == threadClass;
  });
  if (found != none)
    return &all[found];
  Takers *const made = all.append(arena);
  if (!made || !takersIndex.insert(arena, hash, all.size() - 1))
    return nullptr;
  made->lockClass = lockClass;
  made->threadClass = threadClass;
  return made;
}

void LockTakers::noteMakers(LockEndLog &ends) {
  ends.forEachMaker([&](std::uint64_t address, const Tables *by) {
    const std::uint32_t found = useIndex.find(
        mixHash(0, address), [&](std::uint32_t i) { return uses[i].address == address; });
    if (found != none)
      uses[found].maker = by;
  });
}

bool LockTakers::add(std::uint32_t lockClass, std::uint32_t threadClass, const Tables *by,
                     bool owned, bool isOwner, bool made, std::uint64_t acquisitions,
                     double heldNs) {
  Takers *const takers = takersOf(lockClass, threadClass);
  if (!takers)
    return false;
  takers->threads += takers->lastTaker != by;
  takers->lastTaker = by;
  takers->acquisitions += acquisitions;
  takers->heldNs += heldNs;
  if (!owned)
    return true;
  takers->ofOwned += acquisitions;
  takers->ofOwnedHeldNs += heldNs;
  takers->ofMade += made ? acquisitions : 0;
  takers->ofMadeHeldNs += made ? heldNs : 0;
  if (!isOwner)
    return true;
  takers->owners += takers->lastOwner != by;
  takers->lastOwner = by;
  return true;
}

void LockTakers::count(const Tables &ofThread, LockEndLog *ends) {
  Arena scratch;
  BlockArray<std::uint32_t> classes;
  complete = complete && classesOf(ofThread, scratch, classes);
  const auto classOf = [&](std::uint32_t lockClass) {
    const std::uint32_t known = lockClass < classes.size() ? classes[lockClass] : 0;
    return known == 0 || known == none ? none : known - 1;
  };
  ofThread.locks.forEach([&](const Lock &lock) {
    if (!complete || lock.acquisitions == 0)
      return;
    const Use *const use = lock.address != 0 ? useOf(lock.address) : nullptr;
    complete = (use || lock.address == 0) &&
               add(lock.lockClass(), classOf(lock.lockClass()), &ofThread, use && use->isOwned(),
                   use && use->mostBy == &ofThread, use && use->maker == &ofThread,
                   lock.acquisitions, lock.heldNs);
  });
  if (!ends || !complete)
    return;
  ends->forEachOwn([&](const OwnClosed &own) {
    const LockTraffic &traffic = own.traffic;
    if (own.by == &ofThread)
      complete = complete && add(own.lockClass, classOf(own.lockClass), &ofThread, true, true, true,
                                 traffic.acquisitions, traffic.heldNs);
  });
}

bool LockTakers::isTakenByTwo(std::uint32_t lockClass) const {
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (all[i].lockClass == lockClass && all[i].threadClass != none && all[i].threads > 1)
      return true;
  return false;
}

void LockTakers::collect(Arena &into, BlockArray<Takers> &rows, std::uint32_t mainClass) const {
  for (std::uint32_t i = 0; complete && i < all.size(); ++i) {
    Takers row = all[i];
    if (!isTakenByTwo(row.lockClass)) {
      row.ofOwned = row.ofMade;
      row.ofOwnedHeldNs = row.ofMadeHeldNs;
      if (row.ofMade == 0 || row.threadClass == mainClass || row.threadClass == none)
        continue;
    } else if (row.threads < 2) {
      row.owners = row.ofMade > 0; // others of its class might take the same
    }
    if (Takers *const copy = rows.append(into))
      *copy = row;
  }
}

} // namespace qdadvise::runtime
