// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the locks wait: a while with the processor's pause, then by giving the core away.
#ifndef QDADVISE_LOCKS_SPIN_WAIT_H
#define QDADVISE_LOCKS_SPIN_WAIT_H

#include <atomic>
#include <sched.h>

namespace qdadvise {

/// One wait. Each call is one turn of a loop that looks at something another thread
/// will change.
///
/// The first `spin_limit` turns cost a pause each, 1 to 10 µs together depending on the
/// processor: longer than a short critical section and its handoff, so that where
/// every thread has a core nobody enters the kernel. Whoever waits longer probably waits
/// for a thread that has no core. Every further turn then yields, so that with more
/// threads than cores a preempted holder gets its core back after one system call and
/// not after the waiter's time slice.
class spin_wait {
public:
  static constexpr unsigned spin_limit = 128;

  void operator()() noexcept {
    if (turns < spin_limit) {
      ++turns;
      pause();
    } else {
      sched_yield();
    }
  }

  /// A turn of a loop that ends when `word` no longer holds `seen`. Hardware has to look;
  /// a simulated machine knows when that is.
  template <typename T> void operator()(const std::atomic<T> &, T) noexcept { (*this)(); }
  /// Of one that ends when either of two words on one line no longer does.
  template <typename T>
  void operator()(const std::atomic<T> &, T, const std::atomic<T> &, T) noexcept {
    (*this)();
  }

  /// Back-off: that many pauses without looking at anything.
  void back_off(unsigned pauses) noexcept {
    while (pauses-- > 0)
      pause();
  }

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // `yield` does nothing on most cores; a barrier takes about as long as x86's pause.
    asm volatile("isb" ::: "memory");
#endif
  }

private:
  unsigned turns = 0;
};

} // namespace qdadvise

#endif
