// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/verify/MedianInterval.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace qdadvise;

namespace {

std::vector<double> upTo(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

} // namespace

// The ranks are those of tables of the sign test, e.g. Conover, Practical Nonparametric Statistics.
TEST(MedianIntervalTest, ranksAreThoseOfTheSignTest) {
  const std::pair<int, int> lowestRank[] = {{6, 1},  {8, 1},  {9, 2},  {11, 2},  {12, 3}, {15, 4},
                                            {17, 5}, {20, 6}, {25, 8}, {30, 10}, {50, 18}};
  for (const auto &[count, rank] : lowestRank) {
    const MedianInterval interval = medianInterval(upTo(count));
    EXPECT_EQ(interval.low, rank) << count;
    EXPECT_EQ(interval.high, count + 1 - rank) << count;
  }
}

TEST(MedianIntervalTest, theMedianIsInTheMiddle) {
  EXPECT_EQ(medianInterval({7, 1, 3, 9, 5, 11, 13}).median, 7);
  EXPECT_EQ(medianInterval({4, 1, 3, 2, 6, 5}).median, 3.5);
}

TEST(MedianIntervalTest, oneOutlierDoesNotMatter) {
  std::vector<double> values(15, 1.0);
  values[3] = 1e9;
  const MedianInterval interval = medianInterval(values);
  EXPECT_EQ(interval.median, 1);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 1);
}

TEST(MedianIntervalTest, itHoldsTheTrueMedianInNineteenOfTwentyCases) {
  std::mt19937 random(1);
  std::exponential_distribution<double> draw(1.0); // skewed; its median is ln 2
  int inside = 0;
  constexpr int experiments = 4000;
  for (int experiment = 0; experiment < experiments; ++experiment) {
    std::vector<double> values(15);
    for (double &value : values)
      value = draw(random);
    const MedianInterval interval = medianInterval(values);
    inside += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  // 96.5 % for 15 values; three standard errors of the experiment are 0.9 %.
  EXPECT_NEAR(inside / static_cast<double>(experiments), 0.965, 0.009);
}
