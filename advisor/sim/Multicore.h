// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multicore in virtual time: caches that hand lines to each other, futexes, and a
// scheduler for more threads than cores. docs/theory/simulation.md describes it.
#pragma once

#include "advisor/sim/Caches.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/LineRequests.h"
#include "advisor/sim/MulticoreCosts.h"
#include "advisor/sim/MulticoreThread.h"
#include "advisor/sim/Scheduler.h"
#include "advisor/sim/SpinWaits.h"
#include "advisor/sim/VirtualMachine.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace qdadvise::sim {

/// The thread with the smallest clock runs, so that accesses to shared memory happen in the order
/// of virtual time. A thread runs on without a switch as long as its clock is the earliest.
/// Everything that happens follows from the seed.
class Multicore final : public VirtualMachine {
public:
  explicit Multicore(const MulticoreCosts &costs, std::uint64_t seed = 1);

  /// To be called before run(). Threads are placed as the costs say, and begin at time 0. `body`
  /// must not throw.
  unsigned addThread(std::function<void()> body);

  /// Runs until all threads have finished. Returns false where the remaining threads wait for each
  /// other for ever. To be called once.
  bool run();

  // For the simulated thread that runs:

  /// Computes without touching shared memory.
  void compute(Time duration);
  /// Waits for something that is not simulated, without a core.
  void block(Time duration);
  /// The core of thread `number` has the lines that nobody has touched yet, if this one asks for
  /// them.
  void placeNewLines(std::size_t number) {
    threads[running].newLinesAt = static_cast<std::int64_t>(threads[number].core);
  }
  /// Nobody has.
  void placeNewLinesNowhere() { threads[running].newLinesAt = -1; }
  /// The time that the thread has reached.
  Time clock() const { return threads[running].clock - threads[running].overlap; }

  // For locks that are part of the simulator: the thread keeps its core and spends no host time
  // until another thread calls unpark, which takes no virtual time.
  void park();
  void unpark(unsigned thread);
  /// Returns when everything has happened that happens earlier in virtual time.
  void reach();

  /// Accesses to shared memory so far.
  std::uint64_t accesses() const { return accessCount + spins.accesses(); }

  void access(const Access &access) noexcept override;
  void settled(const void *, bool, std::memory_order) noexcept override {}
  void plainAccess(const void *address, std::size_t size, bool writes) noexcept override;
  void touch(const void *address, std::size_t size) noexcept override {
    access({address, size, AccessKind::load, std::memory_order_relaxed});
  }
  void spin(const SpinTarget &target, unsigned &turns) noexcept override;
  void backOff(unsigned pauses) noexcept override;
  void futexWait(const void *word, std::uint32_t expected) noexcept override;
  void futexWake(const void *word, int count) noexcept override;
  void yield() noexcept override;
  std::uint64_t now() noexcept override { return static_cast<std::uint64_t>(clock() / 1000); }
  unsigned threadIndex() noexcept override { return running; }

private:
  struct Futex {
    std::deque<std::uint32_t> sleepers;
    Time freeAt = 0; ///< its list, for the next call
  };
  void lockFutex(MulticoreThread &thread, Futex &futex);
  static void spend(MulticoreThread &thread, Time duration);
  void reach(MulticoreThread &thread);
  void waitUntil(MulticoreThread &thread, Time at);
  void finishAccess(MulticoreThread &thread, Time at);
  Need needOf(const Access &access) const;
  void get(MulticoreThread &thread, CacheLine &line, Need need);
  void yieldNow(MulticoreThread &thread);

  MulticoreCosts costs;
  std::vector<MulticoreThread> threads;
  EventQueue events; ///< of threads, then the timers of cores
  Caches caches;
  LineRequests requests;
  SpinWaits spins;
  Scheduler scheduler;
  std::unordered_map<const void *, Futex> futexes; ///< by word
  std::uint32_t running = noIndex;
  std::uint64_t accessCount = 0; ///< without those of spinning threads
};

} // namespace qdadvise::sim
