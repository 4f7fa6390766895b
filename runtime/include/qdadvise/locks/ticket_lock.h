// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ticket lock. Uses nothing of the C++ library but headers.
#ifndef QDADVISE_LOCKS_TICKET_LOCK_H
#define QDADVISE_LOCKS_TICKET_LOCK_H

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>

namespace qdadvise {

/// Meets the standard's Lockable. Eight bytes; all of them zero is a free lock. Strictly
/// first come, first served. Not recursive.
///
/// All waiters read the same word, so each release costs time in proportion to their
/// number; and with more threads than cores everybody waits for a thread that may have none.
/// There is no back-off in proportion to the place in the line: how long a place lasts
/// is the section's matter, and a guess that is too long leaves the lock idle.
template <typename Memory = hardware_memory> class basic_ticket_lock {
public:
  basic_ticket_lock() noexcept = default;
  basic_ticket_lock(const basic_ticket_lock &) = delete;
  basic_ticket_lock &operator=(const basic_ticket_lock &) = delete;

  void lock() noexcept {
    const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t seen = serving.load(std::memory_order_acquire);
    if (seen != mine) [[unlikely]]
      await(mine, seen);
  }

  bool try_lock() noexcept {
    // Tickets are given out in order: if the next one is the one served, nobody has the lock.
    std::uint32_t mine = serving.load(std::memory_order_acquire);
    return next.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed);
  }

  void unlock() noexcept {
    serving.store(serving.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// For observers; outdated when it arrives.
  bool looks_taken() const noexcept {
    return serving.load(std::memory_order_relaxed) != next.load(std::memory_order_relaxed);
  }

private:
  [[gnu::noinline]] void await(std::uint32_t mine, std::uint32_t seen) noexcept {
    typename Memory::spin_wait wait;
    do {
      wait(serving, seen);
      seen = serving.load(std::memory_order_acquire);
    } while (seen != mine);
  }

  typename Memory::template atomic<std::uint32_t> next{0};
  typename Memory::template atomic<std::uint32_t> serving{0};
};

using ticket_lock = basic_ticket_lock<>;
static_assert(sizeof(ticket_lock) == 8);

} // namespace qdadvise

#endif
