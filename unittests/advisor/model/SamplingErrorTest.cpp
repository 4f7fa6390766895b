// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/SamplingError.h"

#include "advisor/model/Predict.h"
#include "unittests/advisor/model/Networks.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;

/// Throughput at `threads`, and the waiting time at every lock, with exponential service.
Figures figuresAt(int threads) {
  return [threads](const Network &network,
                   const std::vector<Traffic> &traffic) -> Expected<NetworkFigures> {
    static const Machine machine = machineOf(1024);
    const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
    const auto sweep =
        TRY(predictTraffic(network, traffic, kinds, machine, {threads}, {0, "recursion"}));
    std::vector<double> figures{sweep.front().throughputPerS};
    for (const LockPrediction &lock : sweep.front().locks)
      figures.push_back(lock.waitNs);
    return NetworkFigures{figures};
  };
}

std::vector<double> variancesOf(const Network &network, int threads) {
  const auto variances = samplingVariances(network, figuresAt(threads));
  EXPECT_TRUE(variances) << variances.error().message;
  return variances.value_or(std::vector<double>());
}

TEST(SamplingError, OfOneThreadIsThatOfItsCycle) {
  // X = 1 / (Z + s).
  Network network = networkOf({{1, 300, 0.5}}, 700, 2);
  network.sections[0].hold.samples = 100;
  network.transitions[0].local.samples = 400;
  const double variance = (0.5 * 300 * 0.5 * 300 / 100 + 1400.0 * 1400 / 400) / (1000 * 1000);
  EXPECT_NEAR(variancesOf(network, 1)[0], variance, 1e-5 * variance);
}

TEST(SamplingError, CountsObservationsThatAreAlikeAsOne) {
  Network network = networkOf({{1, 300, 0.5}}, 700, 2);
  network.sections[0].hold.samples = 100;
  const double independent = variancesOf(network, 1)[0];
  network.sections[0].hold.inefficiency = 8;
  EXPECT_NEAR(variancesOf(network, 1)[0], 8 * independent, 1e-6 * independent);
  network.sections[0].hold.inefficiency = 1000; // no less than one
  EXPECT_NEAR(variancesOf(network, 1)[0], 100 * independent, 1e-6 * independent);
}

TEST(SamplingError, OfTheMachineRepairmanIsThatOfItsClosedForm) {
  // M/M/1//K: X = (1 - p0) / s, p0 = 1 / sum K!/(K-k)! (s/Z)^k.
  constexpr int threads = 6;
  constexpr double hold = 200, local = 1000;
  double sum = 0, slope = 0, term = 1;
  for (int k = 0; k <= threads; ++k) {
    sum += term;
    slope += k * term / hold;
    term *= (threads - k) * hold / local;
  }
  const double idle = 1 / sum;
  const double relative = hold * idle * idle * slope / (1 - idle) - 1; // d ln X / d ln s
  Network network = networkOf({{1, hold}}, local);
  network.sections[0].hold.samples = 50;
  const double variance = relative * relative / 50;
  EXPECT_NEAR(variancesOf(network, threads)[0], variance, 1e-4 * variance);
}

TEST(SamplingError, OfRoutingIsThatOfItsStationaryVector) {
  // One thread leaves two sections with probabilities a and b: v0 = b / (a + b).
  constexpr double a = 0.3, b = 0.6, hold0 = 100, hold1 = 900, local = 500;
  Network network = networkOf({{0.5, hold0}, {0.5, hold1}}, local);
  const double probabilities[] = {1 - a, a, b, 1 - b};
  for (std::size_t i = 0; i < 4; ++i) {
    network.transitions[i].probability = probabilities[i];
    network.transitions[i].samples = i < 2 ? 40 : 80; // of rows: 80 and 160
  }
  const double cycle = (b * hold0 + a * hold1) / (a + b) + local;
  const double byA = b * (hold1 - hold0) / ((a + b) * (a + b)) / cycle;
  const double byB = -a * (hold1 - hold0) / ((a + b) * (a + b)) / cycle;
  const double variance = byA * byA * a * (1 - a) / 80 + byB * byB * b * (1 - b) / 160;
  EXPECT_NEAR(variancesOf(network, 1)[0], variance, 1e-5 * variance);
}

/// Random rows of the routing, with a different time between each two sections.
Network randomRouting(std::mt19937_64 &random, std::size_t locks) {
  std::uniform_real_distribution<double> uniform(0.1, 1);
  Network network = networkOf(std::vector<test::TestLock>(locks), 0);
  for (Section &section : network.sections)
    section.hold = {1000 * uniform(random), 1};
  for (std::size_t row = 0; row < locks; ++row) {
    double sum = 0;
    for (std::size_t to = 0; to < locks; ++to)
      sum += network.transitions[row * locks + to].probability = uniform(random);
    for (std::size_t to = 0; to < locks; ++to) {
      Transition &transition = network.transitions[row * locks + to];
      transition.probability /= sum;
      transition.samples = 1 + static_cast<std::uint64_t>(300 * transition.probability);
      transition.local = {2000 * uniform(random), 1};
    }
  }
  return network;
}

TEST(SamplingError, OfRoutingIsWhatVaryingEveryProbabilitySays) {
  std::mt19937_64 random(5);
  constexpr std::size_t locks = 4;
  const Network network = randomRouting(random, locks);
  const auto figures = figuresAt(7);
  const std::vector<double> center = figures(network, trafficOf(network))->values;
  std::vector<double> expected(center.size(), 0);
  for (std::size_t row = 0; row < locks; ++row) {
    double samples = 0;
    std::vector<double> first(center.size(), 0), second(center.size(), 0);
    for (std::size_t to = 0; to < locks; ++to) {
      samples += static_cast<double>(network.transitions[row * locks + to].samples);
      // Towards this target, away from all others.
      const auto moved = [&](double step) {
        Network changed = network;
        for (std::size_t other = 0; other < locks; ++other) {
          double &p = changed.transitions[row * locks + other].probability;
          p += step * ((other == to ? 1 : 0) - p);
        }
        return figures(changed, trafficOf(changed))->values;
      };
      const auto up = moved(1e-4), down = moved(-1e-4);
      const double p = network.transitions[row * locks + to].probability;
      for (std::size_t i = 0; i < center.size(); ++i) {
        const double slope = (up[i] - down[i]) / (2e-4 * center[i]);
        first[i] += p * slope;
        second[i] += p * slope * slope;
      }
    }
    for (std::size_t i = 0; i < center.size(); ++i)
      expected[i] += (second[i] - first[i] * first[i]) / samples;
  }
  const std::vector<double> variances = variancesOf(network, 7);
  for (std::size_t i = 0; i < center.size(); ++i)
    EXPECT_NEAR(variances[i], expected[i], 1e-4 * expected[i]) << "figure " << i;
}

TEST(SamplingError, FallsWithTheSamples) {
  const auto sampled = [](std::uint64_t samples) {
    Network network = networkOf({{0.7, 300}, {0.3, 600}}, 1000);
    for (Section &section : network.sections)
      section.hold.samples = samples;
    for (Transition &transition : network.transitions)
      transition.samples = transition.local.samples = samples;
    return variancesOf(network, 8);
  };
  const std::vector<double> few = sampled(100), many = sampled(10'000);
  for (std::size_t i = 0; i < few.size(); ++i) {
    EXPECT_GT(few[i], 0) << i;
    EXPECT_NEAR(few[i], 100 * many[i], 1e-9 * few[i]) << i;
  }
}

TEST(SamplingError, IsNoneWhereNothingWasSampled) {
  Network network = networkOf({{0.7, 300}, {0.3, 600}}, 1000);
  EXPECT_FALSE(isSampled(network));
  EXPECT_EQ(variancesOf(network, 8), std::vector<double>(3, 0));
  // A sampled time that is always the same has no error either.
  network.sections[0].hold.cv = 0;
  network.sections[0].hold.samples = 10;
  EXPECT_TRUE(isSampled(network));
  EXPECT_EQ(variancesOf(network, 8), std::vector<double>(3, 0));
}

TEST(SamplingError, OfInnerSectionsReachesTheOuterLocks) {
  Network network = networkOf({{1, 100}, {0, 400}}, 1000);
  network.transitions.resize(1);
  network.sections[1].inside = 0;
  network.sections[1].visits = 0.5;
  network.sections[1].hold.samples = 25;
  // One thread: X = 1 / (Z + s + s'/2), s' with a relative error of 1/5.
  const double variance = std::pow(0.5 * 400 / 1300 / 5, 2);
  EXPECT_NEAR(variancesOf(network, 1)[0], variance, 1e-4 * variance);
  EXPECT_GT(variancesOf(network, 4)[1], 0);
}

TEST(SamplingError, OfAThroughputIsNoMoreThanAllThreadsCouldStandStill) {
  Network network = networkOf({{0.5, 300}, {0.5, 100}}, 600, 2);
  network.sections[0].hold.samples = 4;
  for (Transition &transition : network.transitions)
    transition.local.samples = 1;
  const Figures steep = [](const Network &changed, const std::vector<Traffic> &) {
    return Expected<NetworkFigures>({{std::pow(changed.sections[0].hold.mean, -5)}});
  };
  const auto known = samplingVariances(network, steep, {{1.5}}),
             unknown = samplingVariances(network, steep);
  ASSERT_TRUE(known && unknown);
  const double share = 4 * 300 / (4 * 300 + 4 * 600.0);
  EXPECT_NEAR((*known)[0], std::pow(2 * 1.5 * share / 2, 2), 1e-9);
  EXPECT_NEAR((*unknown)[0], std::pow(5.0 / 2, 2), 1e-3);
}

TEST(SamplingError, IsABoundWhereTheSolutionDidNotSettle) {
  Network network = networkOf({{0.5, 300}, {0.5, 100}}, 600, 2);
  network.sections[0].hold.samples = 4;
  for (Transition &transition : network.transitions)
    transition.local.samples = 4;
  int calls = 0;
  const Figures chance = [&](const Network &, const std::vector<Traffic> &) {
    return Expected<NetworkFigures>({{std::pow(10.0, ++calls)}, false});
  };
  const auto found = samplingVariances(network, chance, {{1.5}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(calls, 1) << "there are no gradients";
  // The section takes 1/9 of the run, and local computation, a mean of four means, the rest.
  const double hold = 2 * 1.5 / 9 / 2, local = 2 * std::sqrt(1.0 / 4 / 4);
  EXPECT_NEAR((*found)[0], hold * hold + local * local, 1e-9);
}

TEST(SamplingError, WhatIsNegligibleIsTakenAtMoreThanItMovesAThroughput) {
  std::mt19937_64 random(6);
  Network network = randomRouting(random, 8);
  for (Section &section : network.sections)
    section.hold.samples = 100'000;
  for (Transition &transition : network.transitions)
    transition.samples = transition.local.samples = 10'000;
  const auto all = samplingVariances(network, figuresAt(4));
  const auto most = samplingVariances(network, figuresAt(4), {{3.0}, 0.02});
  ASSERT_TRUE(all && most);
  EXPECT_GT((*most)[0], (*all)[0]);
  EXPECT_LT((*most)[0], (*all)[0] + 0.02 * 0.02);
}

} // namespace
} // namespace qdadvise
