// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test-and-test-and-set spinlock. Uses nothing of the C++ library but headers.
#ifndef QDADVISE_LOCKS_SPINLOCK_H
#define QDADVISE_LOCKS_SPINLOCK_H

#include <qdadvise/locks/spin_wait.h>

#include <atomic>
#include <cstdint>

namespace qdadvise {

/// Meets the standard's Lockable, so that lock_guard, unique_lock and scoped_lock work.
/// Four bytes; all of them zero is a free lock. Not recursive, not fair.
///
/// Waiters read a copy of the word in their own cache, write only when it was seen
/// free, and yield after a long spin (see spin_wait). For short critical sections and
/// few threads; under contention every waiter makes the hand-over slower.
class spinlock {
public:
  constexpr spinlock() noexcept = default;
  spinlock(const spinlock &) = delete;
  spinlock &operator=(const spinlock &) = delete;

  void lock() noexcept {
    if (value.exchange(taken, std::memory_order_acquire) != 0) [[unlikely]]
      lock_contended();
  }

  bool try_lock() noexcept {
    return value.load(std::memory_order_relaxed) == 0 &&
           value.exchange(taken, std::memory_order_acquire) == 0;
  }

  void unlock() noexcept { value.store(0, std::memory_order_release); }

  static constexpr std::uint32_t taken = 1;
  /// The lock's word, for observers: `taken` or 0, outdated when it arrives.
  std::uint32_t word() const noexcept { return value.load(std::memory_order_relaxed); }

private:
  [[gnu::noinline]] void lock_contended() noexcept {
    spin_wait wait;
    do {
      while (value.load(std::memory_order_relaxed) != 0)
        wait();
    } while (value.exchange(taken, std::memory_order_acquire) != 0);
  }

  std::atomic<std::uint32_t> value{0};
};

} // namespace qdadvise

#endif
