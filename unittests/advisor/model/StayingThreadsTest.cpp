// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of sleepers that threads stay at (MX40).
#include "advisor/model/decomposition/StayingThreads.h"
#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/sim/Simulate.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

/// Two mutexes. After a visit a thread comes to the same one again with that probability.
ClosedNetwork twoMutexes(const Machine &machine, double again) {
  const double leaves = (1 - again) / 2; // to another one, per visit of its own
  ClosedNetwork network{machine, 100, 300 + 2 * leaves * 2000, {}};
  for (const double holdNs : {3000.0, 500.0}) {
    LockStation &lock = network.stations.emplace_back();
    lock.kind = LockKind::pthreadMutex;
    lock.load.holdNs = holdNs;
    lock.load.revisit = {.visits = 0.5, .again = again, .againNs = 300, .leavingNs = 2300};
    lock.visits = lock.directVisits = 0.5;
  }
  return network;
}

TEST(StayingThreads, AreLeftToMeanValuesWhereNoneStays) {
  const Machine machine = machineOf(32);
  ClosedNetwork random = twoMutexes(machine, 0.5), several = twoMutexes(machine, 0.9),
                nested = several;
  several.alike = false;
  nested.stations[1].directVisits = 0.3;
  for (const ClosedNetwork &network : {random, several, nested}) {
    const auto found = solveStaying(network, {1, 4, 16}), means = solveMva(network, {1, 4, 16});
    ASSERT_TRUE(found && means);
    for (std::size_t i = 0; i < means->size(); ++i) {
      EXPECT_EQ((*found)[i].cyclesPerNs, (*means)[i].cyclesPerNs);
      EXPECT_EQ((*found)[i].stations[1].residenceNs, (*means)[i].stations[1].residenceNs);
    }
  }
}

TEST(StayingThreads, AreSomewhereAllTheTime) {
  const Machine machine = machineOf(32);
  for (const double again : {0.6, 0.95}) {
    const ClosedNetwork network = twoMutexes(machine, again);
    const auto found = solveStaying(network, {1, 2, 3, 16, 200});
    ASSERT_TRUE(found) << found.error().message;
    for (const NetworkState &state : *found) {
      double cycleNs = network.delayNs + network.computeNs;
      for (std::size_t i = 0; i < state.stations.size(); ++i)
        cycleNs += network.stations[i].directNs(state.stations[i].residenceNs);
      EXPECT_NEAR(state.cyclesPerNs * cycleNs / state.threads, 1, 1e-9) << state.threads;
    }
  }
}

TEST(StayingThreads, AreThoseOfAnySweep) {
  const Machine machine = machineOf(32);
  const ClosedNetwork network = twoMutexes(machine, 0.9);
  const auto sweep = solveStaying(network, {2, 5, 9}), alone = solveStaying(network, {5});
  ASSERT_TRUE(sweep && alone);
  EXPECT_NEAR((*sweep)[1].cyclesPerNs / alone->front().cyclesPerNs, 1, 1e-9);
}

TEST(StayingThreads, AreLeftToMeanValuesWithOneThreadAndThousands) {
  const Machine machine = machineOf(32);
  const ClosedNetwork network = twoMutexes(machine, 0.9);
  const auto found = solveStaying(network, {1, 8, 4000}), means = solveMva(network, {1, 8, 4000});
  ASSERT_TRUE(found && means);
  EXPECT_EQ(found->front().cyclesPerNs, means->front().cyclesPerNs);
  EXPECT_NE((*found)[1].cyclesPerNs, (*means)[1].cyclesPerNs);
  EXPECT_EQ(found->back().cyclesPerNs, means->back().cyclesPerNs);
}

/// Mean values alone have half of the second lock's wait with 16 threads, and a throughput that is
/// 5 to 11 % too low.
TEST(StayingThreads, GatherAtOneLockAfterTheOther) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  constexpr double again = 0.9;
  Network network = networkOf({{1 / 3.0, 3000}, {1 / 3.0, 1000}, {1 / 3.0, 300}}, 300);
  for (Transition &transition : network.transitions)
    transition.probability = transition.from == transition.to ? again : (1 - again) / 2;
  const std::vector<LockKind> kinds(3, LockKind::pthreadMutex);
  for (const int threads : {4, 16}) {
    const auto found = predict(network, kinds, *machine, threads);
    const auto simulated = sim::simulate(network, kinds, *machine, threads, {.precision = 0.02});
    ASSERT_TRUE(found && simulated);
    EXPECT_NEAR(found->throughputPerS / simulated->figures.throughputPerS, 1, 0.05) << threads;
    for (const std::size_t lock : {0u, 1u, 2u})
      EXPECT_NEAR(found->locks[lock].waitNs / simulated->figures.locks[lock].waitNs, 1, 0.15)
          << threads << " threads, lock " << lock;
  }
}

} // namespace

} // namespace qdadvise
