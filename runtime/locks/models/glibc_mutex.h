// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the default pthread mutex of glibc 2.36 on Linux, for the simulated machine: the
// same accesses to the same words in the same order, written from its description. Not
// for users, who have the real one.
#pragma once

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>

namespace qdadvise::models {

/// Nobody spins. A waiter leaves the word at `waited_for` and sleeps; the releaser who finds
/// that wakes one, after the release. Whoever comes meanwhile may have the lock first.
/// The woken one does not know whether others sleep, so it locks with `waited_for`, and its
/// own release makes the system call even for nobody.
template <typename Memory = hardware_memory> class glibc_mutex {
public:
  glibc_mutex() noexcept = default;
  glibc_mutex(const glibc_mutex &) = delete;
  glibc_mutex &operator=(const glibc_mutex &) = delete;

  void lock() noexcept {
    look_at_kind();
    std::uint32_t seen = unlocked;
    if (!word.compare_exchange_strong(seen, locked, std::memory_order_acquire,
                                      std::memory_order_relaxed))
      sleep_for_it();
    note_owner();
  }

  bool try_lock() noexcept {
    look_at_kind();
    std::uint32_t seen = unlocked;
    if (!word.compare_exchange_strong(seen, locked, std::memory_order_acquire,
                                      std::memory_order_relaxed))
      return false;
    note_owner();
    return true;
  }

  void unlock() noexcept {
    look_at_kind();
    owner.store(0, std::memory_order_relaxed);
    users.store(users.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    if (word.exchange(unlocked, std::memory_order_release) == waited_for)
      Memory::futex_wake(word, 1);
  }

  bool looks_taken() const noexcept { return word.load(std::memory_order_relaxed) != unlocked; }

private:
  static constexpr std::uint32_t unlocked = 0, locked = 1, waited_for = 2;

  void sleep_for_it() noexcept {
    if (word.load(std::memory_order_relaxed) == waited_for)
      Memory::futex_wait(word, waited_for);
    while (word.exchange(waited_for, std::memory_order_acquire) != unlocked)
      Memory::futex_wait(word, waited_for);
  }

  /// The library looks which kind of mutex it has, and so reads the line before it writes.
  void look_at_kind() const noexcept { Memory::touch(kind); }

  /// What the library keeps beside the word; the holder writes it on the waiters' line.
  void note_owner() noexcept {
    owner.store(Memory::thread_index() + 1, std::memory_order_relaxed);
    users.store(users.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  template <typename T> using atomic = typename Memory::template atomic<T>;
  // As in pthread_mutex_t, which has 40 bytes.
  alignas(8) atomic<std::uint32_t> word{unlocked};
  std::uint32_t recursion = 0;
  atomic<std::uint32_t> owner{0};
  atomic<std::uint32_t> users{0};
  atomic<std::uint32_t> kind{0};
  std::uint32_t rest[5] = {};
};
static_assert(sizeof(glibc_mutex<>) == 40);

} // namespace qdadvise::models
