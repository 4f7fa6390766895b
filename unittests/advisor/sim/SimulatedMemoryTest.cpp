// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that simulated locks run on, on a machine that could not be simpler: every
// call lets the next thread run.
#include "advisor/sim/SimulatedMemory.h"
#include "advisor/sim/Fiber.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <vector>

namespace qdadvise::sim {

namespace {

/// Threads in turn; a thread that spins or sleeps is passed over until its word changes.
class TakingTurns : public VirtualMachine {
public:
  void add(std::function<void()> body) {
    threads.push_back({std::make_unique<Fiber>(), {}});
    threads.back().fiber->start(std::move(body));
  }
  /// False where threads are left that all wait for ever.
  bool run() {
    current = this;
    for (bool any = true; any;) {
      any = false;
      for (running = 0; running < threads.size(); ++running) {
        Thread &thread = threads[running];
        if (thread.fiber->finished() || (thread.waitsFor.address && !thread.waitsFor.changed()))
          continue;
        any = true;
        thread.waitsFor = {};
        thread.fiber->resume();
      }
    }
    current = nullptr;
    return std::all_of(threads.begin(), threads.end(),
                       [](const Thread &thread) { return thread.fiber->finished(); });
  }

  std::vector<Access> log;

  void access(const Access &access) noexcept override {
    log.push_back(access);
    next();
  }
  void settled(const void *, bool, std::memory_order order) noexcept override {
    log.back().order = order;
  }
  void plainAccess(const void *, std::size_t, bool) noexcept override { next(); }
  void spin(const SpinTarget &target, unsigned &turns) noexcept override {
    ++turns;
    threads[running].waitsFor = target;
    next();
  }
  void backOff(unsigned) noexcept override { next(); }
  void futexWait(const void *word, std::uint32_t expected) noexcept override {
    threads[running].waitsFor = {word, &expected, sizeof(expected)};
    next();
  }
  void futexWake(const void *, int) noexcept override { next(); }
  void yield() noexcept override { next(); }
  std::uint64_t now() noexcept override { return log.size(); }
  unsigned threadIndex() noexcept override { return static_cast<unsigned>(running); }

private:
  struct Thread {
    std::unique_ptr<Fiber> fiber;
    SpinTarget waitsFor;
  };
  void next() noexcept { threads[running].fiber->suspend(); }
  std::vector<Thread> threads;
  std::size_t running = 0;
};

/// A test-and-test-and-set lock, as one written over a memory is.
template <typename Memory> struct TestLock {
  typename Memory::template atomic<std::uint32_t> word{0};
  void lock() noexcept {
    typename Memory::spin_wait wait;
    while (word.exchange(1, std::memory_order_acquire) != 0)
      wait(word, 1);
  }
  void unlock() noexcept { word.store(0, std::memory_order_release); }
};

TEST(SimulatedMemory, RunsALock) {
  TakingTurns machine;
  TestLock<SimulatedMemory> lock;
  int count = 0, inside = 0;
  for (int thread = 0; thread < 3; ++thread)
    machine.add([&] {
      for (int i = 0; i < 10; ++i) {
        lock.lock();
        EXPECT_EQ(++inside, 1);
        SimulatedMemory::yield();
        ++count;
        --inside;
        lock.unlock();
      }
    });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(count, 30);
}

TEST(SimulatedMemory, LetsAMachineSeeThatAllThreadsWait) {
  TakingTurns machine;
  TestLock<SimulatedMemory> lock;
  machine.add([&] { lock.lock(); });
  machine.add([&] { lock.lock(); });
  EXPECT_FALSE(machine.run());
}

TEST(SimulatedMemory, SleepsAndWakes) {
  TakingTurns machine;
  SimulatedMemory::atomic<std::uint32_t> word{0};
  bool woken = false;
  machine.add([&] {
    while (word.load() == 0)
      SimulatedMemory::futex_wait(word, 0);
    woken = true;
  });
  machine.add([&] {
    word = 1;
    SimulatedMemory::futex_wake(word, 1);
  });
  EXPECT_TRUE(machine.run());
  EXPECT_TRUE(woken);
}

TEST(SimulatedMemory, AnnouncesWhatIsDoneAndInWhichOrder) {
  TakingTurns machine;
  SimulatedMemory::atomic<std::uint64_t> word{5};
  machine.add([&] {
    EXPECT_EQ(word.load(std::memory_order_acquire), 5u);
    word.store(6, std::memory_order_release);
    EXPECT_EQ(word.fetch_add(2, std::memory_order_acq_rel), 6u);
    std::uint64_t expected = 7;
    EXPECT_FALSE(word.compare_exchange_strong(expected, 9, std::memory_order_acq_rel));
    EXPECT_EQ(expected, 8u);
    EXPECT_TRUE(word.compare_exchange_weak(expected, 9, std::memory_order_release,
                                           std::memory_order_relaxed));
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(word.load(), 9u); // outside any machine: announced to nobody
  const std::vector<std::pair<AccessKind, std::memory_order>> expected{
      {AccessKind::load, std::memory_order_acquire},
      {AccessKind::store, std::memory_order_release},
      {AccessKind::update, std::memory_order_acq_rel},
      {AccessKind::compareExchange, std::memory_order_acquire},
      {AccessKind::compareExchange, std::memory_order_release}};
  ASSERT_EQ(machine.log.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(machine.log[i].kind, expected[i].first) << i;
    EXPECT_EQ(machine.log[i].order, expected[i].second) << i;
    EXPECT_EQ(machine.log[i].address, &word) << i;
    EXPECT_EQ(machine.log[i].size, sizeof(std::uint64_t)) << i;
  }
}

TEST(Fiber, CanBeAbandonedAndStartedAgain) {
  Fiber fiber;
  struct Loud {
    ~Loud() { ADD_FAILURE() << "an abandoned stack was unwound"; }
  };
  fiber.start([&] {
    const Loud loud;
    fiber.suspend();
  });
  fiber.resume();
  EXPECT_FALSE(fiber.finished());
  bool ran = false;
  fiber.start([&] { ran = true; });
  fiber.resume();
  EXPECT_TRUE(ran);
  EXPECT_TRUE(fiber.finished());
}

TEST(Fiber, HandsExceptionsToWhoResumedIt) {
  Fiber fiber;
  fiber.start([&] {
    fiber.suspend();
    throw std::runtime_error("from a fiber");
  });
  fiber.resume();
  EXPECT_THROW(fiber.resume(), std::runtime_error);
  EXPECT_TRUE(fiber.finished());
}

} // namespace

} // namespace qdadvise::sim
