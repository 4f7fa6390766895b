// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/PhaseType.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

struct Moments {
  double mean, cv2;
};

/// From the last phase back: what is left after phase j is phase j and, perhaps, the rest.
Moments momentsOf(const PhaseType &phases) {
  double first = 0, second = 0;
  for (std::size_t j = phases.rates.size(); j-- > 0;) {
    const double own = 1 / phases.rates[j], onward = phases.onward[j];
    second = 2 * own * own + onward * (2 * own * first + second);
    first = own + onward * first;
  }
  return {first, second / (first * first) - 1};
}

TEST(PhaseType, HasTheMeanAndVariance) {
  for (const double mean : {1e-3, 700.0, 1e9})
    for (const double cv2 : {0.05, 0.0625, 0.1, 0.21, 1.0 / 3, 0.49, 0.5, 0.75, 1.0, 2.0, 40.0}) {
      const PhaseType phases = fitPhases(mean, cv2);
      const Moments moments = momentsOf(phases);
      EXPECT_NEAR(moments.mean / mean, 1, 1e-12) << cv2;
      EXPECT_NEAR(moments.cv2 / cv2, 1, 1e-9) << cv2;
      ASSERT_EQ(phases.onward.size(), phases.rates.size());
      EXPECT_EQ(phases.onward.back(), 0);
      for (std::size_t j = 0; j < phases.rates.size(); ++j) {
        EXPECT_GT(phases.rates[j], 0);
        EXPECT_GE(phases.onward[j], 0);
        EXPECT_LE(phases.onward[j], 1);
      }
    }
}

TEST(PhaseType, TakesNoMorePhasesThanAllowed) {
  for (const int most : {2, 7, 20}) {
    const PhaseType phases = fitPhases(300, 0, most);
    EXPECT_EQ(phases.rates.size(), static_cast<std::size_t>(most));
    EXPECT_NEAR(momentsOf(phases).cv2, 1.0 / most, 1e-12);
  }
  EXPECT_EQ(fitPhases(300, 1).rates.size(), 1u);
}

} // namespace

} // namespace qdadvise
