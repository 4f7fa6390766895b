// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/verify/VerifyPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(VerifyPlanTest, commandsAreDividedAtTheMark) {
  const TwoCommands commands = twoCommands({"a", "-x", "--", "b"}).value();
  EXPECT_THAT(commands.before, ElementsAre("a", "-x"));
  EXPECT_THAT(commands.after, ElementsAre("b"));
  for (const std::vector<std::string> &words : std::vector<std::vector<std::string>>{
           {"a"}, {"a", "--"}, {"--", "b"}, {"a", "--", "b", "--", "c"}})
    EXPECT_FALSE(twoCommands(words));
}

TEST(VerifyPlanTest, pinnedAndUnpinnedUpToTheProcessors) {
  const VerifyPlan plan = planOf({1, 2, 3, 4}, {5, 7, 9}, PinningChoice::both);
  ASSERT_EQ(plan.runs.size(), 5U);
  EXPECT_THAT(plan.runs[0].processors, ElementsAre(5));
  EXPECT_THAT(plan.runs[1].processors, IsEmpty());
  EXPECT_THAT(plan.runs[2].processors, ElementsAre(5, 7));
  EXPECT_EQ(plan.runs[4].threads, 3);
  EXPECT_THAT(plan.runs[4].processors, IsEmpty());
  EXPECT_THAT(plan.beyond, ElementsAre(4));
}

TEST(VerifyPlanTest, oneOfBothCanBeChosen) {
  EXPECT_EQ(planOf({1, 2}, {0, 1}, PinningChoice::pinned).runs.size(), 2U);
  const VerifyPlan plan = planOf({1, 2}, {0, 1}, PinningChoice::unpinned);
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_THAT(plan.runs[0].processors, IsEmpty());
}
