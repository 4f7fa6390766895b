// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that simulated memory talks to. It decides which thread runs next and what that
// costs. The multicore in virtual time is one; the lock explorer of the unit tests has another.
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
  /// For a compare-and-swap, the order if it succeeds.
  std::memory_order order = std::memory_order_seq_cst;
  bool isResultRead = true; ///< of an update
};

/// What a thread does in each turn of a loop that waits.
enum class SpinTurn : std::uint8_t {
  pauseThenYield, ///< as the shipped locks do (runtime/include/qdadvise/locks/spin_wait.h)
  pause,
  nothing,
};

/// What a thread spins for: the word at `address`, or another one on the same line, no longer holds
/// what it saw. All pointers stay valid as long as the thread waits.
struct SpinTarget {
  const void *address = nullptr;
  const void *seen = nullptr;
  std::size_t size = 0;
  const SpinTarget *other = nullptr;
  SpinTurn turn = SpinTurn::pauseThenYield;
  bool changed() const { return differs() || (other && other->changed()); }

private:
  /// Words have the size of a register, mostly.
  bool differs() const {
    switch (size) {
    case 4:
      return std::memcmp(address, seen, 4) != 0;
    case 8:
      return std::memcmp(address, seen, 8) != 0;
    default:
      return std::memcmp(address, seen, size) != 0;
    }
  }
};

/// All functions are called by the simulated thread that runs, and return when that thread goes on;
/// other threads may have run meanwhile. They do not throw, because locks call them from functions
/// that must not throw.
class VirtualMachine {
public:
  virtual ~VirtualMachine() = default;

  /// Called before the access, which takes effect as soon as this returns; no other thread runs in
  /// between.
  virtual void access(const Access &access) noexcept = 0;

  /// The result of the compare-and-swap that was last announced: whether it wrote, and the memory
  /// order that applies then. Called before the thread announces anything else.
  virtual void settled(const void *address, bool wrote, std::memory_order order) noexcept = 0;

  /// A load whose value is not used: it takes time, and nothing else depends on it.
  virtual void touch(const void * /*address*/, std::size_t /*size*/) noexcept {}

  /// An atomic has been constructed at this address, perhaps where another one was.
  virtual void created(const void * /*address*/) noexcept {}

  /// An access to the data that locks protect, which no two threads may access at a time if one of
  /// them writes. It takes effect when this returns, or some time before the thread's next call.
  virtual void plainAccess(const void *address, std::size_t size, bool writes) noexcept = 0;

  /// At least one turn of a loop that waits for `target` to change. Any number of turns may be made
  /// at once as long as it has not changed. `turns` counts the turns of this wait.
  virtual void spin(const SpinTarget &target, unsigned &turns) noexcept = 0;

  /// Executes the processor's pause so many times.
  virtual void backOff(unsigned pauses) noexcept = 0;

  /// Sleeps if `word`, of 32 bits, holds `expected` when the kernel looks. May return for no
  /// reason.
  virtual void futexWait(const void *word, std::uint32_t expected) noexcept = 0;
  virtual void futexWake(const void *word, int count) noexcept = 0;

  /// Lets other threads have the core.
  virtual void yield() noexcept = 0;

  /// Nanoseconds since the simulation began.
  virtual std::uint64_t now() noexcept = 0;

  /// The number of the simulated thread, from 0 up.
  virtual unsigned threadIndex() noexcept = 0;

  /// The machine whose threads run on this host thread. Null outside of any: there simulated memory
  /// announces nothing.
  static inline thread_local VirtualMachine *current = nullptr;
};

} // namespace qdadvise::sim
