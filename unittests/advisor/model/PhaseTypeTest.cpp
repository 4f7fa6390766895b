// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/PhaseType.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

struct Moments {
  double mean = 0, cv2 = 0, skewness = 0;
};

/// Goes back from the last phase. The time from phase j on is phase j and perhaps the rest.
Moments momentsOf(const PhaseType &phases) {
  double first = 0, second = 0, third = 0, mean = 0, squares = 0, cubes = 0;
  for (std::size_t j = phases.rates.size(); j-- > 0;) {
    const double own = 1 / phases.rates[j], onward = phases.onward[j];
    third = 6 * own * own * own + onward * (6 * own * own * first + 3 * own * second + third);
    second = 2 * own * own + onward * (2 * own * first + second);
    first = own + onward * first;
    mean += phases.begin[j] * first;
    squares += phases.begin[j] * second;
    cubes += phases.begin[j] * third;
  }
  const double variance = squares - mean * mean;
  return {mean, variance / (mean * mean),
          (cubes - 3 * mean * variance - mean * mean * mean) / (variance * std::sqrt(variance))};
}

void expectPhases(const PhaseType &phases) {
  ASSERT_EQ(phases.onward.size(), phases.rates.size());
  ASSERT_EQ(phases.begin.size(), phases.rates.size());
  EXPECT_EQ(phases.onward.back(), 0);
  double begin = 0;
  for (std::size_t j = 0; j < phases.rates.size(); ++j) {
    EXPECT_GT(phases.rates[j], 0);
    EXPECT_GE(phases.onward[j], 0);
    EXPECT_LE(phases.onward[j], 1);
    EXPECT_GE(phases.begin[j], 0);
    begin += phases.begin[j];
  }
  EXPECT_NEAR(begin, 1, 1e-12);
}

TEST(PhaseType, HasTheMeanAndVariance) {
  for (const double mean : {1e-3, 700.0, 1e9})
    for (const double cv2 : {0.05, 0.0625, 0.1, 0.21, 1.0 / 3, 0.49, 0.5, 0.75, 1.0, 2.0, 40.0}) {
      const PhaseType phases = fitTwoMoments(mean, cv2);
      const Moments moments = momentsOf(phases);
      EXPECT_NEAR(moments.mean / mean, 1, 1e-12) << cv2;
      EXPECT_NEAR(moments.cv2 / cv2, 1, 1e-9) << cv2;
      EXPECT_NEAR(cv2Of(phases) / cv2, 1, 1e-9) << cv2;
      expectPhases(phases);
    }
}

TEST(PhaseType, HasTheSkewnessUpToThatOfAGammaDistribution) {
  for (const double cv : {0.75, 1.0, 1.4, 3.0, 10.0})
    for (const double share : {0.3, 0.5, 0.9, 1.0}) { // between the least of any time and that

      const double least = cv - 1 / cv, skewness = least + share * (2 * cv - least);
      const PhaseType phases = fitPhases(700, cv * cv, skewness);
      const Moments moments = momentsOf(phases);
      expectPhases(phases);
      EXPECT_NEAR(moments.mean / 700, 1, 1e-9) << cv << ' ' << skewness;
      EXPECT_NEAR(moments.cv2 / (cv * cv), 1, 1e-6) << cv << ' ' << skewness;
      EXPECT_NEAR(moments.skewness / skewness, 1, 1e-5) << cv << ' ' << skewness;
    }
  EXPECT_EQ(fitPhases(700, 1, 2).rates.size(), 1u);
}

TEST(PhaseType, HasATailBetweenThoseOfGammaAndLognormal) {
  for (const double cv : {0.8, 1.0, 1.5, 2.0}) {
    double before = 0;
    for (const double share : {0.0, 0.3, 1.0, 7.0}) {
      const double lognormal = cv * (3 + cv * cv);
      const PhaseType phases = fitPhases(700, cv * cv, 2 * cv + share * (lognormal - 2 * cv));
      const Moments moments = momentsOf(phases);
      expectPhases(phases);
      EXPECT_NEAR(moments.mean / 700, 1, 1e-9) << cv;
      EXPECT_NEAR(moments.cv2 / (cv * cv), 1, 0.06) << cv;
      if (share <= 1)
        EXPECT_GT(moments.skewness, before) << cv;
      else // what is beyond becomes the nearest
        EXPECT_EQ(moments.skewness, before) << cv;
      before = moments.skewness;
    }
  }
}

TEST(PhaseType, TakesNoMorePhasesThanAllowed) {
  for (const int most : {2, 7, 20}) {
    const PhaseType phases = fitTwoMoments(300, 0, most);
    EXPECT_EQ(phases.rates.size(), static_cast<std::size_t>(most));
    EXPECT_NEAR(momentsOf(phases).cv2, 1.0 / most, 1e-12);
  }
  EXPECT_EQ(fitTwoMoments(300, 1).rates.size(), 1u);
}

} // namespace

} // namespace qdadvise
