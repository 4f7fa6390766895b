// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator where exact results are known: locks that cost nothing. `bench-exactness`
// makes the same comparison with narrower intervals.
#include "RandomNetworks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise::sim {

namespace {

using namespace test;

Simulation simulated(const Network &network, LockKind kind, int threads,
                     const SimulateOptions &options = {},
                     const Machine &machine = genericMachine()) {
  const auto result = simulate(network, std::vector<LockKind>(network.locks.size(), kind), machine,
                               threads, options);
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

void expectWithin(double exact, double value, const Interval &interval, double halfWidths,
                  const std::string &what) {
  EXPECT_LE(std::abs(value - exact), halfWidths * (interval.high - interval.low) / 2 + 1e-5 * exact)
      << what << ": " << value << " instead of " << exact;
}

TEST(Exact, AgreesWithMeanValueAnalysisOnRandomNetworks) {
  int compared = 0, inside = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Network network = randomNetwork(seed);
    for (const int threads : {2, 12}) {
      const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
      const auto exact = predict(network, kinds, genericMachine(), threads, {.model = "exact"});
      ASSERT_TRUE(exact);
      const Simulation one = simulated(network, LockKind::ideal, threads,
                                       {.seed = seed, .precision = 0.05, .waitFloor = 0.2});
      const auto compare = [&](double truth, double value, const Interval &interval) {
        ++compared;
        inside += std::abs(truth - value) <= (interval.high - interval.low) / 2 + 1e-5 * truth;
        expectWithin(truth, value, interval, 4, "seed " + std::to_string(seed));
      };
      compare(exact->throughputPerS, one.figures.throughputPerS, one.throughputPerS);
      for (std::size_t i = 0; i < network.locks.size(); ++i) {
        const LockPrediction &truth = exact->locks[i], &figures = one.figures.locks[i];
        compare(truth.waitNs, figures.waitNs, one.locks[i].waitNs);
        compare(truth.queueLength, figures.queueLength, one.locks[i].queueLength);
        compare(truth.utilization, figures.utilization, one.locks[i].utilization);
        compare(truth.contentionRate, figures.contentionRate, one.locks[i].contentionRate);
      }
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GE(inside, 0.92 * compared);
}

TEST(Exact, OneThreadNeverWaits) {
  const Simulation one = simulated(randomNetwork(3), LockKind::ideal, 1);
  for (const LockPrediction &lock : one.figures.locks) {
    EXPECT_EQ(lock.waitNs, 0);
    EXPECT_EQ(lock.contentionRate, 0);
  }
}

TEST(Exact, DeterministicTimesFollowTheClosedForm) {
  // D/D/1//K: W = max(0, (N - 1) s - c).
  for (const double local : {0.0, 300.0, 4000.0})
    for (const int threads : {1, 2, 7, 20}) {
      const Network network = networkOf({{500, 0}}, {1}, {local, 0});
      const Simulation one = simulated(network, LockKind::ideal, threads);
      const double wait = std::max(0.0, (threads - 1) * 500 - local);
      EXPECT_NEAR(one.figures.locks[0].waitNs, wait, 1e-6 * (1 + wait)) << local << " " << threads;
      EXPECT_NEAR(one.figures.throughputPerS * 1e-9, threads / (500 + local + wait), 1e-7);
      EXPECT_TRUE(one.precise);
    }
}

/// M/G/1//N: residence at a lock that N threads take, exponential local computation between;
/// phi is the Laplace transform of the holding time.
template <typename Transform>
double residenceOfMG1(double hold, double local, int threads, Transform phi) {
  double b = 1, sum = 0, choose = 1;
  for (int n = 0; n < threads; ++n) {
    if (n > 0) {
      b *= 1 / phi(n / local) - 1;
      choose *= static_cast<double>(threads - n) / n;
    }
    sum += choose * b;
  }
  const double idle = 1 / (1 + threads * hold / local * sum);
  return threads * hold / (1 - idle) - local;
}

TEST(Exact, OneLockWithAnyHoldingTimeFollowsTheClosedForm) {
  const double hold = 700, local = 3000;
  const double low = hold * (1 - 0.5 * std::sqrt(3.0)), high = hold * (1 + 0.5 * std::sqrt(3.0));
  for (const int threads : {2, 5, 16}) {
    const auto compare = [&](const Duration &duration, auto transform, const char *what) {
      const Simulation one = simulated(networkOf({duration}, {1}, {local, 1}), LockKind::ideal,
                                       threads, {.precision = 0.01});
      expectWithin(residenceOfMG1(hold, local, threads, transform),
                   one.figures.locks[0].residenceNs, one.locks[0].residenceNs, 2, what);
    };
    compare({hold, 0}, [&](double at) { return std::exp(-at * hold); }, "deterministic");
    compare({hold, 1}, [&](double at) { return 1 / (1 + at * hold); }, "exponential");
    compare(
        {hold, 0.5, Distribution::uniform},
        [&](double at) {
          return (std::exp(-at * low) - std::exp(-at * high)) / (at * (high - low));
        },
        "uniform");
    compare(
        {hold, 0.5, Distribution::gamma},
        [&](double at) { return std::pow(1 + at * hold * 0.25, -4); }, "gamma");
  }
}

/// Two classes at a lock that each holds for the same exponential time: mean value analysis of
/// several classes is exact.
TEST(Exact, ClassesAreThoseOfMeanValueAnalysis) {
  Network network;
  network.locks.push_back({"lock", LockKind::ideal, 1, {}});
  const std::vector<std::pair<double, double>> threadsAndAway{{3, 400}, {2, 6000}};
  for (std::size_t i = 0; i < threadsAndAway.size(); ++i) {
    const auto [threads, awayNs] = threadsAndAway[i];
    const std::string name = "class" + std::to_string(i);
    network.classes.push_back({name, false, threads, threads});
    Section &section = network.sections.emplace_back();
    section.name = name + ".section";
    section.hold = {500, 1};
    Transition &back = network.transitions.emplace_back();
    back.threadClass = back.from = back.to = i;
    back.probability = 1;
    back.local = {awayNs, 1};
  }
  const auto exact = predict(network, {LockKind::ideal}, genericMachine(), 1);
  ASSERT_TRUE(exact);
  ASSERT_EQ(exact->model, "exact");
  const Simulation one =
      simulated(network, LockKind::ideal, 1, {.precision = 0.005, .replications = 4});
  ASSERT_EQ(one.figures.classes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ClassPrediction &truth = exact->classes[i], &figures = one.figures.classes[i];
    EXPECT_EQ(figures.threads, truth.threads);
    EXPECT_NEAR(figures.throughputPerS / truth.throughputPerS, 1, 0.02);
    EXPECT_NEAR(figures.cycleNs / truth.cycleNs, 1, 0.02);
    EXPECT_NEAR(figures.waitNs / truth.waitNs, 1, 0.03);
  }
}

} // namespace

} // namespace qdadvise::sim
