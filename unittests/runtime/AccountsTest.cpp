// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The virtual clock of a replay, and where the time that it measures goes.
#include "runtime/replay/accounts.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

Event at(std::uint64_t stamp, std::uint32_t flags = 0) {
  return {stamp, 0x10, packEvent(0, Instant::acquire, flags), 0};
}

TEST(VirtualClock, TakesOutHooksAndPauses) {
  ReplayContext context;
  context.setCallHook(10, 4);
  context.xrayHookTicks = 30;
  VirtualClock clock;
  clock.readHookCosts(context);
  clock.countFrom(1000);
  EXPECT_EQ(clock.advanceTo(at(1100)), 90);
  clock.pausedTicks += 25;
  EXPECT_EQ(clock.advanceTo(at(1200, eventXray)), 45);
  EXPECT_EQ(clock.now, 135);
  EXPECT_EQ(clock.pausedTicks, 0u);
}

TEST(VirtualClock, TakesOutHooksWithoutAStampAtTheNextEvent) {
  ReplayContext context;
  context.setCallHook(10, 4);
  VirtualClock clock;
  clock.readHookCosts(context);
  clock.countFrom(1000);
  clock.unstampedSince += clock.unstampedTicks(at(0));
  EXPECT_EQ(clock.ticksUntil(1100), 96);
  EXPECT_EQ(clock.advanceTo(at(1100)), 86);
  EXPECT_EQ(clock.ticksUntil(1100), 0);
}

TEST(VirtualClock, KnowsThatHooksCostMoreWhereTheyAre) {
  ReplayContext context;
  context.setCallHook(10, 10);
  context.driftTicks = 2;
  context.hookFactor = 3;
  VirtualClock clock;
  EXPECT_EQ(clock.hookTicks(at(0)), 0);
  clock.readHookCosts(context);
  EXPECT_EQ(clock.hookTicks(at(0)), 36);
}

class AccountsTest : public testing::Test {
protected:
  AccountsTest() : tables(arena, Limits{}), accounts{tables, context} {
    context.nsPerTick = 0.5;
    context.startStamp = 1000;
    accounts.threadNumber = 3;
  }

  Arena arena;
  Tables tables;
  ReplayContext context;
  Accounts accounts;
};

TEST_F(AccountsTest, ChargeTheWindowAtHand) {
  accounts.chargeLocal(10);
  accounts.chargeBlocked(20);
  EXPECT_EQ(accounts.localTicks, 10);
  EXPECT_EQ(accounts.blockedTicks, 20);
  EXPECT_EQ(tables.threadClasses.size(), 0u) << "no window is known yet";
  accounts.stayInWindow(1000 + (1u << firstWindowShift));
  EXPECT_EQ(accounts.window, 1u);
  accounts.chargeLocal(10);
  accounts.chargeBlocked(20);
  const ThreadClassTimes &times = tables.threadClasses[0];
  EXPECT_EQ(times.windows[1].localNs, 5);
  EXPECT_EQ(times.windows[1].blockedNs, 10);
  EXPECT_EQ(times.blockedNs, 10);
  EXPECT_EQ(times.windows[1].active, 1u);
  EXPECT_EQ(times.windows[1].firstThread, 3u);
}

TEST_F(AccountsTest, FindTheWindowOfAnEarlierEvent) {
  accounts.stayInWindow(1000 + (3u << firstWindowShift));
  EXPECT_EQ(accounts.windowOfStamp(1000 + (3u << firstWindowShift)), 3u);
  EXPECT_EQ(accounts.windowOfStamp(1000), 0u);
  EXPECT_EQ(accounts.windowOfStamp(10), 0u) << "before what counts as the start now";
}

TEST_F(AccountsTest, HaveNoNegativeTimes) {
  EXPECT_EQ(accounts.toNs(-3), 0);
  EXPECT_EQ(accounts.toNs(3), 1.5);
}

} // namespace
