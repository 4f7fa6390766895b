// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multicore in virtual time: caches that hand lines to each other, futexes, and a
// scheduler for more threads than cores. docs/theory/simulation.md describes it.
#pragma once

#include "advisor/sim/CacheLines.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/Fiber.h"
#include "advisor/sim/MulticoreCosts.h"
#include "advisor/sim/VirtualMachine.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qdadvise::sim {

/// The thread with the smallest clock runs, so that accesses to shared memory happen in
/// the order of virtual time; one runs on without a switch as long as it is the earliest.
/// Everything that happens follows from the seed.
class Multicore final : public VirtualMachine {
public:
  explicit Multicore(const MulticoreCosts &costs, std::uint64_t seed = 1);

  /// Before run(). Threads are placed on cores in order, a socket after the other, and
  /// begin at time 0. `body` must not throw.
  unsigned addThread(std::function<void()> body);

  /// Until all threads have finished. False where those that are left wait for each other
  /// for ever. Once only.
  bool run();

  // For the simulated thread that runs:

  /// Computes without touching shared memory.
  void compute(Time duration);
  /// Waits for something that is not simulated, without a core.
  void block(Time duration);
  /// How far it has come.
  Time clock() const { return threads[running].clock - threads[running].overlap; }

  // For locks that are part of the simulator: the thread keeps its core and spends no host
  // time until somebody else calls unpark, which takes no virtual time.
  void park();
  void unpark(unsigned thread);
  /// Comes to its turn: whatever happens earlier in virtual time has happened.
  void reach();

  /// Accesses to shared memory so far.
  std::uint64_t accesses() const { return accessCount; }

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
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  enum class State {
    onCore, ///< runs, or waits on its core for a line, a turn of spinning or park
    ready,  ///< in the queue of a core
    asleep, ///< its event, if it has one, is that it wants a core again
  };
  /// What a spinning thread does, which takes no switch to it before its word has changed.
  enum class Spin {
    no,
    watches, ///< its copy of the line; its event, if it has one, is that it yields
    turns,   ///< the line was written: to the end of its turn
    fetches, ///< the line again
  };
  struct Thread {
    std::unique_ptr<Fiber> fiber;
    State state = State::ready;
    std::uint32_t core = 0;
    Time clock = 0;
    /// A store leaves the core before it takes effect: how much of the time until then
    /// may still be spent on something else.
    Time overlap = 0;
    Time remaining = 0;        ///< of what it did when it lost its core
    bool accessing = false;    ///< an access is under way, and cannot be interrupted
    Time ran = 0;              ///< on a core, compared with others of that core only
    Time owed = 0;             ///< of its share of a core, when it fell asleep
    Time ranLast = -never / 2; ///< when it lost its core or fell asleep
    Spin spin = Spin::no;
    SpinTarget target;
    CacheLine *spinsOn = nullptr;
    Time spinsSince = 0;
    unsigned turnsBefore = 0, turns = 0; ///< of the spin-wait, then and when it goes on
  };
  struct Core {
    std::uint32_t socket = 0;
    std::uint32_t running = none;
    std::deque<std::uint32_t> queue;
    Time dispatched = 0;
    Time lastShare = 0; ///< of a core with nothing to do: when it had
  };

  // Time and order (Multicore.cpp)
  static void spend(Thread &thread, Time duration);
  void reach(Thread &thread);
  void waitUntil(Thread &thread, Time at);
  void finishAccess(Thread &thread, Time at);
  Time transfer(const CacheLine &line, std::uint32_t core) const;
  Time invalidation(const CacheLine &line, std::uint32_t core) const;
  bool hasCopies(const CacheLine &line, std::uint32_t socket) const;
  Time copyLine(CacheLine &line, Thread &thread);
  Time takeLine(CacheLine &line, Thread &thread, Time extra);
  void wakeSpinners(CacheLine &line, Time at);
  void endSpin(Thread &thread, Time at);
  void watch(Thread &thread, Time at);
  bool goesOnSpinning(Thread &thread, Time at);
  void leaveLine(std::uint32_t id);

  // Who has which core (Scheduler.cpp)
  void start();
  void dispatch(std::uint32_t core, std::uint32_t id, Time at, Time switching);
  void armTimer(Core &core, Time at);
  Time ranUntil(std::uint32_t id, Time at) const;
  Time fairShare(const Core &core, Time at) const;
  void enqueue(std::uint32_t core, std::uint32_t id, Time at);
  std::uint32_t takeNext(Core &core);
  void leaveCore(Thread &thread, Time at);
  void releaseCore(Thread &thread, Time at);
  std::uint32_t coldestThread(Time at) const;
  void moveTo(std::uint32_t core, std::uint32_t id, Time at);
  void tick(std::uint32_t core, Time at);
  void preempt(std::uint32_t core, Time at);
  bool looksIdle(const Core &core);
  std::uint32_t idleCoreNear(std::uint32_t core);
  std::uint32_t coreFor(const Thread &thread, Time at);
  void makeRunnable(std::uint32_t id, Time at);
  void yieldNow(Thread &thread);
  std::pair<Time, Time> wakeup(Time slept);
  std::size_t timerOf(const Core &core) const {
    return threads.size() + static_cast<std::size_t>(&core - cores.data());
  }
  std::uint32_t indexOf(const Thread &thread) const {
    return static_cast<std::uint32_t>(&thread - threads.data());
  }

  MulticoreCosts costs;
  std::mt19937_64 random;
  std::vector<Thread> threads;
  std::vector<Core> cores;
  EventQueue events; ///< of threads, then the timers of cores
  CacheLines lines;
  std::unordered_map<const void *, std::deque<std::uint32_t>> sleepers; ///< by futex word
  std::uint32_t running = none;
  std::uint64_t accessCount = 0;
};

} // namespace qdadvise::sim
