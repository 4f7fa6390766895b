// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware threads that share cores: limits, and the virtual multicore.
#include "advisor/model/solver/HardwareThreads.h"

#include "Networks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

/// Eight cores with two threads each.
Machine eightCores(double factor) {
  Machine machine = machineOf(16);
  machine.threadsPerCore = 2;
  machine.scheduler["shared_core_factor"].value = factor;
  return machine;
}

double throughput(const Network &network, LockKind kind, int threads, const Machine &machine) {
  const auto result = predict(network, {network.locks.size(), kind}, machine, threads);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->throughputPerS : 0;
}

TEST(HardwareThreads, StretchTheMeanThreadByHowManyHaveAnotherBesideThem) {
  const Machine machine = eightCores(1.5);
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 8, 1), 1);    // a core each
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 16, 1), 1.5); // all compute all the time
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 12, 1), 1 + 8.0 / 12 * 0.5); // four cores have two
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 16, 0), 1);                  // the others wait
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 16, 0.5), 1.2); // a sixth of the work is not done
}

TEST(HardwareThreads, OfWhichOneIsAloneOnItsCoreAreNotSlower) {
  Machine machine = eightCores(1.5);
  machine.placement = ThreadPlacement::compact;
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 1, 1), 1);
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 2, 1), 1.5);
  EXPECT_DOUBLE_EQ(sharedCoreStretch(machine, 3, 1), 1 + 2.0 / 3 * 0.5);
}

TEST(HardwareThreads, ComputeAtTheRateThatTheCoreHasForAllOfThem) {
  // Forty locks that hardly anybody takes: nobody waits.
  const Network network = networkOf(std::vector<TestLock>(40, {0.025, 1}), 1e6);
  for (const double factor : {1.0, 1.3, 2.0}) {
    const Machine machine = eightCores(factor);
    const double alone = throughput(network, LockKind::mcs, 1, machine);
    EXPECT_NEAR(throughput(network, LockKind::mcs, 8, machine) / alone, 8, 0.01);
    EXPECT_NEAR(throughput(network, LockKind::mcs, 16, machine) / alone, 16 / factor, 0.05);
  }
}

TEST(HardwareThreads, ThatWaitSlowNobody) {
  // One lock that is hardly ever free: a single thread computes.
  const Network network = networkOf({{1, 50'000}}, 100);
  const double alone = 1e9 / 50'000;
  EXPECT_NEAR(throughput(network, LockKind::mcs, 16, eightCores(2)) / alone, 1, 0.08);
}

TEST(HardwareThreads, ComputeAsOnTheVirtualMulticore) {
  const Machine *described = findBundledMachine("e5-2680v4");
  ASSERT_NE(described, nullptr);
  for (const double localNs : {2e4, 8e4})
    for (const int threads : {28, 42, 56}) {
      const Network network = networkOf({{1, 1000}}, localNs);
      const auto simulated = sim::simulate(network, {LockKind::mcs}, *described, threads,
                                           {.precision = 0.01, .mostSteps = 400'000});
      ASSERT_TRUE(simulated) << simulated.error().message;
      const double truth = simulated->figures.throughputPerS;
      EXPECT_NEAR(throughput(network, LockKind::mcs, threads, *described) / truth, 1, 0.08)
          << threads << " threads, " << localNs << " ns";
    }
}

} // namespace

} // namespace qdadvise
