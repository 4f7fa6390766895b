// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the locks that may be held a release ends.
#include "plugin/locksets/LockSet.h"

#include <gtest/gtest.h>

using namespace qdadvise;

namespace {

LockPath parameter(std::uint64_t number) {
  LockPath path;
  path.base = LockPath::Base::parameter;
  path.number = number;
  return path;
}

LockPath pointee(LockPath path) {
  path.steps.push_back({LockPath::Step::Kind::pointee});
  return path;
}

LockFact factOf(const LockPath &path, Owner::Kind owner = Owner::Kind::nobody) {
  return {.origin = nullptr, .path = path, .owner = {owner, nullptr}};
}

TEST(LockSet, HasOneFactForALockTakenTwice) {
  LockFactTable facts;
  const LockSet once = facts.take(factOf(parameter(0)), 0);
  EXPECT_EQ(facts.take(factOf(parameter(0)), once), once);
  EXPECT_NE(facts.take(factOf(parameter(1)), once), once);
}

TEST(LockSet, LosesTheLockOfThePath) {
  LockFactTable facts;
  const LockSet first = facts.take(factOf(parameter(0)), 0);
  const LockSet both = facts.take(factOf(parameter(1)), first);
  EXPECT_EQ(facts.releasedBy(parameter(0), nullptr, both), first);
  EXPECT_EQ(facts.releasedBy(parameter(1), nullptr, both), both & ~first);
}

TEST(LockSet, LosesWhatIsNearestToThePath) {
  LockFactTable facts;
  const LockSet first = facts.take(factOf(parameter(0)), 0);
  const LockSet both = facts.take(factOf(pointee(parameter(1))), first);
  EXPECT_EQ(facts.releasedBy(parameter(1), nullptr, both), both & ~first);
  EXPECT_EQ(facts.releasedBy(parameter(7), nullptr, both), 0U) << "it may be either";
  EXPECT_EQ(facts.releasedBy(parameter(7), nullptr, first), first) << "it can be no other";
}

TEST(LockSet, KeepsWhatAGuardOwns) {
  LockFactTable facts;
  const LockSet held = facts.take(factOf(parameter(0), Owner::Kind::variable), 0);
  EXPECT_EQ(facts.releasedBy(parameter(0), nullptr, held), 0U);
}

TEST(LockSet, OutlivesAFunctionWhereNoLocalGuardOwnsIt) {
  EXPECT_TRUE(factOf(parameter(0)).outlivesFunction());
  EXPECT_TRUE(factOf(parameter(0), Owner::Kind::result).outlivesFunction());
  EXPECT_FALSE(factOf(parameter(0), Owner::Kind::variable).outlivesFunction());
  EXPECT_FALSE(factOf(parameter(0), Owner::Kind::temporary).outlivesFunction());
}

} // namespace
