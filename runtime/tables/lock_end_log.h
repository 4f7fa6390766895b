// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ends of locks, in the order of time, for all threads: another lock may begin at the address.
//
// The end of a lock is noted at once, with its stamp, in a ring that all threads share. Each
// replay goes through the ring along with its own events: before an event it applies
// what ended earlier, closing its own record of the lock, and gives the traffic
// it knew of to the ring, where that of all threads comes together. An entry is used
// again only after every replay has passed it; then the lock's traffic is complete and
// goes into the distribution of its class. Where all of it is of the thread that ended the lock,
// it was that thread's own.
//
// A lock is used before it is destroyed or after it was made anew, so the
// stamps of its events lie on the right side of the end's: no locks are needed
// to read the ring, and only replays that lag by a whole round are waited for.
#pragma once

#include "runtime/base/spin.h"
#include "runtime/tables/distribution.h"

#include <cstdint>

namespace qdadvise::runtime {

class Tables;

/// The closed locks of a class that were one thread's own.
struct OwnClosed {
  std::uint32_t lockClass;
  const Tables *by; ///< that thread's
  LockTraffic traffic;
};

class LockEndLog {
public:
  static constexpr std::uint64_t capacity = 1u << 14;

  /// Makes one in memory of its own, which is touched only as it is needed; null when there is
  /// none.
  static LockEndLog *make();

  /// How many there have been; entries before this one can be read.
  std::uint64_t size() const { return __atomic_load_n(&count, __ATOMIC_ACQUIRE); }
  std::uint64_t addressAt(std::uint64_t at) const { return entries[at % capacity].address; }
  std::uint64_t stampAt(std::uint64_t at) const { return entries[at % capacity].stamp; }

  /// Notes that the thread with these tables ends or makes a lock now; false when some replay has
  /// not passed the entry that it would take.
  bool add(std::uint64_t address, const Tables *by);
  /// All replays have come as far as this.
  void passed(std::uint64_t at);

  /// What the thread with these tables knew of a lock that ended.
  void give(std::uint64_t at, std::uint32_t lockClass, const LockTraffic &traffic,
            const Tables *taker);
  /// All locks that ended so far, as far as replays have told.
  bool collect(Arena &into, Distribution &closed);
  /// Calls `visit(const OwnClosed &)` for those of each class and thread, in one part or several.
  template <typename Visit> void forEachOwn(Visit visit) {
    const SpinGuard guard(lock);
    for (std::uint32_t i = 0; i < own.size(); ++i)
      visit(static_cast<const OwnClosed &>(own[i]));
    for (std::uint64_t i = 0; i < count && i < capacity; ++i)
      if (isOwn(entries[i]))
        visit(OwnClosed{entries[i].lockClass, entries[i].by, entries[i].traffic});
  }
  /// Calls `visit(address, tables)` for the locks that threads made or ended, as far as that is
  /// remembered, the last ones last.
  template <typename Visit> void forEachMaker(Visit visit) {
    const SpinGuard guard(lock);
    for (std::uint64_t at = count < capacity ? 0 : count - capacity; at < count; ++at)
      visit(entries[at % capacity].address, entries[at % capacity].by);
  }
  /// Forgets the traffic, not the ends.
  void forget();
  /// Of all that was told so far (thin_tables.h).
  void thin(unsigned shift);

  /// Held across fork.
  SpinLock lock;

private:
  struct Entry {
    std::uint64_t address;
    std::uint64_t stamp;
    const Tables *by;    ///< of the thread that ended it
    const Tables *taker; ///< of the only thread that took it; null: of none, or of several
    std::uint32_t lockClass;
    LockTraffic traffic;
  };

  static bool isOwn(const Entry &entry) {
    return entry.taker && entry.taker == entry.by && entry.traffic.acquisitions >= format::ownedOf;
  }
  void close(const Entry &entry);
  void addOwn(const OwnClosed &more);
  void clear();

  LockEndLog() = default;

  Entry entries[capacity]; ///< zero, as fresh memory is
  std::uint64_t count = 0;
  std::uint64_t limit = capacity;
  std::uint64_t lost = 0;
  Arena arena;
  Distribution distribution;
  BlockArray<OwnClosed> own;
  HashIndex ownIndex;
};

} // namespace qdadvise::runtime
