// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the locks are written against: this machine's atomics and Linux' futex.
#ifndef QDADVISE_LOCKS_MEMORY_H
#define QDADVISE_LOCKS_MEMORY_H

#include <qdadvise/locks/spin_wait.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise {

/// The memory of every lock here that names no other. A lock touches shared memory, waits
/// and reads the clock through the members of such a class only, keeps nothing in
/// thread-local variables, and so runs unchanged on any machine that has them: the
/// simulated multicore (advisor/sim) is a second one.
struct hardware_memory {
  template <typename T> using atomic = std::atomic<T>;

  /// Made anew for each wait; `wait(word, seen)` is one turn of a loop that waits until
  /// `word` no longer holds `seen`, and may return earlier.
  using spin_wait = qdadvise::spin_wait;

  /// Reads `word` for nothing but to have its line.
  template <typename T> static void touch(const std::atomic<T> &word) noexcept {
    static_cast<void>(word.load(std::memory_order_relaxed));
  }

  /// Sleeps while `word` holds `expected`; may return earlier.
  static void futex_wait(std::atomic<std::uint32_t> &word, std::uint32_t expected) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr);
  }
  /// Wakes at most `count` of the threads asleep at `word`.
  static void futex_wake(std::atomic<std::uint32_t> &word, int count = INT_MAX) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count);
  }

  /// Lets other threads have this core.
  static void yield() noexcept { sched_yield(); }

  /// Nanoseconds since some moment in the past.
  static std::uint64_t now() noexcept {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
  }

  /// A number that the calling thread keeps as long as it lives. Others may have it too.
  static unsigned thread_index() noexcept {
    // Not a count: a shared library may have a copy of its own of a counter and of a
    // thread's variable, and a reader may come in through one and leave through another.
    return static_cast<unsigned>(
        static_cast<std::uint64_t>(pthread_self()) / 64 * 0x9e3779b97f4a7c15 >> 48);
  }
};

} // namespace qdadvise

#endif
