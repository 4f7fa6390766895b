// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of a thread that have begun and not ended.
#include "runtime/replay/attempts.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint32_t outerFrame = 0x1000, innerFrame = 0x0800;
constexpr SiteTraits sites[] = {{SiteRole::acquire, LockKind::pthreadMutex, 0, 0},
                                {SiteRole::acquire, LockKind::pthreadMutex, 0, 0},
                                {SiteRole::block, LockKind::unknown, 0, 0}};

Attempt attempt(std::uint32_t site, std::uint64_t address, std::uint32_t stack = outerFrame,
                std::uint64_t serial = 1) {
  Attempt made{};
  made.site = site;
  made.address = address;
  made.stack = stack;
  made.serial = serial;
  return made;
}

TEST(Attempts, AreFoundFromTheInnermostOutwards) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10));
  attempts.push(attempt(0, 0x20, innerFrame));
  EXPECT_EQ(attempts.find(0, 0x10), 0);
  EXPECT_EQ(attempts.find(0, 0x20), 1);
  EXPECT_EQ(attempts.find(1, 0x10), -1);
}

TEST(Attempts, BeginAgainWhereAJumpLeftThem) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10));
  attempts.push(attempt(1, 0x20, innerFrame));
  EXPECT_EQ(attempts.push(attempt(0, 0x10)), 0u);
  EXPECT_EQ(attempts.size(), 1u);
}

TEST(Attempts, AreLostWhereThereAreTooMany) {
  Attempts attempts;
  unsigned lost = 0;
  for (std::uint64_t i = 1; i <= 65; ++i)
    lost += attempts.push(attempt(0, i));
  EXPECT_EQ(lost, 64u);
  EXPECT_EQ(attempts.size(), 1u);
}

TEST(Attempts, EndWithTheirFrame) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10, outerFrame));
  attempts.push(attempt(0, 0x20, innerFrame));
  attempts.dropAbandoned(innerFrame);
  EXPECT_EQ(attempts.size(), 2u);
  attempts.dropAbandoned(outerFrame);
  EXPECT_EQ(attempts.size(), 1u);
}

TEST(Attempts, EndWithTheCallTheyBeganIn) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10, outerFrame, 3));
  attempts.push(attempt(0, 0x20, innerFrame, 5));
  attempts.dropAfter(4);
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].serial, 3u);
}

TEST(Attempts, OfOneOperationAreAGroup) {
  Attempts attempts;
  attempts.push(attempt(1, 0x900));
  attempts.push(attempt(0, 0x10, innerFrame));
  attempts.push(attempt(0, 0x40, innerFrame));
  EXPECT_EQ(attempts.groupStart(2), 1u);
  EffectLog log;
  EXPECT_EQ(attempts.nearestInGroup(1, 0x38, &log), 2u);
  EXPECT_TRUE(log.unusual) << "it depends on where the locks lie";
  EXPECT_EQ(attempts.nearestInGroup(1, 0x12, nullptr), 1u);
  attempts.keepUpTo(1);
  EXPECT_EQ(attempts.size(), 3u) << "siblings stay";
}

TEST(Attempts, PassUpWhatAnInnerOneSaw) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10));
  Attempt inner = attempt(1, 0x18, innerFrame);
  inner.taken = inner.known = true;
  attempts.push(inner);
  attempts.passUp(1, inner, nullptr);
  EXPECT_TRUE(attempts[0].taken);
  EXPECT_TRUE(attempts[0].known);
  EXPECT_FALSE(attempts[0].mine);
}

TEST(Attempts, OfSomethingElseAreSetAside) {
  Attempts attempts;
  attempts.push(attempt(2, 0x70));
  attempts.setAside(sites, 1);
  EXPECT_TRUE(attempts.isEmpty());
  attempts.push(attempt(0, 0x10, innerFrame));
  attempts.takeUpAgain(1);
  EXPECT_EQ(attempts.size(), 1u) << "something is under way";
  attempts.take(0);
  attempts.takeUpAgain(2);
  EXPECT_TRUE(attempts.isEmpty()) << "one more lock is held than before";
  attempts.takeUpAgain(1);
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].site, 2u);
  EXPECT_FALSE(attempts.hasAside());
}

TEST(Attempts, ThatTakeALockAreNotSetAside) {
  Attempts attempts;
  attempts.push(attempt(0, 0x10));
  attempts.setAside(sites, 0);
  EXPECT_EQ(attempts.size(), 1u);
}

TEST(Attempts, EndABlockWhereverItIs) {
  Attempts attempts;
  attempts.push(attempt(2, 0x70));
  EXPECT_EQ(attempts.endBlock(2), 0);
  attempts.push(attempt(2, 0x70));
  attempts.setAside(sites, 0);
  EXPECT_EQ(attempts.endBlock(2), 0);
  EXPECT_FALSE(attempts.hasAside());
  EXPECT_EQ(attempts.endBlock(2), -1);
}

} // namespace
