// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test-and-test-and-set spinlock. Uses nothing of the C++ library but headers.
#ifndef QDADVISE_LOCKS_SPINLOCK_H
#define QDADVISE_LOCKS_SPINLOCK_H

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>

namespace qdadvise {

/// Meets the standard's Lockable, so that lock_guard, unique_lock and scoped_lock work.
/// Four bytes; all of them zero is a free lock. Not recursive, not fair.
///
/// Waiters read a copy of the word in their own cache and write only when it was seen
/// free. Whoever then comes too late stays away for a while that doubles each time, up to
/// `back_off_limit` pauses. Waiters yield after a long spin (see spin_wait). For short
/// critical sections and few threads; under contention every waiter makes the handoff
/// slower.
template <typename Memory = hardware_memory> class basic_spinlock {
public:
  basic_spinlock() noexcept = default;
  basic_spinlock(const basic_spinlock &) = delete;
  basic_spinlock &operator=(const basic_spinlock &) = delete;

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
  /// About as long as a line takes from one core to another, some times over.
  static constexpr unsigned back_off_limit = 32;
  /// The lock's word, for observers: `taken` or 0, outdated when it arrives.
  std::uint32_t word() const noexcept { return value.load(std::memory_order_relaxed); }
  bool looks_taken() const noexcept { return word() != 0; }

private:
  [[gnu::noinline]] void lock_contended() noexcept {
    typename Memory::spin_wait wait;
    unsigned pauses = 1;
    while (true) {
      while (value.load(std::memory_order_relaxed) != 0)
        wait(value, taken);
      if (value.exchange(taken, std::memory_order_acquire) == 0)
        return;
      wait.back_off(pauses);
      if (pauses < back_off_limit)
        pauses *= 2;
    }
  }

  typename Memory::template atomic<std::uint32_t> value{0};
};

using spinlock = basic_spinlock<>;
static_assert(sizeof(spinlock) == 4);

} // namespace qdadvise

#endif
