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
// goes into the distribution of its class.
//
// A lock is used before it is destroyed or after it was made anew, so the
// stamps of its events lie on the right side of the end's: no locks are needed
// to read the ring, and only replays that lag by a whole round are waited for.
#pragma once

#include "runtime/base/spin.h"
#include "runtime/tables/distribution.h"

#include <cstdint>

namespace qdadvise::runtime {

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

  /// Notes that a lock ends now; false when some replay has not passed the entry that
  /// it would take.
  bool add(std::uint64_t address);
  /// All replays have come as far as this.
  void passed(std::uint64_t at);

  /// What one thread knew of a lock that ended.
  void give(std::uint64_t at, std::uint32_t lockClass, const LockTraffic &traffic);
  /// All locks that ended so far, as far as replays have told.
  bool collect(Arena &into, Distribution &closed);
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
    std::uint32_t lockClass;
    LockTraffic traffic;
  };

  void close(const Entry &entry);

  LockEndLog() = default;

  Entry entries[capacity]; ///< zero, as fresh memory is
  std::uint64_t count = 0;
  std::uint64_t limit = capacity;
  std::uint64_t lost = 0;
  Arena arena;
  Distribution distribution;
};

} // namespace qdadvise::runtime
