// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Copies.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace qdadvise;

namespace {

/// Rounds in which two copies took so many times as long.
Profile withRounds(const std::vector<double> &ratios) {
  Profile profile;
  for (const double ratio : ratios)
    profile.copies.push_back({"a processor", 4, 2, 1e9, 1e9 * ratio});
  return profile;
}

CopiesSlowdown slowdownOf(const std::vector<double> &ratios) {
  return measuredCopies(withRounds(ratios)).at(0).slowdowns.at(0);
}

TEST(Copies, TakeWhatTheMedianRoundSays) {
  const CopiesSlowdown three = slowdownOf({1.3, 1.1, 1.2});
  EXPECT_EQ(three.copies, 2u);
  EXPECT_EQ(three.rounds, 3u);
  EXPECT_DOUBLE_EQ(three.factor, 1.2);
  EXPECT_DOUBLE_EQ(slowdownOf({1.1, 1.21 * 1.1}).factor, 1.21) << "the geometric mean of two";
  EXPECT_TRUE(measuredCopies(Profile()).empty());
}

TEST(Copies, OfOneRoundHaveNoDeviation) {
  EXPECT_DOUBLE_EQ(slowdownOf({1.25}).factor, 1.25);
  EXPECT_EQ(slowdownOf({1.25}).deviation, 0);
}

TEST(Copies, AreNotMovedByOneDisturbedRound) {
  const CopiesSlowdown usual = slowdownOf({1.17, 1.18, 1.18, 1.19, 1.20});
  for (const double disturbed : {0.2, 5.0}) {
    const CopiesSlowdown moved = slowdownOf({1.17, 1.18, disturbed, 1.19, 1.20});
    EXPECT_NEAR(moved.factor, usual.factor, 0.011) << disturbed;
    EXPECT_LT(moved.deviation, 0.03) << disturbed;
  }
}

TEST(Copies, HaveTheDeviationOfTheirRounds) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<double> many;
  double ofFive = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> five;
    for (int round = 0; round < 5; ++round)
      five.push_back(1.2 * std::exp(noise(random)));
    ofFive += slowdownOf(five).deviation / trials;
    many.insert(many.end(), five.begin(), five.end());
  }
  EXPECT_NEAR(slowdownOf(many).factor, 1.2, 0.005);
  EXPECT_NEAR(slowdownOf(many).deviation, 0.05, 0.002);
  EXPECT_NEAR(ofFive, 0.05, 0.005);
}

TEST(Copies, AreToldApartByNumberAndMachine) {
  Profile profile = withRounds({1.2, 1.2});
  profile.copies.push_back({"a processor", 4, 4, 1e9, 1.5e9});
  profile.copies.push_back({"a processor", 8, 2, 1e9, 1.1e9});
  profile.copies.push_back({"another one", 4, 2, 1e9, 1.9e9});
  const std::vector<MeasuredCopies> found = measuredCopies(profile);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].rounds(), 3u) << "those with most rounds come first";
  ASSERT_EQ(found[0].slowdowns.size(), 2u);
  EXPECT_EQ(found[0].slowdowns[0].copies, 2u);
  EXPECT_DOUBLE_EQ(found[0].slowdowns[0].factor, 1.2);
  EXPECT_EQ(found[0].slowdowns[1].copies, 4u);
  EXPECT_DOUBLE_EQ(found[0].slowdowns[1].factor, 1.5);
  EXPECT_EQ(found[1].processors, 8u);
  EXPECT_EQ(found[2].cpu, "another one");
}

} // namespace
