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
