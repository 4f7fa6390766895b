// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the pthread reader-writer lock of glibc 2.36 on Linux, of the default kind,
// which prefers readers, for the simulated machine: the same accesses to the same
// words in the same order, written from its description. Not for users, who have the real one.
#pragma once

#include <qdadvise/locks/memory.h>

#include <atomic>
#include <cstdint>

namespace qdadvise::models {

/// The lock is in a read or in a write phase. In a read phase readers come and go with one
/// atomic operation each. A thread of the other kind waits until the phase is changed for
/// it, by the last reader or by the writer that leaves, and then *has* the lock, asleep or
/// not: nobody passes it. Among themselves writers compete for the flag `writer` as for
/// a mutex.
///
/// The phase is kept twice: in `readers`, where it counts, and in `phase`, which follows it
/// and is what threads sleep on. `writer_waits` is what writers sleep on.
template <typename Memory = hardware_memory> class glibc_rwlock {
  template <typename T> using atomic = typename Memory::template atomic<T>;
  using spin_wait = typename Memory::spin_wait;

public:
  glibc_rwlock() noexcept = default;
  glibc_rwlock(const glibc_rwlock &) = delete;
  glibc_rwlock &operator=(const glibc_rwlock &) = delete;

  void lock_shared() noexcept {
    look_for_oneself();
    std::uint32_t seen = readers.fetch_add(one_reader, std::memory_order_acquire) + one_reader;
    if (!(seen & write_phase))
      return;
    // A write phase without a writer: whoever comes first ends it.
    while ((seen & write_phase) && !(seen & writer))
      if (readers.compare_exchange_weak(seen, seen ^ write_phase, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        announce(reading);
        return;
      }
    // Somebody else ended it, or will.
    await_phase(reading);
  }

  bool try_lock_shared() noexcept {
    std::uint32_t seen = readers.load(std::memory_order_relaxed);
    std::uint32_t wanted = 0;
    do {
      if ((seen & write_phase) && (seen & writer))
        return false;
      wanted = (seen + one_reader) & ~write_phase;
    } while (!readers.compare_exchange_weak(seen, wanted, std::memory_order_acquire,
                                            std::memory_order_relaxed));
    if (seen & write_phase)
      announce(reading);
    return true;
  }

  void unlock_shared() noexcept {
    look_for_oneself();
    std::uint32_t seen = readers.load(std::memory_order_relaxed);
    std::uint32_t wanted = 0;
    do {
      wanted = seen - one_reader;
      // The last one hands over to a writer that waits.
      if (wanted < one_reader && (wanted & writer))
        wanted |= write_phase;
    } while (!readers.compare_exchange_weak(seen, wanted, std::memory_order_release,
                                            std::memory_order_relaxed));
    if (wanted & write_phase)
      announce(writing);
  }

  void lock() noexcept {
    look_for_oneself();
    bool slept = false;
    std::uint32_t seen = readers.fetch_or(writer, std::memory_order_acquire);
    if (seen & writer)
      slept = become_the_writer(seen);
    // `seen` is without our own flag.
    if (!(seen & write_phase) && !start_write_phase(seen))
      await_phase(writing);
    // Others may have gone to sleep before we did, and we can't tell.
    writer_waits.store(slept ? 1 | asleep : 1, std::memory_order_relaxed);
    current_writer.store(Memory::thread_index() + 1, std::memory_order_relaxed);
  }

  bool try_lock() noexcept {
    std::uint32_t seen = readers.load(std::memory_order_relaxed);
    do
      if ((seen & writer) || seen >= one_reader)
        return false;
    while (!readers.compare_exchange_weak(seen, seen | writer | write_phase,
                                          std::memory_order_acquire, std::memory_order_relaxed));
    writer_waits.store(1, std::memory_order_relaxed);
    // In a write phase already, readers may sleep there (until 2.30 the library forgot
    // them: its bug 23844).
    if (!(seen & write_phase))
      phase.store(writing, std::memory_order_relaxed);
    current_writer.store(Memory::thread_index() + 1, std::memory_order_relaxed);
    return true;
  }

  void unlock() noexcept {
    look_for_oneself();
    current_writer.store(0, std::memory_order_relaxed);
    const bool wakes = writer_waits.exchange(0, std::memory_order_relaxed) & asleep;
    std::uint32_t seen = readers.load(std::memory_order_relaxed);
    std::uint32_t wanted = 0;
    do {
      wanted = seen & ~writer;
      if (seen >= one_reader)
        wanted &= ~write_phase; // readers wait: theirs now
    } while (!readers.compare_exchange_weak(seen, wanted, std::memory_order_release,
                                            std::memory_order_relaxed));
    if (seen >= one_reader)
      announce(reading);
    if (wakes)
      Memory::futex_wake(writer_waits, 1);
  }

  bool looks_taken() const noexcept {
    const std::uint32_t seen = readers.load(std::memory_order_relaxed);
    return (seen & writer) || seen >= one_reader;
  }

private:
  /// In `readers`: the phase, a writer that has or waits for the lock, and the readers that
  /// have it or wait for it. (Another bit, for kinds that prefer writers, is never set.)
  static constexpr std::uint32_t write_phase = 1, writer = 2, one_reader = 8;
  /// In `phase`, with `asleep` where somebody may sleep there.
  static constexpr std::uint32_t reading = 0, writing = 1;
  static constexpr std::uint32_t asleep = 2;

  /// The library looks whether the caller is the writer, and so reads the line before it
  /// writes it.
  void look_for_oneself() const noexcept { Memory::touch(current_writer); }

  /// The thread that changed the phase in `readers` tells those who wait for that.
  void announce(std::uint32_t now) noexcept {
    if (phase.exchange(now, std::memory_order_relaxed) & asleep)
      Memory::futex_wake(phase);
  }

  /// Sleeps until the phase is `wanted`, which another thread does for us. `phase` may be
  /// that of an earlier change, so `readers` is asked as well; but once that says
  /// yes, the announcement is waited for, lest it come later than a next one.
  void await_phase(std::uint32_t wanted) noexcept {
    const std::uint32_t other = 1 - wanted;
    const std::uint32_t bit = wanted == writing ? write_phase : 0;
    bool certain = false;
    for (spin_wait wait;;) {
      std::uint32_t seen = phase.load(std::memory_order_relaxed);
      while ((seen | asleep) == (other | asleep)) {
        if (!(seen & asleep) &&
            !phase.compare_exchange_weak(seen, seen | asleep, std::memory_order_relaxed))
          continue;
        Memory::futex_wait(phase, other | asleep);
        seen = phase.load(std::memory_order_relaxed);
      }
      if (certain)
        return;
      const std::uint32_t counted = readers.load(std::memory_order_acquire);
      certain = (counted & write_phase) == bit;
      if (!certain)
        wait(readers, counted, phase, seen);
    }
  }

  /// In a read phase without readers. If one came meanwhile, it is the last of them who
  /// starts the phase.
  bool start_write_phase(std::uint32_t seen) noexcept {
    seen |= writer;
    while (!(seen & write_phase) && seen < one_reader)
      if (readers.compare_exchange_weak(seen, seen | write_phase, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        phase.store(writing, std::memory_order_relaxed);
        return true;
      }
    return false;
  }

  /// Waits for the flag `writer`; spins while the writer that has it does not have the lock yet.
  bool become_the_writer(std::uint32_t &seen) noexcept {
    bool slept = false;
    for (spin_wait wait;;) {
      if (!(seen & writer)) {
        if (readers.compare_exchange_weak(seen, seen | writer, std::memory_order_acquire,
                                          std::memory_order_relaxed))
          return slept;
        continue;
      }
      std::uint32_t waits = writer_waits.load(std::memory_order_relaxed);
      if (waits == (1 | asleep) ||
          (waits == 1 &&
           writer_waits.compare_exchange_weak(waits, 1 | asleep, std::memory_order_relaxed))) {
        Memory::futex_wait(writer_waits, 1 | asleep);
        slept = true;
      } else {
        wait(writer_waits, waits, readers, seen);
      }
      seen = readers.load(std::memory_order_relaxed);
    }
  }

  // In the order of pthread_rwlock_t, which has 56 bytes.
  alignas(8) atomic<std::uint32_t> readers{0};
  std::uint32_t writers = 0;
  atomic<std::uint32_t> phase{reading};
  atomic<std::uint32_t> writer_waits{0};
  std::uint32_t unused[2] = {};
  atomic<std::uint32_t> current_writer{0};
  std::uint32_t rest[7] = {};
};
static_assert(sizeof(glibc_rwlock<>) == 56);

} // namespace qdadvise::models
