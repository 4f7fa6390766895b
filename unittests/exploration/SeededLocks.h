// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks with one bug each, of the kinds that are easily made, and the same locks without it.
#pragma once

#include "advisor/sim/SimulatedMemory.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace qdadvise::sim {

enum class SeededBug : std::uint8_t {
  none,
  missingAcquire,  ///< the result is read without an acquire
  closesLate,      ///< the lock is released without a look at later requests
  lostResultFlag,  ///< the flag is cleared when somebody may have set it
  doubleExecution, ///< a waiter that finds the lock free executes its request itself
};

/// A small queue delegation lock. As in the shipped one, whose fast paths it lacks, the word holds
/// the bits taken and accepting and a count.
template <SeededBug Bug> class SeededDelegation {
  static constexpr bool has(SeededBug bug) { return Bug == bug; }
  using Memory = SimulatedMemory;
  static constexpr std::uint32_t taken = 1u << 31, accepting = 1u << 30, counted = accepting - 1;
  static constexpr unsigned capacity = 4;

  struct Request {
    void (*const execute)(Request &);
    Memory::atomic<bool> done{false};
  };

public:
  template <typename Operation> std::invoke_result_t<Operation> delegate(Operation &&operation) {
    using Result = std::invoke_result_t<Operation>;
    struct Full : Request {
      Operation &callable;
      Result result{};
      explicit Full(Operation &given)
          : Request{[](Request &request) {
              auto &self = static_cast<Full &>(request);
              self.result = self.callable();
            }},
            callable(given) {}
    } request(operation);
    enter(request);
    return request.result;
  }

  void lock() {
    Memory::spin_wait wait;
    std::uint32_t seen = 0;
    while (!tryTake(taken, seen))
      wait(state, seen);
  }
  bool try_lock() {
    std::uint32_t seen = 0;
    return tryTake(taken, seen);
  }
  void unlock() { state.store(0, std::memory_order_release); }
  bool looks_taken() const { return (state.load(std::memory_order_relaxed) & taken) != 0; }

private:
  bool tryTake(std::uint32_t as, std::uint32_t &seen) {
    seen = state.load(std::memory_order_relaxed);
    while (!(seen & taken))
      if (state.compare_exchange_weak(seen, as, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return true;
    return false;
  }

  bool tryInsert(Request &request, std::uint32_t seen) {
    const auto hasRoom = [](std::uint32_t word) {
      return (word & taken) && (word & accepting) && (word & counted) < capacity;
    };
    if (!hasRoom(seen))
      return false;
    seen = state.fetch_add(1, std::memory_order_acquire);
    if (!hasRoom(seen))
      return false;
    slots[seen & counted].store(&request, std::memory_order_release);
    return true;
  }

  void enter(Request &request) {
    Memory::spin_wait wait;
    while (true) {
      std::uint32_t seen = 0;
      if (tryTake(taken | accepting, seen)) {
        request.execute(request);
        help();
        return;
      }
      if (tryInsert(request, seen)) {
        await(request);
        return;
      }
      wait(state, seen);
    }
  }

  void await(Request &request) {
    if constexpr (has(SeededBug::lostResultFlag))
      request.done.store(false, std::memory_order_relaxed); // "to begin with"
    Memory::spin_wait wait;
    while (!request.done.load(has(SeededBug::missingAcquire) ? std::memory_order_relaxed
                                                             : std::memory_order_acquire)) {
      if constexpr (has(SeededBug::doubleExecution)) {
        std::uint32_t seen = 0;
        if (tryTake(taken, seen)) { // "the helper has left"
          request.execute(request);
          unlock();
          return;
        }
        wait(state, seen);
      } else {
        wait(request.done, false);
      }
    }
  }

  void help() {
    std::uint32_t executed = 0;
    std::uint32_t seen = state.load(std::memory_order_relaxed);
    do {
      for (; executed < (seen & counted) && executed < capacity; ++executed)
        execute(slots[executed]);
      if (executed == capacity || has(SeededBug::closesLate)) {
        state.store(0, std::memory_order_release);
        return;
      }
      seen = taken | accepting | executed;
    } while (!state.compare_exchange_strong(seen, 0, std::memory_order_release,
                                            std::memory_order_relaxed));
  }

  static void execute(Memory::atomic<Request *> &slot) {
    Request *request = nullptr;
    for (Memory::spin_wait wait; !(request = slot.load(std::memory_order_acquire));)
      wait(slot, request);
    slot.store(nullptr, std::memory_order_relaxed);
    request->execute(*request);
    request->done.store(true, std::memory_order_release);
  }

  Memory::atomic<std::uint32_t> state{0};
  Memory::atomic<Request *> slots[capacity] = {};
};

/// Sleeps until a count of releases moves on. The count must be read before the lock is
/// found to be taken; read afterwards, it may be that of the release that should have been
/// waited for, and the wake-up has been before the wait.
template <bool WakesBeforeWait> class SeededSleeping {
  using Memory = SimulatedMemory;

public:
  void lock() {
    while (true) {
      std::uint32_t seen = releases.load(std::memory_order_relaxed);
      if (try_lock())
        return;
      if constexpr (WakesBeforeWait)
        seen = releases.load(std::memory_order_relaxed);
      Memory::futex_wait(releases, seen);
    }
  }
  bool try_lock() { return taken.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() {
    taken.store(0, std::memory_order_release);
    releases.fetch_add(1, std::memory_order_relaxed);
    Memory::futex_wake(releases, 1);
  }
  bool looks_taken() const { return taken.load(std::memory_order_relaxed) != 0; }

private:
  Memory::atomic<std::uint32_t> taken{0}, releases{0};
};

} // namespace qdadvise::sim
