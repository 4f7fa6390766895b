// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the virtual multicore charges for: every figure here can be added up by hand.
#include "advisor/sim/Multicore.h"
#include "advisor/sim/SimulatedMemory.h"

#include <gtest/gtest.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <vector>

namespace qdadvise::sim {

namespace {

using Word = SimulatedMemory::atomic<std::uint32_t>;

MulticoreCosts costsOfTest(int cores, int sockets = 1) {
  MulticoreCosts costs;
  costs.cores = cores;
  costs.sockets = sockets;
  costs.hit = picoseconds(1);
  costs.atomic = picoseconds(5);
  costs.sameSocket = picoseconds(50);
  costs.crossSocket = picoseconds(130);
  costs.pause = picoseconds(9);
  costs.yield = picoseconds(99);
  costs.contextSwitch = picoseconds(1000);
  costs.sleep = picoseconds(200);
  costs.wake = picoseconds(100);
  costs.refuse = picoseconds(80);
  costs.timeslice = picoseconds(100'000);
  costs.migration = picoseconds(300'000);
  costs.wakeups.wakeup = {{100, 4000, 1500}};
  return costs;
}

double elapsed(Multicore &machine, const std::function<void()> &what) {
  const Time before = machine.clock();
  what();
  return nanoseconds(machine.clock() - before);
}

TEST(Multicore, ChargesHitsAndTransfers) {
  Multicore machine(costsOfTest(4, 2));
  alignas(64) Word word;
  machine.addThread([&] {
    EXPECT_EQ(elapsed(machine, [&] { word.load(); }), 50); // from memory
    EXPECT_EQ(elapsed(machine, [&] { word.load(); }), 1);
    EXPECT_EQ(elapsed(machine, [&] { word.exchange(1); }), 5); // alone: nobody to ask
    EXPECT_EQ(elapsed(machine, [&] { word.store(2, std::memory_order_release); }), 1);
    machine.compute(picoseconds(10'000));
    // Both others have a copy now, one of them on the other socket.
    EXPECT_EQ(elapsed(machine, [&] { word.exchange(3); }), 135);
  });
  machine.addThread([&] {
    machine.compute(picoseconds(1000));
    EXPECT_EQ(elapsed(machine, [&] { word.load(); }), 50);
  });
  machine.addThread([&] {
    machine.compute(picoseconds(2000));
    EXPECT_EQ(elapsed(machine, [&] { word.load(); }), 130);
    EXPECT_EQ(word.load(), 2u);
  });
  EXPECT_TRUE(machine.run());
}

TEST(Multicore, ChargesForAWriteOfWhatWasRead) {
  for (const bool alone : {false, true}) {
    MulticoreCosts costs = costsOfTest(2);
    costs.upgrade = picoseconds(alone ? 4 : 50);
    Multicore machine(costs);
    alignas(64) Word word;
    machine.addThread([&] {
      word.exchange(1);
      machine.compute(picoseconds(2000));
      EXPECT_EQ(elapsed(machine, [&] { word.exchange(4); }), 55) << "the other one has it";
    });
    machine.addThread([&] {
      machine.compute(picoseconds(1000));
      EXPECT_EQ(elapsed(machine, [&] { word.load(); }), 50);
      EXPECT_EQ(elapsed(machine, [&] { word.exchange(2); }), alone ? 9 : 55);
      EXPECT_EQ(elapsed(machine, [&] { word.exchange(3); }), 5);
    });
    EXPECT_TRUE(machine.run());
  }
}

TEST(Multicore, LetsAStoreOverlapWithComputation) {
  Multicore machine(costsOfTest(2));
  alignas(64) Word word;
  machine.addThread([&] {
    machine.compute(picoseconds(1000));
    // On its way for 50 ns; the thread goes on after 1, and the next atomic waits for it.
    EXPECT_EQ(elapsed(machine, [&] { word.store(1, std::memory_order_release); }), 1);
    EXPECT_EQ(elapsed(machine, [&] { machine.compute(picoseconds(20)); }), 20);
    EXPECT_EQ(elapsed(machine, [&] { word.exchange(2); }), 49 - 20 + 5);
  });
  machine.addThread([&] { word.load(); });
  EXPECT_TRUE(machine.run());
}

TEST(Multicore, LetsAnAtomicWaitUntilStoresAreInTheCache) {
  MulticoreCosts costs = costsOfTest(2);
  costs.drain = picoseconds(20);
  Multicore machine(costs);
  alignas(64) Word first, second;
  machine.addThread([&] {
    first.exchange(1);
    second.exchange(1);
    EXPECT_EQ(elapsed(machine, [&] { first.exchange(2); }), 5) << "no store is on its way";
    first.store(3, std::memory_order_release);
    EXPECT_EQ(elapsed(machine, [&] { first.load(); }), 1);
    EXPECT_EQ(elapsed(machine, [&] { second.exchange(2); }), 20 - 1 + 5) << "of any line";
    first.store(4, std::memory_order_release);
    machine.compute(picoseconds(30));
    EXPECT_EQ(elapsed(machine, [&] { first.exchange(5); }), 5);
  });
  EXPECT_TRUE(machine.run());
}

TEST(Multicore, ServesTheMissesOfALineOneByOne) {
  Multicore machine(costsOfTest(8));
  alignas(64) Word word;
  std::vector<double> took;
  for (int i = 0; i < 8; ++i)
    machine.addThread([&] {
      machine.compute(picoseconds(1000));
      took.push_back(elapsed(machine, [&] { word.fetch_add(1); }));
    });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(word.load(), 8u);
  for (std::size_t i = 0; i < took.size(); ++i)
    EXPECT_EQ(took[i], 50 * static_cast<double>(i + 1) + 5); // it is on its way to the next already
}

TEST(Multicore, WaitsForNoAdditionAtItsHomeWhoseResultNobodyReads) {
  constexpr unsigned times = 100;
  const auto ns = [](auto add) {
    MulticoreCosts costs = costsOfTest(4);
    costs.copy = picoseconds(30);
    costs.request = picoseconds(20);
    costs.farInterval = picoseconds(10);
    Multicore machine(costs);
    alignas(64) Word word;
    double last = 0;
    for (int i = 0; i < 2; ++i)
      machine.addThread([&] {
        for (unsigned k = 0; k < times; ++k)
          add(word);
        last = nanoseconds(machine.clock());
      });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(word.load(), 2 * times);
    return last / times;
  };
  constexpr auto relaxed = std::memory_order_relaxed;
  EXPECT_NEAR(ns([](Word &word) { word.store_add(1, relaxed); }), 2 * 10, 1);
  EXPECT_NEAR(ns([](Word &word) { word.fetch_add(1, relaxed); }), 30 + 1, 1);
  EXPECT_NEAR(ns([](Word &word) { word.store_add(1); }), 30 + 1, 1) << "it is ordered";
}

TEST(Multicore, ComputesSlowerWhereThreadsShareACore) {
  MulticoreCosts costs = costsOfTest(2);
  costs.threadsPerCore = 2;
  costs.sharedCoreFactor = 1.5;
  Multicore machine(costs);
  double first = 0, second = 0;
  machine.addThread([&] {
    machine.compute(picoseconds(1000)); // alone for a half of it
    machine.reach();
    machine.compute(picoseconds(1000));
    first = nanoseconds(machine.clock());
  });
  machine.addThread([&] {
    machine.block(picoseconds(500));
    second = elapsed(machine, [&] { machine.compute(picoseconds(1000)); });
  });
  EXPECT_TRUE(machine.run());
  // The second one's lie beside the first one's, and each costs the other up to a half of it.
  EXPECT_GE(first, 2250);
  EXPECT_LE(first, 2750);
  EXPECT_GE(second, 1250);
  EXPECT_LE(second, 1500);
}

TEST(Multicore, SpinningCostsNoHostTimeUntilSomethingChanges) {
  Multicore machine(costsOfTest(2));
  alignas(64) Word word;
  double sawAt = 0;
  machine.addThread([&] {
    machine.compute(picoseconds(1e9)); // a second
    word.store(1, std::memory_order_release);
  });
  machine.addThread([&] {
    SimulatedMemory::spin_wait wait;
    while (word.load(std::memory_order_acquire) == 0)
      wait(word, 0);
    sawAt = nanoseconds(machine.clock());
  });
  EXPECT_TRUE(machine.run());
  EXPECT_LT(machine.accesses(), 10u);
  EXPECT_GE(sawAt, 1e9 + 100);       // the store and the fetch
  EXPECT_LE(sawAt, 1e9 + 100 + 100); // and a turn with a yield
}

TEST(Multicore, SpinsUntilEitherOfTwoWordsOnALineChanges) {
  Multicore machine(costsOfTest(2));
  struct alignas(64) Line {
    Word named, other;
  } line;
  double sawAt = 0;
  machine.addThread([&] {
    machine.compute(picoseconds(1e9));
    line.other.store(1, std::memory_order_release);
  });
  machine.addThread([&] {
    SimulatedMemory::spin_wait wait;
    while (line.other.load(std::memory_order_acquire) == 0)
      wait(line.named, 0, line.other, 0);
    sawAt = nanoseconds(machine.clock());
  });
  EXPECT_TRUE(machine.run());
  EXPECT_LT(machine.accesses(), 10u);
  EXPECT_GE(sawAt, 1e9 + 100);
  EXPECT_LE(sawAt, 1e9 + 100 + 100);
}

TEST(Multicore, WakesASleeperAtItsCost) {
  Multicore machine(costsOfTest(2));
  alignas(64) Word word;
  double wokenAt = 0;
  machine.addThread([&] {
    machine.compute(picoseconds(10'000));
    word.store(1, std::memory_order_release);
    EXPECT_EQ(elapsed(machine, [&] { SimulatedMemory::futex_wake(word, 1); }), 1500);
    EXPECT_EQ(elapsed(machine, [&] { SimulatedMemory::futex_wake(word, 1); }), 100);
  });
  machine.addThread([&] {
    SimulatedMemory::futex_wait(word, 0);
    wokenAt = nanoseconds(machine.clock());
    EXPECT_EQ(elapsed(machine, [&] { SimulatedMemory::futex_wait(word, 0); }), 280);
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(wokenAt, 10'050 + 4000);
}

TEST(Multicore, CountsSleepFromTheCallOn) {
  MulticoreCosts costs = costsOfTest(2);
  // 200 ns until asleep, and some 800 ns more until it is woken.
  costs.wakeups.wakeup = {{900, 1000, 1500}, {950, 5000, 1500}};
  Multicore machine(costs);
  alignas(64) Word word;
  double calledAt = 0, awakeAt = 0;
  machine.addThread([&] {
    calledAt = nanoseconds(machine.clock());
    SimulatedMemory::futex_wait(word, 0);
    awakeAt = nanoseconds(machine.clock());
  });
  machine.addThread([&] {
    machine.compute(picoseconds(1000));
    word.store(1, std::memory_order_release);
    SimulatedMemory::futex_wake(word, 1);
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(calledAt, 0);
  EXPECT_NEAR(awakeAt, 1000 + 5000, 60);
}

TEST(Multicore, SharesACoreInTimeSlices) {
  Multicore machine(costsOfTest(1));
  std::vector<double> ends;
  for (int i = 0; i < 2; ++i)
    machine.addThread([&] {
      machine.compute(picoseconds(250'000));
      machine.reach();
      ends.push_back(nanoseconds(machine.clock()));
    });
  EXPECT_TRUE(machine.run());
  // Slices of 100 us in turn, a switch of 1 us at the beginning of each but the first.
  EXPECT_EQ(ends, (std::vector<double>{452'000, 505'000}));
}

TEST(Multicore, AWokenThreadThatIsOwedTimeComesFirst) {
  Multicore machine(costsOfTest(1));
  double wokenAt = 0;
  machine.addThread([&] { machine.compute(picoseconds(1e6)); });
  machine.addThread([&] { // from 101 us on; at 111 it has run less than its half
    machine.compute(picoseconds(10'000));
    machine.block(picoseconds(20'000));
    wokenAt = nanoseconds(machine.clock());
  });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(wokenAt, 111'000 + 20'000 + 1000);
}

TEST(Multicore, AWokenThreadThatHasRunMoreWaitsForATick) {
  Multicore machine(costsOfTest(1));
  double wokenAt = 0;
  machine.addThread([&] {
    machine.compute(picoseconds(50'000));
    machine.block(picoseconds(25'000)); // in which the other one runs, but less
    wokenAt = nanoseconds(machine.clock());
  });
  machine.addThread([&] { machine.compute(picoseconds(1e6)); });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(wokenAt, 100'000 + 1000);
}

/// Three threads on two cores: the first has one, the third waits for it, and the second
/// leaves the other core at some time. When the third has computed for so long.
double endOfTheThird(const MulticoreCosts &costs, double secondEndsNs, double thirdComputesNs) {
  Multicore machine(costs);
  double end = 0;
  machine.addThread([&] { machine.compute(picoseconds(1e6)); });
  machine.addThread([&] { machine.compute(picoseconds(secondEndsNs)); });
  machine.addThread([&] {
    machine.compute(picoseconds(thirdComputesNs));
    machine.reach();
    end = nanoseconds(machine.clock());
  });
  EXPECT_TRUE(machine.run());
  return end;
}

TEST(Multicore, AnIdleCoreTakesAThreadThatHasNotRunLately) {
  EXPECT_EQ(endOfTheThird(costsOfTest(2), 60'000, 10'000), 61'000 + 10'000);
}

TEST(Multicore, AThreadThatHasJustRunIsMovedAtATickOnly) {
  // It has run from 101 to 200 us; the other core is idle from 250 on.
  EXPECT_EQ(endOfTheThird(costsOfTest(2), 250'000, 150'000), 301'000 + (150'000 - 99'000));
}

TEST(Multicore, ACoreWithOtherProgramsIsNotIdle) {
  MulticoreCosts costs = costsOfTest(2);
  costs.others = 1;
  EXPECT_EQ(endOfTheThird(costs, 60'000, 10'000), 101'000 + 10'000);
}

TEST(Multicore, PreemptsTheHolderOfALock) {
  Multicore machine(costsOfTest(1));
  basic_spinlock<SimulatedMemory> lock;
  double tookAt = 0;
  machine.addThread([&] {
    lock.lock();
    machine.compute(picoseconds(150'000));
    lock.unlock();
    machine.compute(picoseconds(150'000));
  });
  machine.addThread([&] {
    lock.lock();
    tookAt = nanoseconds(machine.clock());
    lock.unlock();
  });
  EXPECT_TRUE(machine.run());
  // Lost its core after 100 us; the waiter spun, yielded, and had it again after the slice
  // in which the holder released.
  EXPECT_GT(tookAt, 200'000);
  EXPECT_LT(tookAt, 225'000);
}

TEST(Multicore, SeesThatAllThreadsWaitForEver) {
  Multicore machine(costsOfTest(2));
  basic_spinlock<SimulatedMemory> lock;
  machine.addThread([&] { lock.lock(); });
  machine.addThread([&] { lock.lock(); });
  EXPECT_FALSE(machine.run());
}

TEST(Multicore, BlocksWithoutACore) {
  Multicore machine(costsOfTest(1));
  std::vector<double> ends;
  for (int i = 0; i < 2; ++i)
    machine.addThread([&] {
      machine.block(picoseconds(50'000));
      ends.push_back(nanoseconds(machine.clock()));
    });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(ends, (std::vector<double>{50'000, 51'000}));
}

/// The shipped locks, unchanged, keep their promise on any number of cores, also when there
/// are more threads than cores.
TEST(Multicore, RunsTheShippedLocks) {
  for (const int cores : {2, 3, 64}) {
    Multicore machine(costsOfTest(cores, cores > 2 ? 2 : 1));
    basic_spinlock<SimulatedMemory> spinlock;
    basic_qd_lock<4, SimulatedMemory> qd;
    int underSpinlock = 0, underQd = 0;
    bool inside = false;
    for (int thread = 0; thread < 8; ++thread)
      machine.addThread([&] {
        for (int i = 0; i < 200; ++i) {
          spinlock.lock();
          const int seen = underSpinlock;
          machine.compute(picoseconds(500));
          machine.reach();
          underSpinlock = seen + 1;
          spinlock.unlock();
          const int result = qd.delegate([&] {
            EXPECT_FALSE(inside);
            inside = true;
            machine.compute(picoseconds(300));
            machine.reach();
            inside = false;
            return ++underQd;
          });
          EXPECT_GT(result, 0);
        }
      });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(underSpinlock, 1600);
    EXPECT_EQ(underQd, 1600);
  }
}

} // namespace

} // namespace qdadvise::sim
