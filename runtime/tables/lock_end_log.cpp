// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lock_end_log.h.
#include "runtime/tables/lock_end_log.h"

#include "runtime/base/pages.h"
#include "runtime/events/clock.h"
#include "runtime/tables/thin_tables.h"

#include <new>

namespace qdadvise::runtime {

LockEndLog *LockEndLog::make() {
  char *const memory = reservePages(sizeof(LockEndLog));
  return memory ? new (memory) LockEndLog : nullptr;
}

void LockEndLog::close(const Entry &entry) {
  lost += !distribution.add(arena, entry.lockClass, entry.traffic);
  if (isOwn(entry))
    addOwn({entry.lockClass, entry.by, entry.traffic});
}

void LockEndLog::addOwn(const OwnClosed &more) {
  const std::uint64_t hash = mixHash(more.lockClass, reinterpret_cast<std::uintptr_t>(more.by));
  const std::uint32_t found = ownIndex.find(hash, [&](std::uint32_t i) {
    return own[i].lockClass == more.lockClass && own[i].by == more.by;
  });
  if (found != format::none)
    return own[found].traffic.add(more.traffic);
  OwnClosed *const made = own.append(arena);
  if (made)
    *made = more;
  lost += !made || !ownIndex.insert(arena, hash, own.size() - 1);
}

bool LockEndLog::add(std::uint64_t address, const Tables *by) {
  const SpinGuard guard(lock);
  if (count == limit)
    return false;
  Entry &entry = entries[count % capacity];
  close(entry);
  // The lock is held, so that stamps ascend.
  const std::uint64_t ended = __atomic_add_fetch(&endedLocks, 1, __ATOMIC_RELAXED);
  entry = {address, tracesMemory() ? ended : readStamp(), by, nullptr, format::none, {}};
  __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  return true;
}

void LockEndLog::passed(std::uint64_t at) {
  const SpinGuard guard(lock);
  if (at + capacity > limit)
    limit = at + capacity;
}

void LockEndLog::give(std::uint64_t at, std::uint32_t lockClass, const LockTraffic &traffic,
                      const Tables *taker) {
  if (traffic.acquisitions == 0)
    return;
  const SpinGuard guard(lock);
  Entry &entry = entries[at % capacity];
  entry.taker = entry.traffic.acquisitions == 0 || entry.taker == taker ? taker : nullptr;
  if (entry.lockClass == format::none)
    entry.lockClass = lockClass;
  if (entry.lockClass == lockClass)
    entry.traffic.add(traffic);
  else // the same lock under another name
    lost += !distribution.add(arena, lockClass, traffic);
}

bool LockEndLog::collect(Arena &into, Distribution &closed) {
  const SpinGuard guard(lock);
  bool whole = lost == 0;
  for (std::uint32_t i = 0; i < distribution.rows.size(); ++i)
    whole &= closed.add(into, distribution.rows[i]);
  for (std::uint64_t i = 0; i < count && i < capacity; ++i)
    whole &= closed.add(into, entries[i].lockClass, entries[i].traffic);
  return whole;
}

void LockEndLog::thin(unsigned shift) {
  const SpinGuard guard(lock);
  for (std::uint64_t i = 0; i < count && i < capacity; ++i)
    runtime::thin(entries[i].traffic, shift);
  Arena scratch;
  Distribution left;
  lost += !runtime::thin(distribution, shift, scratch, left);
  BlockArray<OwnClosed> ownLeft;
  for (std::uint32_t i = 0; i < own.size(); ++i) {
    runtime::thin(own[i].traffic, shift);
    if (OwnClosed *const kept = ownLeft.append(scratch))
      *kept = own[i];
  }
  clear();
  for (std::uint32_t i = 0; i < left.rows.size(); ++i)
    lost += !distribution.add(arena, left.rows[i]);
  for (std::uint32_t i = 0; i < ownLeft.size(); ++i)
    addOwn(ownLeft[i]);
}

void LockEndLog::clear() {
  distribution.~Distribution();
  arena.clear();
  new (&distribution) Distribution();
  own = {};
  ownIndex = {};
}

void LockEndLog::forget() {
  const SpinGuard guard(lock);
  for (std::uint64_t i = 0; i < count && i < capacity; ++i)
    entries[i].traffic = {};
  clear();
  lost = 0;
}

} // namespace qdadvise::runtime
