// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_takers.h.
#include "runtime/tables/lock_takers.h"

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

void LockTakers::count(const Tables &ofThread) {
  Arena scratch;
  BlockArray<std::uint32_t> classes;
  complete = complete && classesOf(ofThread, scratch, classes);
  ofThread.locks.forEach([&](const Lock &lock) {
    if (!complete || lock.acquisitions == 0)
      return;
    const std::uint32_t known = lock.lockClass() < classes.size() ? classes[lock.lockClass()] : 0;
    Takers *const takers =
        takersOf(lock.lockClass(), known == 0 || known == none ? none : known - 1);
    const Use *const use = lock.address != 0 ? useOf(lock.address) : nullptr;
    complete = takers && (use || lock.address == 0);
    if (!complete)
      return;
    takers->threads += takers->lastTaker != &ofThread;
    takers->lastTaker = &ofThread;
    takers->acquisitions += lock.acquisitions;
    takers->heldNs += lock.heldNs;
    if (!use || !use->isOwned())
      return;
    takers->ofOwned += lock.acquisitions;
    takers->ofOwnedHeldNs += lock.heldNs;
    if (use->mostBy != &ofThread)
      return;
    takers->owners += takers->lastOwner != &ofThread;
    takers->lastOwner = &ofThread;
  });
}

bool LockTakers::isTakenByTwo(std::uint32_t lockClass) const {
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (all[i].lockClass == lockClass && all[i].threadClass != none && all[i].threads > 1)
      return true;
  return false;
}

void LockTakers::collect(Arena &into, BlockArray<Takers> &rows) const {
  for (std::uint32_t i = 0; complete && i < all.size(); ++i)
    if (isTakenByTwo(all[i].lockClass))
      if (Takers *const row = rows.append(into))
        *row = all[i];
}

} // namespace qdadvise::runtime
