// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory policy of the shipped locks (runtime/include/qdadvise/locks/memory.h) on a virtual
// machine. `basic_spinlock<sim::SimulatedMemory>` is the shipped spinlock, which announces every
// access to shared memory to the machine before it takes effect.
#pragma once

#include "advisor/sim/VirtualMachine.h"

#include <climits>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace qdadvise::sim {

// Named as what it stands in for: std::atomic, and the memory of the shipped locks.
// NOLINTBEGIN(readability-identifier-naming)

/// Has the interface, size and alignment of std::atomic<T>, so that a lock has the layout with
/// which it is shipped, and the same members share cache lines. Simulated threads take turns on one
/// host thread, so a plain value is enough.
template <typename T> class SimulatedAtomic {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;

  constexpr SimulatedAtomic() noexcept : SimulatedAtomic(T()) {}
  constexpr SimulatedAtomic(T initial) noexcept : value(initial) {
    if (!std::is_constant_evaluated())
      if (VirtualMachine *machine = VirtualMachine::current)
        machine->created(&value);
  }
  SimulatedAtomic(const SimulatedAtomic &) = delete;
  SimulatedAtomic &operator=(const SimulatedAtomic &) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    announce(AccessKind::load, order);
    return value;
  }
  operator T() const noexcept { return load(); }

  void store(T desired, std::memory_order order = std::memory_order_seq_cst) noexcept {
    announce(AccessKind::store, order);
    value = desired;
  }
  T operator=(T desired) noexcept {
    store(desired);
    return desired;
  }

  T exchange(T desired, std::memory_order order = std::memory_order_seq_cst) noexcept {
    return update(order, [desired](T) { return desired; });
  }

  bool compare_exchange_strong(T &expected, T desired, std::memory_order success,
                               std::memory_order failure) noexcept {
    VirtualMachine *machine = VirtualMachine::current;
    if (machine)
      machine->access({&value, sizeof(T), AccessKind::compareExchange, success});
    const bool equal = std::memcmp(&value, &expected, sizeof(T)) == 0;
    if (equal)
      value = desired;
    else
      expected = value;
    if (machine)
      machine->settled(&value, equal, equal ? success : failure);
    return equal;
  }
  bool compare_exchange_strong(T &expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, desired, order, failureOf(order));
  }
  bool compare_exchange_weak(T &expected, T desired, std::memory_order success,
                             std::memory_order failure) noexcept {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T &expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, desired, order);
  }

  T fetch_add(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    return update(order, [argument](T old) { return static_cast<T>(old + argument); });
  }
  T fetch_sub(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    return update(order, [argument](T old) { return static_cast<T>(old - argument); });
  }
  T fetch_and(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    return update(order, [argument](T old) { return static_cast<T>(old & argument); });
  }
  T fetch_or(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    return update(order, [argument](T old) { return static_cast<T>(old | argument); });
  }
  T fetch_xor(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    return update(order, [argument](T old) { return static_cast<T>(old ^ argument); });
  }
  /// fetch_add without its result, as in C++26.
  void store_add(T argument, std::memory_order order = std::memory_order_seq_cst) noexcept
    requires std::integral<T>
  {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->access({&value, sizeof(T), AccessKind::update, order, false});
    value = static_cast<T>(value + argument);
  }

private:
  void announce(AccessKind kind, std::memory_order order) const noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->access({&value, sizeof(T), kind, order});
  }
  template <typename Function> T update(std::memory_order order, Function function) noexcept {
    announce(AccessKind::update, order);
    const T old = value;
    value = function(old);
    return old;
  }
  static constexpr std::memory_order failureOf(std::memory_order order) {
    return order == std::memory_order_acq_rel   ? std::memory_order_acquire
           : order == std::memory_order_release ? std::memory_order_relaxed
                                                : order;
  }

  alignas(std::atomic<T>) T value;
};

struct SimulatedMemory {
  template <typename T> using atomic = SimulatedAtomic<T>;

  /// Stands for the shipped spin_wait. It counts its turns, and the machine knows what the turns
  /// beyond spin_wait::spin_limit do.
  class spin_wait {
  public:
    template <typename T>
    void operator()(const SimulatedAtomic<T> &word, std::type_identity_t<T> seen) noexcept {
      if (VirtualMachine *machine = VirtualMachine::current)
        machine->spin({&word, &seen, sizeof(T)}, turns);
    }
    template <typename T>
    void operator()(const SimulatedAtomic<T> &word, std::type_identity_t<T> seen,
                    const SimulatedAtomic<T> &other, std::type_identity_t<T> otherSeen) noexcept {
      const SpinTarget second{&other, &otherSeen, sizeof(T)};
      if (VirtualMachine *machine = VirtualMachine::current)
        machine->spin({&word, &seen, sizeof(T), &second}, turns);
    }
    void back_off(unsigned pauses) noexcept {
      if (VirtualMachine *machine = VirtualMachine::current)
        machine->backOff(pauses);
    }

  private:
    unsigned turns = 0;
  };

  template <typename T> static void touch(const SimulatedAtomic<T> &word) noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->touch(&word, sizeof(T));
  }

  static void futex_wait(const SimulatedAtomic<std::uint32_t> &word,
                         std::uint32_t expected) noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->futexWait(&word, expected);
  }
  static void futex_wake(const SimulatedAtomic<std::uint32_t> &word, int count = INT_MAX) noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->futexWake(&word, count);
  }
  static void yield() noexcept {
    if (VirtualMachine *machine = VirtualMachine::current)
      machine->yield();
  }
  static std::uint64_t now() noexcept {
    VirtualMachine *machine = VirtualMachine::current;
    return machine ? machine->now() : 0;
  }
  static unsigned thread_index() noexcept {
    VirtualMachine *machine = VirtualMachine::current;
    return machine ? machine->threadIndex() : 0;
  }
};

static_assert(sizeof(SimulatedAtomic<bool>) == sizeof(std::atomic<bool>) &&
              alignof(SimulatedAtomic<bool>) == alignof(std::atomic<bool>));
static_assert(sizeof(SimulatedAtomic<std::uint64_t>) == sizeof(std::atomic<std::uint64_t>) &&
              alignof(SimulatedAtomic<std::uint64_t>) == alignof(std::atomic<std::uint64_t>));

// NOLINTEND(readability-identifier-naming)

} // namespace qdadvise::sim
