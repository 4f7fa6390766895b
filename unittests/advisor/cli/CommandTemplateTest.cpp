// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/CommandTemplate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::ElementsAre;

TEST(CommandTemplateTest, placeholdersAreFilledIn) {
  EXPECT_THAT(filledIn({"a", "-j{threads}", "{threads}:{threads}"}, "threads", "8"),
              ElementsAre("a", "-j8", "8:8"));
  EXPECT_THAT(filledIn({"{threads}"}, "threads", "{threads}"), ElementsAre("{threads}"));
}

TEST(CommandTemplateTest, aCommandHasToNameTheThreads) {
  EXPECT_TRUE(checkNamesThreads({"env", "OMP_NUM_THREADS={threads}", "a"}));
  const auto without = checkNamesThreads({"a", "-j2"});
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message, testing::HasSubstr("write {threads} in its command"));
}
