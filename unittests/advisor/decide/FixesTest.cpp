// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What fixes make of a network, and what predictions say of it, from one limit to the other.

#include "advisor/decide/Fixes.h"
#include "advisor/model/Predict.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/network/NetworkWriter.h"
#include "advisor/network/Phases.h"
#include "advisor/network/Validation.h"
#include "unittests/advisor/model/Networks.h"
#include "unittests/advisor/sim/RandomNetworks.h"

#include <functional>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;

constexpr int threads = 8;
constexpr std::uint64_t seeds = 12; ///< of random networks

/// `inner` twice in each execution of `outer`, on another lock.
Network nestedNetwork() {
  Network network = test::networkOf({{1, 1000}}, 3000);
  Lock lock = network.locks[0];
  lock.name = "inner";
  network.locks.push_back(lock);
  Section section = network.sections[0];
  section.name = "inner";
  section.lock = 1;
  section.hold.mean = 400;
  section.inside = 0;
  section.visits = 2;
  network.sections.push_back(section);
  return network;
}

double throughput(const Network &network, LockKind kind, int of = threads) {
  const std::vector<LockKind> kinds(network.locks.size(), kind);
  const Expected<Prediction> prediction = predict(network, kinds, machineOf(64), of);
  EXPECT_TRUE(prediction) << prediction.error().message;
  return prediction ? prediction->throughputPerS : 0;
}

/// In a network without contention each thread goes round by itself.
double unhindered(const Network &network) {
  return threads * throughput(network, LockKind::ideal, 1);
}

/// Exactly so at ideal locks. Threads that no longer wait here may wait elsewhere, at a lock that
/// is the slower the more do.
void expectRising(const std::function<Network(std::uint64_t seed, double amount)> &fixed,
                  const std::vector<double> &amounts, LockKind kind) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    double last = 0;
    for (const double amount : amounts) {
      const Network network = fixed(seed, amount);
      EXPECT_FALSE(validate(network)) << validate(network)->message;
      const double now = throughput(network, kind);
      EXPECT_GE(now, last * (1 - (kind == LockKind::ideal ? 1e-9 : 1e-3)))
          << nameOf(kind) << ", seed " << seed << ", amount " << amount;
      last = now;
    }
  }
}

TEST(Fixes, ShrinkingByNothingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Network network = test::randomNetwork(seed);
    EXPECT_EQ(printNetwork(shrunk(network, 0, 0)), printNetwork(network));
  }
  EXPECT_EQ(printNetwork(shrunk(nestedNetwork(), 1, 0)), printNetwork(nestedNetwork()));
}

TEST(Fixes, WhatIsTakenOutIsStillDone) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Network network = test::randomNetwork(seed);
    EXPECT_NEAR(throughput(shrunk(network, 0, 0.7), LockKind::ideal, 1) /
                    throughput(network, LockKind::ideal, 1),
                1, 1e-9);
  }
  // Of an inner section it is done in the outer one, as often as that has the inner one.
  const Network inner = shrunk(nestedNetwork(), 1, 0.5);
  EXPECT_DOUBLE_EQ(inner.sections[1].hold.mean, 200);
  EXPECT_DOUBLE_EQ(inner.sections[0].hold.mean, 1400);
  EXPECT_EQ(inner.transitions[0].local.mean, 3000);
}

TEST(Fixes, AddsSpreadAndSkewness) {
  // Two exponential times of one mean, one after the other: a gamma of shape 2.
  const Network network = shrunk(test::networkOf({{1, 500}}, 500), 0, 1);
  const Duration &local = network.transitions[0].local;
  EXPECT_DOUBLE_EQ(local.mean, 1000);
  EXPECT_NEAR(local.cv, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(skewnessOf(local), std::sqrt(2), 1e-12);
}

TEST(Fixes, ASumIsAsUncertainAsItsParts) {
  Network network = test::networkOf({{1, 500}}, 500);
  network.sections[0].hold.samples = 100;
  network.transitions[0].local.samples = 300;
  // Variances of means: 500^2 / 100 + 500^2 / 300, of a time with variance 2 * 500^2.
  EXPECT_EQ(shrunk(network, 0, 1).transitions[0].local.samples, 150u);
}

TEST(Fixes, ShrunkToNothingALockWithoutCostIsLocalComputation) {
  const Network network = test::networkOf({{1, 500}}, 700);
  EXPECT_NEAR(throughput(shrunk(network, 0, 1), LockKind::ideal), threads / 1200e-9, 1);
}

TEST(Fixes, GainsRiseWithWhatIsTakenOut) {
  for (const LockKind kind :
       {LockKind::ideal, LockKind::spinlock, LockKind::pthreadMutex, LockKind::qd})
    expectRising([](std::uint64_t seed,
                    double share) { return shrunk(test::randomNetwork(seed), 0, share); },
                 {0, 0.25, 0.5, 0.75, 1}, kind);
}

TEST(Fixes, GainsRiseWithTheNumberOfLocks) {
  for (const LockKind kind :
       {LockKind::ideal, LockKind::spinlock, LockKind::pthreadMutex, LockKind::qd})
    expectRising(
        [](std::uint64_t seed, double ways) {
          return split(test::randomNetwork(seed), 0, static_cast<std::uint32_t>(ways));
        },
        {1, 2, 4, 16, 64, 1000}, kind);
}

TEST(Fixes, ManyLocksAreNoContention) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Network network = test::randomNetwork(seed);
    for (std::size_t lock = 0; lock != network.locks.size(); ++lock)
      network = split(network, lock, 10'000);
    EXPECT_NEAR(throughput(network, LockKind::ideal) / unhindered(network), 1, 0.005) << seed;
  }
}

TEST(Fixes, AHotInstanceIsDividedToo) {
  Network network = test::networkOf({{1, 500}}, 500);
  network.locks[0].instances = 3;
  network.locks[0].shares = {0.8};
  const Lock lock = split(network, 0, 4).locks[0];
  EXPECT_EQ(lock.instances, 12u);
  EXPECT_EQ(lock.shares, std::vector<double>(4, 0.2));
}

/// One lock with shares stands for several: sections of ten times the length on one of them.
TEST(Fixes, SeparateLocksAreAboutWhatSoManyLocksAre) {
  for (const double localNs : {1000.0, 5000.0, 20'000.0})
    for (const auto &[first, second] : {std::pair(1000.0, 1000.0), std::pair(3000.0, 300.0)}) {
      const Network two = test::networkOf({{0.5, first}, {0.5, second}}, localNs);
      Network one = two;
      one.locks.pop_back();
      one.sections[1].lock = 0;
      const Network apart =
          separated(one, 0, {first / (first + second), second / (first + second)});
      EXPECT_FALSE(validate(apart)) << validate(apart)->message;
      EXPECT_NEAR(throughput(apart, LockKind::pthreadMutex) /
                      throughput(two, LockKind::pthreadMutex),
                  1, 0.1)
          << localNs << ", " << first << " and " << second;
    }
}

TEST(Fixes, RunsWithoutALockAreLocalComputation) {
  const Network network = asRuns(test::networkOf({{1, 500}}, 700), 0, {1});
  EXPECT_NEAR(throughput(network, LockKind::ideal), threads / 1200e-9, 1);
  EXPECT_NEAR(throughput(asRuns(test::networkOf({{1, 500}}, 700), 0, {3}), LockKind::ideal),
              threads / 2200e-9, 1);
  // Of an inner section, each time that the outer one runs it.
  EXPECT_DOUBLE_EQ(asRuns(nestedNetwork(), 1, {1, 2}).sections[0].hold.mean, 1000 + 2 * 2 * 400);
}

TEST(Fixes, RunsUntilOneIsThroughAreGeometric) {
  // Geometrically many exponential times are exponential.
  const Network network = asRuns(test::networkOf({{1, 500}}, 0), 0, {4});
  EXPECT_DOUBLE_EQ(network.transitions[0].local.mean, 2000);
  EXPECT_NEAR(network.transitions[0].local.cv, 1, 1e-12);
}

TEST(Fixes, UpdatesOfALineAreOneAtATime) {
  const Network network = asUpdates(test::networkOf({{1, 500}}, 10), 0, 50);
  EXPECT_NEAR(throughput(network, LockKind::ideal) * 50e-9, 1, 0.01);
}

TEST(Fixes, ReadersDoNotWaitForEachOther) {
  const Network network = sharing(test::networkOf({{1, 100'000}}, 100'000), {0});
  EXPECT_NEAR(throughput(network, LockKind::pthreadRwlock) / unhindered(network), 1, 0.05);
}

TEST(Fixes, FixedNetworksAreValid) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Network network = test::randomNetwork(seed);
    const std::vector<double> runs(network.sections.size(), 1.5);
    for (const Network &fixed :
         {asRuns(network, 0, runs), asUpdates(network, 0, 40), sharing(network, {0})}) {
      EXPECT_FALSE(validate(fixed)) << validate(fixed)->message;
      const auto again = parseNetwork(printNetwork(fixed), "fixed.toml");
      EXPECT_TRUE(again) << again.error().message;
    }
  }
}

/// The time that is moved behind a section is as long as the section is in each phase.
TEST(Fixes, LeaveEachPhaseItsTime) {
  Network network = nestedNetwork();
  network.phases = {0.5, 0.5};
  network.sections[0].phases = {{0.4, 1}, {1.6, 1}};
  network.sections[1].phases = {{1.5, 0.2}, {0.5, 1.8}};
  network.transitions[0].phases = {{1, 2}, {1, 0}};
  const auto round = [](const Network &of, std::size_t phase) {
    const Network one = networkOfPhase(of, phase);
    return one.sections[0].hold.mean + one.sections[1].visits * one.sections[1].hold.mean +
           one.transitions[0].local.mean;
  };
  for (const std::size_t section : {0U, 1U})
    for (const std::size_t phase : {0U, 1U})
      EXPECT_NEAR(round(shrunk(network, section, 0.3), phase), round(network, phase), 1e-6)
          << section << " " << phase;
}

} // namespace
} // namespace qdadvise
