// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a simulated memory talks to: a machine that decides who runs next and what it
// costs. A multicore in virtual time is one, an exploration of schedules another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace qdadvise::sim {

/// What a thread is about to do to shared memory.
enum class AccessKind : std::uint8_t {
  load,
  store,
  update,          ///< an unconditional read-modify-write
  compareExchange, ///< reads, and writes or not: see VirtualMachine::settled
};

struct Access {
  const void *address = nullptr;
  std::size_t size = 0;
  AccessKind kind = AccessKind::load;
  /// Of a compare-and-swap, the order if it succeeds.
  std::memory_order order = std::memory_order_seq_cst;
};

/// What a thread spins for: that the word at `address`, or another one on the same line, no
/// longer holds what it saw. All of it stays readable as long as the thread waits.
struct SpinTarget {
  const void *address = nullptr;
  const void *seen = nullptr;
  std::size_t size = 0;
  const SpinTarget *other = nullptr;
  bool changed() const {
    return std::memcmp(address, seen, size) != 0 || (other && other->changed());
  }
};

/// All functions are called by the simulated thread that runs, and return when that
/// thread is to go on; meanwhile others may have run. They throw nothing, since locks
/// call them from functions that must not throw.
class VirtualMachine {
public:
  virtual ~VirtualMachine() = default;

  /// Before the access takes effect. It does as soon as this returns: no other thread
  /// runs in between.
  virtual void access(const Access &access) noexcept = 0;

  /// What came of the compare-and-swap last announced: whether it wrote, and the memory
  /// order that holds then. Called before the thread announces anything else.
  virtual void settled(const void *address, bool wrote, std::memory_order order) noexcept = 0;

  /// A load whose value nobody looks at: it costs, and nothing else depends on it.
  virtual void touch(const void * /*address*/, std::size_t /*size*/) noexcept {}

  /// An atomic has come into being at this address, perhaps where another one was.
  virtual void created(const void * /*address*/) noexcept {}

  /// An access to data that no two threads may touch at a time, one of them writing:
  /// what locks protect. It takes effect when this returns, or some time before the
  /// thread's next call.
  virtual void plainAccess(const void *address, std::size_t size, bool writes) noexcept = 0;

  /// At least one turn of a loop that waits for `target` to change; any number of turns
  /// may be made at once as long as it has not. `turns` counts those of this wait.
  virtual void spin(const SpinTarget &target, unsigned &turns) noexcept = 0;

  /// The processor's pause, that many times.
  virtual void backOff(unsigned pauses) noexcept = 0;

  /// `word` is 32 bits. Sleeps if it holds `expected` when the kernel looks; may return for
  /// no reason.
  virtual void futexWait(const void *word, std::uint32_t expected) noexcept = 0;
  virtual void futexWake(const void *word, int count) noexcept = 0;

  /// Lets other threads have the core.
  virtual void yield() noexcept = 0;

  /// Nanoseconds since the simulation began.
  virtual std::uint64_t now() noexcept = 0;

  /// From 0 up, one for each simulated thread.
  virtual unsigned threadIndex() noexcept = 0;

  /// The machine whose threads run on this host thread; null outside any, where
  /// simulated memory is memory and announces nothing.
  static inline thread_local VirtualMachine *current = nullptr;
};

} // namespace qdadvise::sim
