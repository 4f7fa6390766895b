// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of wrappers alone: what is taken in one counts as the call's section if it is still held
// when the call ends.
#include "runtime/replay/wrapper_calls.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint32_t lockSite = 0, wrapperSite = 1, frame = 0x1000;

class WrapperCallsTest : public testing::Test {
protected:
  WrapperCallsTest()
      : tables(arena, Limits{}), ledger(tables, context), wrappers(ledger, attempts, held) {
    context.sites = sites;
  }

  void call(Instant instant, std::uint64_t address = 0x10, std::uint32_t stack = frame) {
    wrappers.step({0, address, packEvent(wrapperSite, instant), stack}, wrapperSite, ++serial);
  }
  /// Takes a lock inside the call at hand.
  void take(std::uint64_t address) {
    Attempt attempt{};
    attempt.address = address;
    HeldLock lock = lockTaken(attempt, sites[lockSite], ++serial, 0);
    Acquisition taken{};
    taken.site = lockSite;
    taken.address = address;
    taken.outermost = held.isEmpty();
    wrappers.enter(lock, taken);
    held.add(lock);
  }
  void fail(std::uint64_t address) {
    Attempt attempt{};
    attempt.address = address;
    attempt.serial = ++serial;
    attempt.site = lockSite;
    wrappers.countTry(attempt, lockSite);
  }
  /// Of the first section that is recorded; none: no section is.
  std::uint32_t siteOfFirstSection() const {
    return tables.sections.size() == 0 ? format::none : tables.sections[0].key.site;
  }

  const SiteTraits sites[2] = {{SiteRole::acquire, LockKind::pthreadMutex, 0, 4},
                               {SiteRole::wrapper, LockKind::unknown, 0, format::none}};
  ReplayContext context;
  Arena arena;
  Tables tables;
  Ledger ledger;
  Attempts attempts;
  HeldLocks held;
  WrapperCalls wrappers;
  std::uint64_t serial = 0;
};

TEST_F(WrapperCallsTest, CountNothingBeforeTheyEnd) {
  call(Instant::attempt);
  take(0x10);
  EXPECT_TRUE(held[0].provisional);
  EXPECT_EQ(siteOfFirstSection(), format::none);
  EXPECT_FALSE(wrappers.isIdle());
}

TEST_F(WrapperCallsTest, NameWhatTheyReturnWith) {
  call(Instant::attempt);
  take(0x10);
  call(Instant::acquire);
  EXPECT_EQ(siteOfFirstSection(), wrapperSite);
  EXPECT_EQ(tables.sections[0].key.lockClass, 4u) << "the wrapper says none";
  EXPECT_FALSE(held[0].provisional);
  EXPECT_TRUE(wrappers.isIdle());
}

TEST_F(WrapperCallsTest, LeaveALockToItsOwnSiteWhereItIsNeededBefore) {
  call(Instant::attempt);
  take(0x10);
  wrappers.settleLock(held[0]);
  EXPECT_EQ(siteOfFirstSection(), lockSite);
}

TEST_F(WrapperCallsTest, EndWithTheirFrame) {
  call(Instant::attempt);
  take(0x10);
  wrappers.dropAbandoned(frame);
  EXPECT_TRUE(wrappers.isInCall());
  wrappers.dropAbandoned(frame + 64);
  EXPECT_FALSE(wrappers.isInCall());
  EXPECT_EQ(siteOfFirstSection(), lockSite);
}

TEST_F(WrapperCallsTest, CountTriesBeforeTheLockAsWaiting) {
  call(Instant::attempt);
  fail(0x10);
  fail(0x10);
  take(0x10);
  call(Instant::acquire);
  ASSERT_EQ(siteOfFirstSection(), wrapperSite);
  EXPECT_EQ(tables.sections[0].contended, 1u);
  EXPECT_EQ(tables.sections[0].tryFailures, 0u);
}

TEST_F(WrapperCallsTest, CountTriesThatNothingFollowsAsOneFailure) {
  call(Instant::attempt);
  fail(0x10);
  fail(0x10);
  call(Instant::acquire);
  wrappers.settleTries();
  ASSERT_EQ(siteOfFirstSection(), wrapperSite);
  EXPECT_EQ(tables.sections[0].tryFailures, 1u);
}

} // namespace
