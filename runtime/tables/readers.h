// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which locks are being read just now, by how many and since when: so that the last
// reader out knows how long there were readers. All else is known thread by thread; this
// is the one thing that threads share, a cache line a lock, and only readers touch it.
//
// A cell without readers means nothing and is the next lock's to take: no more cells are
// needed than locks that are read at the same time.
#pragma once

#include "runtime/base/hash_index.h"
#include "runtime/base/spin.h"

#include <cstdint>

namespace qdadvise::runtime {

class ReaderTable {
  static constexpr std::uint32_t capacity = 1u << 16;
  static constexpr unsigned countBits = 14;
  static constexpr std::uint64_t countMask = (1u << countBits) - 1;
  static constexpr unsigned probes = 8; ///< cells that a lock may have

  /// `since` is the beginning of the period: a reader writes it, and the last reader out comes
  /// after that.
  struct alignas(64) Cell {
    std::uint64_t state; ///< the lock's address and how many readers there are: one word
    std::uint64_t since;
  };

  Cell cells[capacity]; ///< zero, as fresh memory is; first, to begin with a page

public:
  /// Makes one in memory of its own, which is touched only as it is needed; null when there is
  /// none.
  static ReaderTable *make();

  /// One reader of a lock, which has entered.
  struct Entry {
    std::uint64_t address;
    std::uint32_t cell;
    std::uint32_t readers; ///< there were then; 0: no room, and nothing to leave
  };
  Entry enter(std::uint64_t address);
  /// The same for hooks to inline, where the lock has the first cell that it may have and nobody
  /// comes or goes meanwhile; else none.
  __attribute__((always_inline)) Entry enterAtOnce(std::uint64_t address) {
    const std::uint32_t at = firstCell(address);
    std::uint64_t &state = cells[at].state;
    const std::uint64_t before = load(state);
    const auto readers = static_cast<std::uint32_t>(before & countMask) + 1;
    const bool entered = before >> countBits == address && readers <= countMask &&
                         exchange(state, before, before + 1);
    return {address, at, entered ? readers : 0};
  }
  /// The first reader says since when, after it has entered.
  void begin(const Entry &entry, std::uint64_t stamp) {
    __atomic_store_n(&cells[entry.cell].since, stamp, __ATOMIC_RELAXED);
  }
  /// Whether it was the last one; then `since` is what the first one said.
  __attribute__((always_inline)) bool leave(const Entry &entry, std::uint64_t &since) {
    std::uint64_t &state = cells[entry.cell].state;
    for (;;) {
      const std::uint64_t before = load(state);
      if (before >> countBits != entry.address || (before & countMask) == 0)
        return false;
      since = __atomic_load_n(&cells[entry.cell].since, __ATOMIC_RELAXED);
      if (exchange(state, before, before - 1))
        return (before & countMask) == 1;
    }
  }

  /// Nobody reads: who has entered need not leave.
  void forget();
  /// How often it has forgotten.
  std::uint32_t epoch() const { return __atomic_load_n(&forgotten, __ATOMIC_ACQUIRE); }

  /// Held across fork.
  SpinLock lock;

private:
  ReaderTable() = default;
  static std::uint64_t load(const std::uint64_t &state) {
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  }
  static bool exchange(std::uint64_t &state, std::uint64_t before, std::uint64_t after) {
    return __atomic_compare_exchange_n(&state, &before, after, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
  }
  static std::uint32_t firstCell(std::uint64_t address) {
    return static_cast<std::uint32_t>(mixHash(1, address) >> 32) % capacity;
  }
  std::uint32_t find(std::uint64_t address) const;
  std::uint32_t claim(std::uint64_t address);

  std::uint32_t forgotten = 0;
};

} // namespace qdadvise::runtime
