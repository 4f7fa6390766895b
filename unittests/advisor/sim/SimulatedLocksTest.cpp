// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lock of the table on the virtual multicore, with a core for each thread and with
// fewer.
#include "advisor/sim/SimulatedLocks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/machine/Machine.h"
#include "advisor/sim/MulticoreCosts.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

MulticoreCosts costsOf(int cores) {
  const auto costs =
      sim::costsOf(genericMachine(), {.cores = cores, .sleeps = true, .sharesCores = true});
  EXPECT_TRUE(costs) << costs.error().message;
  return *costs;
}

class EveryLock : public testing::TestWithParam<SimulatedKind> {};

TEST_P(EveryLock, HasARowAmongTheLockAlgorithms) {
  EXPECT_NE(findLockAlgorithm(GetParam().kind), nullptr);
}

TEST_P(EveryLock, IsTakenWhileAnOperationRuns) {
  Multicore machine(costsOf(1));
  const auto lock = GetParam().make(machine);
  bool during = false, afterwards = true;
  machine.addThread([&] {
    EXPECT_FALSE(lock->isTaken());
    auto operation = [&] { during = lock->isTaken(); };
    lock->exclusive(operation);
    afterwards = lock->isTaken();
  });
  EXPECT_TRUE(machine.run());
  EXPECT_TRUE(during);
  EXPECT_FALSE(afterwards);
}

TEST_P(EveryLock, ExecutesEveryOperationOnceAndAlone) {
  for (const int cores : {2, 5, 12}) {
    Multicore machine(costsOf(cores));
    const auto lock = GetParam().make(machine);
    int inside = 0, together = 0, executed = 0;
    for (int thread = 0; thread < 12; ++thread)
      machine.addThread([&, thread] {
        for (int i = 0; i < 100; ++i) {
          auto operation = [&] {
            together = std::max(together, ++inside);
            machine.compute(picoseconds(400 + 10 * thread));
            machine.reach();
            --inside;
            ++executed;
          };
          lock->exclusive(operation);
          machine.compute(picoseconds(1000));
        }
      });
    EXPECT_TRUE(machine.run());
    EXPECT_EQ(executed, 1200) << cores << " cores";
    EXPECT_EQ(together, 1) << cores << " cores";
  }
}

TEST_P(EveryLock, KeepsReadersAndWritersApart) {
  const bool knowsReaders = algorithmOf(GetParam().kind).sharesReads;
  Multicore machine(costsOf(4));
  const auto lock = GetParam().make(machine);
  int readers = 0, writers = 0, mostReaders = 0, mixed = 0;
  for (int thread = 0; thread < 6; ++thread)
    machine.addThread([&, thread] {
      for (int i = 0; i < 100; ++i) {
        const bool writes = i % 6 == thread;
        auto operation = [&] {
          int &mine = writes ? writers : readers;
          ++mine;
          mixed += writers > 1 || (writers > 0 && readers > 0);
          mostReaders = std::max(mostReaders, readers);
          machine.compute(picoseconds(2000));
          machine.reach();
          --mine;
        };
        if (writes)
          lock->exclusive(operation);
        else
          lock->shared(operation);
        machine.compute(picoseconds(300));
      }
    });
  EXPECT_TRUE(machine.run());
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(mostReaders > 1, knowsReaders) << mostReaders;
}

INSTANTIATE_TEST_SUITE_P(, EveryLock, testing::ValuesIn(simulatedKinds()),
                         [](const auto &info) { return std::string(nameOf(info.param.kind)); });

TEST(SimulatedLocks, AreAllThatAreKnown) {
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    EXPECT_NE(findSimulatedKind(algorithm.kind), nullptr) << algorithm.name;
}

/// Where waiters sleep, a handoff costs a wake-up, and only there.
TEST(SimulatedLocks, SleepWhereTheTableSaysSo) {
  for (const SimulatedKind &kind : simulatedKinds()) {
    Multicore machine(costsOf(2));
    const auto lock = kind.make(machine);
    Time end = 0;
    for (int thread = 0; thread < 2; ++thread)
      machine.addThread([&] {
        auto operation = [&] { machine.compute(picoseconds(1'000'000)); };
        lock->exclusive(operation);
        end = std::max(end, machine.clock());
      });
    EXPECT_TRUE(machine.run());
    const double handOver = nanoseconds(end) - 2'000'000;
    EXPECT_EQ(handOver > 5000, algorithmOf(kind.kind).sleeps())
        << nameOf(kind.kind) << ": " << handOver << " ns";
  }
}

} // namespace

} // namespace qdadvise::sim
