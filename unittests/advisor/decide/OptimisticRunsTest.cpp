// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sections that run without their lock, and again after a conflict: predicted, and played through
// event by event.

#include "advisor/decide/OptimisticRuns.h"
#include "advisor/decide/Fixes.h"
#include "unittests/advisor/model/Networks.h"

#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;

/// `conflicts` is the share of pairs of executions of which the other one writes what one uses.
std::vector<double> runsOf(const Network &network, double conflicts, int threads) {
  PredictOptions options;
  options.coresAlways = true;
  return optimisticRuns(network, 0, {conflicts / 2}, {"ideal"}, machineOf(64), threads, options);
}

double predicted(const Network &network, double conflicts, int threads) {
  const std::vector<double> runs = runsOf(network, conflicts, threads);
  if (runs.empty())
    return 0;
  return predict(asRuns(network, 0, runs), {"ideal"}, machineOf(64), threads)->throughputPerS;
}

/// What completes per second. Whoever completes a run spoils each of the others under way with
/// the probability `conflicts`; these run again when they are at their end.
double played(double holdNs, double localNs, double conflicts, int threads) {
  struct Thread {
    double untilNs = 0;
    bool runs = false, isSpoilt = false;
  };
  std::mt19937_64 random(7);
  const auto draw = [&](double mean) { return std::exponential_distribution<>(1 / mean)(random); };
  std::vector<Thread> all(static_cast<std::size_t>(threads));
  for (Thread &one : all)
    one.untilNs = draw(localNs);
  constexpr int completions = 50'000;
  double nowNs = 0;
  for (int completed = 0; completed < completions;) {
    Thread &next = *std::min_element(all.begin(), all.end(), [](const Thread &a, const Thread &b) {
      return a.untilNs < b.untilNs;
    });
    nowNs = next.untilNs;
    if (!next.runs || next.isSpoilt) {
      next = {nowNs + draw(holdNs), true, false};
      continue;
    }
    ++completed;
    next = {nowNs + draw(localNs), false, false};
    for (Thread &other : all)
      other.isSpoilt = other.isSpoilt || std::bernoulli_distribution(conflicts)(random);
  }
  return completions / nowNs * 1e9;
}

TEST(OptimisticRuns, WithoutConflictsOneRunIsEnough) {
  EXPECT_EQ(runsOf(networkOf({{1, 1000}}, 1000), 0, 16), std::vector<double>{1});
}

TEST(OptimisticRuns, AloneNothingConflicts) {
  EXPECT_EQ(runsOf(networkOf({{1, 1000}}, 1000), 1, 1), std::vector<double>{1});
}

TEST(OptimisticRuns, MoreConflictsAreMoreRuns) {
  double last = 1;
  for (const double conflicts : {0.01, 0.1, 0.5, 1.0}) {
    const std::vector<double> runs = runsOf(networkOf({{1, 1000}}, 1000), conflicts, 8);
    ASSERT_EQ(runs.size(), 1u) << conflicts;
    EXPECT_GT(runs[0], last);
    last = runs[0];
  }
}

TEST(OptimisticRuns, OtherInstancesAreNotInTheWay) {
  Network network = networkOf({{1, 1000}}, 1000);
  const double one = runsOf(network, 0.5, 8)[0];
  network.locks[0].instances = 16;
  EXPECT_LT(runsOf(network, 0.5, 8)[0] - 1, (one - 1) / 4);
}

TEST(OptimisticRuns, ThroughputIsThatOfTheRunsPlayedThrough) {
  for (const double localNs : {500.0, 8000.0})
    for (const double conflicts : {0.02, 0.3, 1.0})
      for (const int threads : {2, 8, 16}) {
        const Network network = networkOf({{1, 1000}}, localNs);
        const double truth = played(1000, localNs, conflicts, threads);
        const bool mostlyInVain = runsOf(network, conflicts, threads)[0] > 2;
        EXPECT_NEAR(predicted(network, conflicts, threads) / truth, 1, mostlyInVain ? 0.15 : 0.05)
            << localNs << " ns, conflicts " << conflicts << ", " << threads << " threads";
      }
}

} // namespace
} // namespace qdadvise
