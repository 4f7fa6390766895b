// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/ProgramUses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ProgramUses, AddsWhatFunctionsOfOtherUnitsDo) {
  ProgramUses program;
  program.functions["first"] = {1, {{"second", "second()"}}};
  program.functions["second"] = {4, {{"first", "first()"}, {"third", "third()"}}};
  program.functions["apart"] = {8, {}};
  const CodeFacts one = program.withFunctions({2, {{"first", "first()"}}});
  EXPECT_EQ(one.bits, 7U);
  EXPECT_THAT(one.unseen, ElementsAre(Pair("third", "third()")));
  program.functions["third"] = {16, {}};
  const CodeFacts all = program.withFunctions({2, {{"first", "first()"}}});
  EXPECT_EQ(all.bits, 23U);
  EXPECT_THAT(all.unseen, IsEmpty());
}

} // namespace
} // namespace qdadvise
