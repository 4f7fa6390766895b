// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that several published locks share.
#pragma once

#include "advisor/sim/Multicore.h"
#include "advisor/sim/SimulatedLocks.h"
#include "advisor/sim/SimulatedMemory.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

namespace qdadvise::publication {

using sim::Multicore;
using sim::Operation;
using sim::SimulatedAtomic;
using sim::SimulatedLock;
using sim::SpinTurn;

inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto relaxed = std::memory_order_relaxed;

/// Waits in a loop until `word` no longer holds `seen`.
template <typename T>
void await(Multicore &machine, const SimulatedAtomic<T> &word, T seen, SpinTurn turn) {
  unsigned turns = 0;
  while (word.load(acquire) == seen)
    machine.spin({&word, &seen, sizeof(T), nullptr, turn}, turns);
}

/// What `look` finds, for observers: they are not simulated, and cost no time.
template <typename Look> auto observed(Look look) {
  // Without a machine, an access is an ordinary one.
  sim::VirtualMachine *const current = std::exchange(sim::VirtualMachine::current, nullptr);
  const auto found = look();
  sim::VirtualMachine::current = current;
  return found;
}

/// A value for each simulated thread, on lines of its own.
template <typename T> class PerThread {
public:
  T &of(unsigned thread) {
    while (values.size() <= thread)
      values.emplace_back();
    return values[thread].value;
  }
  std::size_t size() const { return values.size(); }

private:
  struct alignas(64) Padded {
    T value;
  };
  std::deque<Padded> values;
};

/// A lock with lock(), unlock() and looksTaken().
template <typename Lock> class Exclusive final : public SimulatedLock {
public:
  explicit Exclusive(Multicore &machine) : lock(machine) {}
  void exclusive(Operation operation) override {
    lock.lock();
    operation();
    lock.unlock();
  }
  bool isTaken() const override {
    return observed([this] { return lock.looksTaken(); });
  }

private:
  alignas(64) Lock lock;
};

template <typename Lock> std::unique_ptr<SimulatedLock> make(Multicore &machine) {
  return std::make_unique<Lock>(machine);
}

} // namespace qdadvise::publication
