// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/NextAwake.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

/// Plays many exponential times away: the next one comes too late for a part of each.
double played(const NextAwake &next, double awayNs) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> away(1 / awayNs);
  std::uniform_real_distribution<double> uniform(0, 1);
  double late = 0, all = 0;
  for (int i = 0; i != 1'000'000; ++i) {
    const double ns = away(random);
    const double gap = next.gapNs * (uniform(random) < next.isWoken ? 1 : uniform(random));
    all += ns;
    if (uniform(random) < next.alone)
      late += std::min(ns, gap + next.callNs);
  }
  return late / all;
}

TEST(NextAwake, IsLateForItsPartOfTheTimeAway) {
  for (const NextAwake &next :
       {NextAwake{1, 1, 4000, 0, 5000}, NextAwake{1, 0, 4000, 0, 5000},
        NextAwake{0.6, 0.3, 2600, 1400, 1000}, NextAwake{0.2, 0.9, 500, 3000, 40'000}})
    EXPECT_NEAR(next.late(), played(next, next.awayNs), 0.002) << next.gapNs;
}

TEST(NextAwake, IsLateForLessOfTimesThatVary) {
  const NextAwake next{0.6, 0.3, 2600, 1400, 1000};
  // Half of the time is in times of either kind (MX36).
  const double kinds = (played(next, next.awayNs / 2) + played(next, 1e6 * next.awayNs)) / 2;
  EXPECT_NEAR(next.lateIfVarying(), kinds, 0.002);
  EXPECT_LT(next.lateIfVarying(), next.late());
}

TEST(NextAwake, IsNeverLateWhereOthersAreAwakeOrNothingHasToBeDone) {
  EXPECT_EQ((NextAwake{0, 1, 4000, 1000, 500}.late()), 0);
  EXPECT_EQ((NextAwake{1, 0.5, 0, 0, 500}.late()), 0);
  EXPECT_EQ((NextAwake{1, 0.5, 0, 0, 500}.lateIfVarying()), 0);
  EXPECT_NEAR((NextAwake{1, 1, 1e9, 0, 500}.late()), 1, 1e-12);
}

} // namespace
} // namespace qdadvise
