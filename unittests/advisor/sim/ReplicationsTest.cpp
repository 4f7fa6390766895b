// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that stay in a part of their routing for longer than a run: intervals of several runs
// hold the truth.
#include "advisor/sim/Replications.h"

#include "RandomNetworks.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace qdadvise::sim {

namespace {

using test::networkOf;

/// Two sections, of which each follows itself but for every `stay`th time (on the mean): in one
/// phase a section and its way take 50 ns, in the other 1200 ns, and there are twice as many of the
/// former.
Network phases(double stay) {
  Network network = networkOf({{20, 1}, {200, 1}}, {0.5, 0.5}, {0, 1});
  network.transitions.clear();
  const auto follows = [&](std::size_t from, std::size_t to, double probability, double localNs) {
    Transition &transition = network.transitions.emplace_back();
    transition.from = from;
    transition.to = to;
    transition.probability = probability;
    transition.local.mean = localNs;
  };
  follows(0, 0, 1 - 1 / stay, 30);
  follows(0, 1, 1 / stay, 30);
  follows(1, 1, 1 - 2 / stay, 1000);
  follows(1, 0, 2 / stay, 1000);
  return network;
}

constexpr double truth = 3e9 / (2 * 50 + 1200); ///< of one thread, per second

Simulation simulated(const Network &network, int threads, std::uint64_t seed, int replications) {
  SimulateOptions options;
  options.seed = seed;
  options.replications = replications;
  options.mostSteps = 2'000'000;
  const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
  const auto result = simulate(network, kinds, Machine(), threads, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result.value_or(Simulation());
}

TEST(Replications, FindThePhasesThatARunStaysIn) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Simulation found = simulated(phases(1e8), 1, seed, 4);
    EXPECT_NEAR(found.figures.throughputPerS / truth, 1, 0.02) << seed;
    EXPECT_LE(found.throughputPerS.low, truth * 1.02) << seed;
    EXPECT_GE(found.throughputPerS.high, truth * 0.98) << seed;
    EXPECT_GT(found.throughputPerS.high / found.throughputPerS.low, 1.3)
        << seed << ": what was not simulated is not known well";
    EXPECT_FALSE(found.precise);
    EXPECT_EQ(found.figures.notes.size(), 1u);
  }
}

TEST(Replications, CountPhasesThatChangeWithinARun) {
  // Phases of some thousand sections: runs differ, and their intervals say so.
  int inside = 0;
  constexpr int seeds = 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Interval at = simulated(phases(3000), 1, seed, 4).throughputPerS;
    inside += at.low <= truth && truth <= at.high;
  }
  EXPECT_GE(inside, 18);
}

TEST(Replications, AreOneRunWhereOneIsAskedFor) {
  const Network network = networkOf({{100, 1}}, {1}, {400, 1});
  const Simulation one = simulated(network, 3, 7, 1), four = simulated(network, 3, 7, 4);
  EXPECT_TRUE(one.precise && four.precise);
  EXPECT_NE(four.sections, one.sections);
  EXPECT_NEAR(one.figures.throughputPerS / four.figures.throughputPerS, 1, 0.03);
  EXPECT_TRUE(four.figures.notes.empty());
}

TEST(Replications, BeginEverywhere) {
  // Of two parts of equal length in time, 8 runs of one thread begin four times in each, or nearly.
  Network network = phases(1e12);
  network.transitions[0].local.mean = network.transitions[1].local.mean = 580; // 600 ns a step
  const std::vector<ThreadPlan> plan = planThreads(network, 1);
  int first = 0;
  for (int k = 0; k < 1000; ++k)
    first += plan.front().firstSection.at(k / 1000.0) == 0;
  EXPECT_NEAR(first, 500, 2) << "twice as many steps of half the length";
  EXPECT_NEAR(routingSteps(network).front().stepNs[1], 1200, 1);
}

} // namespace

} // namespace qdadvise::sim
