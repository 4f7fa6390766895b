// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/uses/ProgramUses.h"

#include "rewrite/uses/LockOrder.h"
#include "runtime/abi/section_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ProgramUses, AddsWhatFunctionsOfOtherUnitsDo) {
  ProgramUses program;
  program.functions["first"] = {1, {{"second", "second()"}}, {"a"}, false};
  program.functions["second"] = {4, {{"first", "first()"}, {"third", "third()"}}, {"b"}, false};
  program.functions["apart"] = {8, {}, {"c"}, true};
  const CodeFacts one = program.withFunctions({2, {{"first", "first()"}}, {}, false});
  EXPECT_EQ(one.bits, 7U);
  EXPECT_THAT(one.unseen, ElementsAre(Pair("third", "third()")));
  EXPECT_THAT(one.takes, ElementsAre("a", "b"));
  EXPECT_FALSE(one.isOpen);
  program.functions["third"] = {16, {}, {}, true};
  const CodeFacts all = program.withFunctions({2, {{"first", "first()"}}, {}, false});
  EXPECT_EQ(all.bits, 23U);
  EXPECT_THAT(all.unseen, IsEmpty());
  EXPECT_TRUE(all.isOpen);
}

/// Locks `a`, `b` and so on, with a section each.
class LockOrderTest : public testing::Test {
protected:
  void section(const std::string &lock, const CodeFacts &facts) {
    program.locks[lock].name = lock;
    const std::pair place(std::string("x.c"), static_cast<unsigned>(program.keysAt.size()));
    program.facts[place] = facts;
    program.keysAt[place].insert(lock);
  }
  std::string obstacle(const std::set<std::string> &takes) const {
    return orderObstacle("a", {0, {}, takes, false}, program);
  }

  ProgramUses program;
};

TEST_F(LockOrderTest, ACircleIsFoundByWayOfOthers) {
  section("a", {0, {}, {"b"}, false});
  section("b", {0, {}, {"c"}, false});
  section("c", {0, {}, {}, false});
  EXPECT_EQ(obstacle({"b"}), "");
  section("c", {0, {{"f", "f()"}}, {}, false});
  EXPECT_EQ(obstacle({"b"}), "not all is in sight that is done under 'c'");
  program.functions["f"] = {0, {}, {"a"}, false};
  EXPECT_EQ(obstacle({"b"}), "'a' may be taken under what it takes");
  EXPECT_EQ(obstacle({"a"}), "'a' may be taken under what it takes"); // another one of its class
  EXPECT_EQ(obstacle({}), "it is not seen that it gives up what it takes");
}

TEST_F(LockOrderTest, LocksWithoutANameAreOneThatNobodyElseIs) {
  section("a", {0, {}, {"b", "p"}, false});
  section("b", {0, {}, {}, false});
  program.others["p"].gate = Gate::behindPointer;
  program.keysAt[{"y.c", 1}] = {"p"};
  program.facts[{"y.c", 1}] = {0, {}, {"b"}, false};
  EXPECT_EQ(obstacle({"b", "p"}), "");
  program.facts[{"y.c", 1}].bits = factWaits;
  EXPECT_EQ(obstacle({"b", "p"}), "a thread may wait under a lock without a name");
  EXPECT_EQ(obstacle({"b"}), "");
  program.locks["b"].uses.push_back(gatedUse(Gate::addressTaken, {}, ""));
  EXPECT_EQ(obstacle({"b"}), "'b' may be taken elsewhere, too");
}

} // namespace
} // namespace qdadvise
