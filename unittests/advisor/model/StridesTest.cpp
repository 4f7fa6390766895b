// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Populations that mean value analysis leaves out (MV9).
#include "advisor/model/mva/Strides.h"
#include "Networks.h"
#include "advisor/model/mva/Mva.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace qdadvise {

namespace {

using namespace test;

/// Goes to a population of 4096 along two figures. Returns the largest error of what was left out,
/// and the number of populations that were not.
template <typename Figure> std::pair<double, int> along(Figure figure) {
  Strides strides({1, 0});
  double worst = 0;
  int populations = 0;
  for (int n = 1; n <= 4096; ++n, ++populations) {
    const int leaves = strides.afterPopulation(n, {figure(n), 1.0 / n}, figure(n), 4096);
    if (leaves <= 0)
      continue;
    n += leaves;
    worst = std::max(worst, std::abs(strides.at()[0] / figure(n) - 1));
  }
  return {worst, populations};
}

TEST(Strides, AreLongWhereTimesAreSmooth) {
  const auto [error, populations] = along([](double n) { return 500 * n + 3000 * std::log(n); });
  EXPECT_LT(error, 2e-8);
  EXPECT_LT(populations, 1200);
}

TEST(Strides, AreShortAfterABend) {
  const auto bent = [](double n) { return 500 * n + 0.1 * std::max(0.0, n - 1000); };
  const auto [error, populations] = along(bent);
  EXPECT_LT(error, 2e-4);
  EXPECT_LT(populations, 1200);
}

TEST(Strides, LeaveNothingOutNextToWhatIsWanted) {
  Strides strides({1});
  for (int n = 1; n <= 4096; ++n)
    EXPECT_EQ(strides.afterPopulation(n, {1.0 * n}, n, n + 16), 0);
}

TEST(Strides, FollowAPlanWhateverTheTimesAre) {
  StridePlan plan;
  const auto leave = [&](double bendAt) {
    Strides strides({1, 0}, &plan);
    std::vector<int> all;
    for (int n = 1; n <= 4096; ++n) {
      const double figure = 500 * n + 0.1 * std::max(0.0, n - bendAt);
      all.push_back(strides.afterPopulation(n, {figure, 1.0 / n}, figure, 4096));
      n += all.back();
    }
    return all;
  };
  const std::vector<int> first = leave(1000);
  EXPECT_LT(first.size(), 400u);
  plan.made = true;
  const std::size_t points = plan.points.size();
  EXPECT_EQ(leave(3000), first);
  EXPECT_EQ(plan.points.size(), points);
}

TEST(Strides, OfAPlanThatIsTooShortEndWithIt) {
  StridePlan plan;
  plan.made = true;
  Strides strides({1}, &plan);
  for (int n = 1; n <= 4096; ++n)
    EXPECT_EQ(strides.afterPopulation(n, {1.0 * n}, n, 4096), 0);
}

/// Twenty locks with the holding time of the longest by `factor`.
ClosedNetwork twentyLocks(const Machine &machine, LockKind kind, double localNs, double factor) {
  ClosedNetwork network{machine, 0, localNs, {}};
  for (int i = 0; i < 20; ++i)
    network.stations.push_back(
        {kind, {(200.0 + 37 * (i % 11)) * (i == 10 ? factor : 1), 2, 1, 0}, 0.05, 0.05, 1});
  return network;
}

/// A gradient of solutions that leave out the same populations is that of solutions which leave
/// none out, or as (MV9) does. With errors of sampling of some per cent that moves an interval's
/// end by less than a thousandth. At a lock that is about to collapse a figure may change by 80
/// times as much as a holding time does, and its interval says nothing.
TEST(Strides, HardlyChangeAGradient) {
  constexpr int threads = 1000;
  constexpr double step = 1e-3;
  const Machine machine = machineOf(32);
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    for (const double localNs : {3e3, 1e5}) {
      StridePlan plan;
      const auto figures = [&](double factor, StridePlan *strides) {
        ClosedNetwork network = twentyLocks(machine, algorithm.kind, localNs, factor);
        network.strides = strides;
        const auto states = solveMva(network, {threads});
        std::vector<double> result{states->front().cyclesPerNs};
        for (const StationState &at : states->front().stations)
          result.push_back(at.residenceNs);
        return result;
      };
      figures(1, &plan);
      plan.made = true;
      int left = 0;
      for (const StridePlan::Point &point : plan.points)
        left += point.leaves;
      EXPECT_GT(left, threads / 5) << algorithm.name << ", " << localNs;
      const auto up = figures(1 + step, nullptr), down = figures(1 - step, nullptr),
                 upPlanned = figures(1 + step, &plan), downPlanned = figures(1 - step, &plan);
      for (std::size_t i = 0; i < up.size(); ++i) {
        const double expected = std::log(up[i] / down[i]) / (2 * step);
        EXPECT_NEAR(std::log(upPlanned[i] / downPlanned[i]) / (2 * step), expected,
                    5e-3 + 0.04 * std::abs(expected))
            << algorithm.name << ", " << localNs << " ns, figure " << i;
      }
    }
}

/// Twenty mutexes: figures for one number of threads are those for it among all numbers, none of
/// which can be left out then.
TEST(Strides, DoNotChangePredictions) {
  for (const double localNs : {1e3, 1e5, 1e6}) {
    const Machine machine = machineOf(4096);
    ClosedNetwork network{machine, 0, localNs, {}};
    for (int i = 0; i < 20; ++i)
      network.stations.push_back(
          {LockKind::pthreadMutex, {200.0 + 37 * (i % 11), 1, 1, 0}, 0.05, 0.05, 1});
    std::vector<int> all(1500);
    std::iota(all.begin(), all.end(), 1);
    const auto each = solveMva(network, all), one = solveMva(network, {1500});
    ASSERT_TRUE(each && one);
    const NetworkState &expected = each->back(), &found = one->front();
    EXPECT_NEAR(found.cyclesPerNs / expected.cyclesPerNs, 1, 1e-7) << localNs;
    for (std::size_t i = 0; i < network.stations.size(); ++i)
      EXPECT_NEAR(found.stations[i].residenceNs / expected.stations[i].residenceNs, 1, 1e-6)
          << localNs << " ns, lock " << i;
  }
}

} // namespace

} // namespace qdadvise
