// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that threads take inside each other in different orders.
#include "advisor/model/workload/NestingCycles.h"

#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/sim/Simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void addInside(Network &network, std::size_t outer, std::size_t lock, double visits = 1) {
  Section inner;
  inner.name = "inner" + std::to_string(network.sections.size());
  inner.lock = lock;
  inner.hold = {300, 1};
  inner.inside = outer;
  inner.visits = visits;
  network.sections.push_back(inner);
}

/// Two locks, each of which is taken inside the other; the second order in that share of the
/// cycles.
Network inBothOrders(double share) {
  Network network = networkOf({{1 - share, 50}, {share, 50}}, 1000);
  addInside(network, 0, 1);
  addInside(network, 1, 0);
  return network;
}

std::vector<NestingCycle> cyclesOf(const Network &network) {
  return nestingCycles(network, trafficOf(network));
}

TEST(NestingCycles, AreFoundAmongTheLocksInUse) {
  const Network network = inBothOrders(0.5);
  const auto cycles = cyclesOf(network);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_THAT(cycles[0].locks, ElementsAre(0, 1));
  EXPECT_TRUE(cycles[0].alwaysMeets);
  EXPECT_EQ(namesOf(cycles[0], network), "lock0 and lock1");
  Network oneOrder = networkOf({{0.5, 50}, {0.5, 50}}, 1000);
  addInside(oneOrder, 0, 1);
  EXPECT_TRUE(cyclesOf(oneOrder).empty());
  Network never = inBothOrders(0); // nobody comes to the second order
  EXPECT_TRUE(cyclesOf(never).empty());
}

TEST(NestingCycles, OfThreeLocksAndOfClassesWithInstances) {
  Network network = networkOf({{0.4, 50}, {0.3, 50}, {0.3, 50}}, 1000);
  addInside(network, 0, 1);
  addInside(network, 1, 2);
  addInside(network, 2, 0);
  network.locks[1].instances = 100;
  const auto cycles = cyclesOf(network);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_THAT(cycles[0].locks, ElementsAre(0, 1, 2));
  EXPECT_FALSE(cycles[0].alwaysMeets);
  EXPECT_EQ(namesOf(cycles[0], network), "lock0, lock1 and lock2");
}

TEST(NestingCycles, AreNoneInsideACommonLock) {
  Network network = networkOf({{0, 50}, {0, 50}, {1, 100}}, 1000);
  addInside(network, 2, 0, 0.5); // section 3
  addInside(network, 2, 1, 0.5);
  addInside(network, 3, 1);
  addInside(network, 4, 0);
  EXPECT_TRUE(cyclesOf(network).empty());
  network.locks[2].instances = 2; // two threads may be inside
  EXPECT_EQ(cyclesOf(network).size(), 1u);
}

TEST(NestingCycles, ArePredictedAsOneLock) {
  const Machine machine = machineOf(32);
  Network one = networkOf({{1, 350}}, 1000);
  for (const LockKind kind : {LockKind::ideal, LockKind::mcs, LockKind::pthreadMutex, LockKind::qd})
    for (const double share : {0.05, 0.5})
      for (const int threads : {1, 2, 8, 64}) {
        const Network network = inBothOrders(share);
        const auto at = predict(network, {kind, kind}, machine, threads);
        const auto alike = predict(one, {kind}, machine, threads);
        ASSERT_TRUE(at && alike);
        // Two acquisitions in each cycle; what the second one costs alone is a few nanoseconds.
        EXPECT_NEAR(at->throughputPerS / alike->throughputPerS, 2, 0.15)
            << nameOf(kind) << " " << threads << " " << share;
        EXPECT_EQ(at->worstCase, threads > 1);
        EXPECT_NEAR(at->locks[0].throughputPerS, at->locks[1].throughputPerS,
                    1e-6 * at->throughputPerS);
        if (threads > 1)
          EXPECT_THAT(at->notes,
                      Contains(HasSubstr("threads take lock0 and lock1 inside each other,"
                                         " in different orders")));
      }
}

/// Of a hundred locks each, threads hardly ever meet, and few threads are no other world.
TEST(NestingCycles, OfManyLocksAreBoundedOnlyWhereTheyHaveTo) {
  Network network = inBothOrders(0.5);
  network.locks[0].instances = network.locks[1].instances = 100;
  for (const LockKind kind : {LockKind::ideal, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex})
    for (const int threads : {2, 3, 4, 5, 8}) {
      const auto one = predict(network, {kind, kind}, machineOf(32), 1),
                 at = predict(network, {kind, kind}, machineOf(32), threads);
      ASSERT_TRUE(one && at);
      EXPECT_FALSE(at->worstCase) << nameOf(kind) << " " << threads;
      EXPECT_NEAR(at->throughputPerS / one->throughputPerS, threads, 0.15 * threads)
          << nameOf(kind) << " " << threads;
    }
}

/// Taking an array's lock inside another of its locks costs a little, which a single lock taken
/// twice would not: that makes the array no worse than one lock.
TEST(NestingCycles, AnArrayTakenInsideItselfIsNotOneLockFromOneThreadOn) {
  Network network = networkOf({{1, 50}}, 200);
  network.locks[0].instances = 1000;
  addInside(network, 0, 0, 0.01);
  for (const LockKind kind : {LockKind::mcs, LockKind::qd, LockKind::pthreadMutex}) {
    const auto sweep = predictSweep(network, kind, machineOf(32), {1, 2, 4});
    ASSERT_TRUE(sweep);
    for (const Prediction &at : *sweep) {
      EXPECT_FALSE(at.worstCase) << nameOf(kind) << " " << at.threads;
      EXPECT_GT(at.throughputPerS / sweep->front().throughputPerS, 0.6 * at.threads)
          << nameOf(kind) << " " << at.threads;
    }
  }
}

/// One section in ten holds a lock of an array, and takes another one of it inside. The virtual
/// multicore takes them in one order.
TEST(NestingCycles, AnArrayTakenInsideItselfIsAsSimulated) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine);
  Network network = networkOf({{0.9, 1000}, {0.1, 700}}, 200);
  network.locks[0].instances = 1000;
  network.locks[1].instances = 10;
  addInside(network, 1, 1);
  for (const LockKind kind : {LockKind::ideal, LockKind::mcs, LockKind::qd})
    for (const int threads : {2, 8, 16}) {
      const std::vector<LockKind> kinds(2, kind);
      const auto predicted = predict(network, kinds, *machine, threads);
      const auto simulated = sim::simulate(network, kinds, *machine, threads, {.precision = 0.02});
      ASSERT_TRUE(predicted && simulated);
      EXPECT_FALSE(predicted->worstCase);
      EXPECT_NEAR(predicted->throughputPerS / simulated->figures.throughputPerS, 1, 0.1)
          << nameOf(kind) << " " << threads;
    }
}

TEST(NestingCycles, HaveNoGain) {
  const auto gain =
      throughputGain(inBothOrders(0.5), {LockKind::pthreadMutex, LockKind::pthreadMutex},
                     {LockKind::spinlock, LockKind::mcs}, machineOf(32), 8);
  ASSERT_TRUE(gain);
  EXPECT_FALSE(gain->known);
}

} // namespace

} // namespace qdadvise
