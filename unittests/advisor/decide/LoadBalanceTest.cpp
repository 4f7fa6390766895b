// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/LoadBalance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

// SyncPerf prints, for ferret, the exact assignment 1-0.2-2.5-12.2 of 16 threads and 1-1-3-11
// and 1-1-2-12 as the candidates; trying all of them, 1-1-3-11 was the best.
TEST(LoadBalance, FindsTheBestAssignmentOfFerret) {
  const ThreadAssignment ferret = assignThreads({1.0, 0.2, 2.5, 12.2}, 16);
  EXPECT_THAT(ferret.exact, ElementsAre(DoubleNear(1, 0.1), DoubleNear(0.2, 0.1),
                                        DoubleNear(2.5, 0.1), DoubleNear(12.2, 0.1)));
  EXPECT_THAT(ferret.best, ElementsAre(1, 1, 3, 11));
}

// For dedup: 3723, 1884 and 12836 ms of execution a thread, 4 threads each; 2.4-1.2-8.4 exact;
// 2-1-9, 3-1-8 and 2-2-8 as candidates, of which the last has the lightest bottleneck.
TEST(LoadBalance, FindsAnAssignmentOfDedup) {
  const std::vector<double> work = {3723, 1884, 12836};
  const ThreadAssignment dedup = assignThreads(work, 12);
  EXPECT_THAT(dedup.exact,
              ElementsAre(DoubleNear(2.4, 0.05), DoubleNear(1.2, 0.05), DoubleNear(8.4, 0.05)));
  EXPECT_THAT(dedup.best, ElementsAre(2, 2, 8));
  EXPECT_LT(bottleneck(work, dedup.best), bottleneck(work, {2, 1, 9}));
  EXPECT_LT(bottleneck(work, dedup.best), bottleneck(work, {3, 1, 8}));
}

TEST(LoadBalance, GivesOneThreadEachAndNoneTwice) {
  struct Case {
    std::vector<double> work;
    std::uint32_t threads;
    std::vector<std::uint32_t> best;
  };
  const Case cases[] = {
      {{1}, 3, {3}},
      {{1, 1}, 4, {2, 2}},
      {{0, 1}, 4, {1, 3}},
      {{0, 0, 7}, 3, {1, 1, 1}},
      {{10, 1}, 2, {1, 1}},
      {{1, 1, 1, 97}, 6, {1, 1, 1, 3}},
      {{0.1, 0.2, 0.7}, 10, {1, 2, 7}},
      {{1, 2}, 4, {1, 3}},
  };
  for (const Case &one : cases)
    EXPECT_EQ(assignThreads(one.work, one.threads).best, one.best)
        << ::testing::PrintToString(one.work);
}
