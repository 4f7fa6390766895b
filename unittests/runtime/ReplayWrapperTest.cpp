// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that may return with a lock held: what a lock taken inside
// counts as is known only when they return.
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint64_t lockA = 0x1000, lockB = 0x2000;
constexpr std::uint64_t object = 0x9000;

struct Wrapped : Stream {
  std::uint32_t wrapper(std::uint32_t lockClass = noSection, std::uint32_t flags = 0) {
    return site(LockKind::unknown, lockClass, flags, SiteRole::wrapper);
  }
  const SiteCounts &counts(std::uint32_t site) { return *tables.site(site); }
  std::uint32_t outer = wrapper(7), middle = wrapper(8);
  std::uint32_t mutexA = site(LockKind::pthreadMutex, 1), mutexB = site(LockKind::pthreadMutex, 2);
  std::uint32_t waitA = site(LockKind::pthreadMutex, 1, 0, SiteRole::wait);
  std::uint32_t tryA = site(LockKind::pthreadMutex, 1, siteTry);
};

TEST(ReplayWrapper, AKeptLockIsTheCallers) {
  Wrapped s;
  s.after(10).inFrame(1).attempt(s.outer, object);
  s.after(100).inFrame(2).attempt(s.mutexA, lockA, eventTaken);
  s.after(20).acquire(s.mutexA, lockA);
  s.after(3).inFrame(1).acquire(s.outer, object);
  s.after(50).inFrame(3).release(s.mutexA, lockA);

  ASSERT_EQ(s.tables.sections.size(), 1u);
  const Section &section = s.section(0);
  EXPECT_EQ(section.key.site, s.outer);
  EXPECT_EQ(section.key.lockClass, 7u);
  EXPECT_EQ(section.kind, LockKind::pthreadMutex);
  EXPECT_EQ(section.acquisitions, 1u);
  EXPECT_EQ(section.contended, 1u);
  EXPECT_DOUBLE_EQ(section.wait.moments().mean, 20) << "what the wrapper computes is no waiting";
  EXPECT_DOUBLE_EQ(section.hold.moments().mean, 53);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 110);
  EXPECT_EQ(s.lockAddresses(), std::vector<std::uint64_t>{lockA});
  EXPECT_EQ(s.counts(s.outer).executed, 1u);
  EXPECT_EQ(s.counts(s.mutexA).executed, 0u);
  EXPECT_EQ(s.counts(s.mutexA).inside, 1u);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayWrapper, ACallsHooksAreTakenOutWithoutTheirStamps) {
  Wrapped s;
  s.context.callHookTicks = 10;
  s.context.stampTicks = 7;
  for (int i = 0; i < 3; ++i) {
    s.after(100).inFrame(1).attempt(s.outer, object);
    s.after(13).inFrame(2).attempt(s.mutexA, lockA).after(10).acquire(s.mutexA, lockA);
    s.inFrame(1).acquire(s.outer, object);
    s.after(33).inFrame(2).release(s.mutexA, lockA);
  }
  EXPECT_EQ(s.section(0).acquisitions, 3u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 20);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 100);
}

TEST(ReplayWrapper, OnlyStampsDrift) {
  Wrapped s;
  s.context.callHookTicks = 10;
  s.context.stampTicks = 7;
  s.context.driftTicks = 2;
  s.after(100).inFrame(1).attempt(s.outer, object);
  s.after(15).inFrame(2).attempt(s.mutexA, lockA).after(12).acquire(s.mutexA, lockA);
  s.inFrame(1).acquire(s.outer, object);
  s.after(35).inFrame(2).release(s.mutexA, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 20);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 100);
}

TEST(ReplayWrapper, ALockGivenBackInsideIsNotTheCallers) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).after(10);
  s.inFrame(2).take(s.mutexA, lockA).after(40).release(s.mutexA, lockA).after(10);
  s.inFrame(1).acquire(s.outer, object);
  s.after(5).inFrame(2).take(s.mutexB, lockB).release(s.mutexB, lockB);

  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.mutexA);
  EXPECT_EQ(s.section(0).key.lockClass, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 40);
  EXPECT_DOUBLE_EQ(s.transition(0, 1)->local.moments().mean, 15);
  EXPECT_EQ(s.counts(s.mutexA).executed, 1u);
  EXPECT_EQ(s.counts(s.outer).executed, 0u);
  EXPECT_EQ(s.counts(s.outer).inside, 1u) << "a call that was no section";
}

TEST(ReplayWrapper, TheOutermostCallThatReturnsWithItNamesIt) {
  Wrapped s;
  for (int i = 0; i < 2; ++i) {
    s.inFrame(1).attempt(s.outer, object).inFrame(2).attempt(s.middle, object);
    s.inFrame(3).take(s.mutexA, lockA).inFrame(2).acquire(s.middle, object);
    if (i == 1)
      s.inFrame(2).release(s.mutexA, lockA);
    s.inFrame(1).acquire(s.outer, object);
    if (i == 0)
      s.inFrame(2).release(s.mutexA, lockA);
  }
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.section(1).key.site, s.middle);
  EXPECT_EQ(s.counts(s.middle).inside, 1u);
  EXPECT_EQ(s.counts(s.middle).executed, 1u);
}

TEST(ReplayWrapper, TwoLocksKeptAreTwoSectionsOfTheirOwnClasses) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2).take(s.mutexA, lockA).take(s.mutexB, lockB);
  s.inFrame(1).acquire(s.outer, object).after(30);
  s.inFrame(2).release(s.mutexB, lockB).after(5).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.section(0).key.lockClass, 1u);
  EXPECT_EQ(s.section(1).key.site, s.outer);
  EXPECT_EQ(s.section(1).key.lockClass, 2u);
  EXPECT_EQ(s.section(1).key.inside, 0u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 5);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 30);
}

TEST(ReplayWrapper, HandOverHandGoesOnInTheCallersName) {
  Wrapped s;
  s.inFrame(2).take(s.mutexA, lockA).inFrame(1).attempt(s.outer, object);
  s.inFrame(2).take(s.mutexB, lockB).release(s.mutexA, lockA);
  s.inFrame(1).acquire(s.outer, object).after(30).inFrame(2).release(s.mutexB, lockB);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(1).key.site, s.outer);
  EXPECT_EQ(s.section(1).key.inside, 0u);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 30);
}

TEST(ReplayWrapper, AWrapperInsideALockOperationIsNothing) {
  Wrapped s;
  const auto guard = s.site(LockKind::unknown, 5);
  s.inFrame(1).attempt(guard, 0x500).inFrame(2).attempt(s.outer, object);
  s.inFrame(3).take(s.mutexA, lockA).inFrame(2).acquire(s.outer, object);
  s.inFrame(1).acquire(guard, 0x500).after(9).release(guard, 0x500);
  s.inFrame(3).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, guard);
  EXPECT_EQ(s.lockAddresses(), std::vector<std::uint64_t>{lockA});
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayWrapper, ALockOperationInsideAWrapperBindsWhatItTookAsEver) {
  Wrapped s;
  const auto guard = s.site(LockKind::unknown, 5);
  s.inFrame(1).attempt(s.outer, object).inFrame(2).attempt(guard, 0x500);
  s.inFrame(3).take(s.mutexA, lockA).inFrame(2).acquire(guard, 0x500);
  s.inFrame(1).acquire(s.outer, object).after(9);
  s.inFrame(2).release(guard, 0x500).inFrame(3).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.lockAddresses(), std::vector<std::uint64_t>{lockA});
  EXPECT_EQ(s.tables.unmatched, 0u);
  EXPECT_EQ(s.replay.heldCount(), 0u);
}

TEST(ReplayWrapper, AWaitInsideEndsASectionAndWhatIsHeldThenIsTheCallers) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2).take(s.mutexA, lockA).after(10);
  s.event(Instant::wait, s.waitA, lockA).after(1000).event(Instant::wake, s.waitA, lockA);
  s.after(2).inFrame(1).acquire(s.outer, object).after(20).inFrame(2).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.mutexA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 10);
  EXPECT_EQ(s.section(1).key.site, s.outer);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 22);
  EXPECT_DOUBLE_EQ(s.transition(0, 1)->blocked->moments().mean, 1000);
}

TEST(ReplayWrapper, AWaitForTheCallerIsTheCallersAndTheLockStaysWhatItWas) {
  Wrapped s;
  s.inFrame(1).attempt(s.mutexA, lockA).acquire(s.mutexA, lockA).after(10);
  s.inFrame(1).attempt(s.outer, object).after(2).inFrame(2);
  s.event(Instant::wait, s.waitA, lockA).after(1000).event(Instant::wake, s.waitA, lockA);
  s.after(3).inFrame(1).acquire(s.outer, object).after(20).release(s.mutexA, lockA);

  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.mutexA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 12) << "until the wait";
  EXPECT_EQ(s.section(1).key.site, s.outer);
  EXPECT_EQ(s.section(1).key.lockClass, 1u) << "not the wrapper's";
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 23) << "from the wake";
  EXPECT_EQ(s.tables.locks.size(), 1u);
  EXPECT_EQ(s.counts(s.waitA).executed, 0u);
  EXPECT_EQ(s.counts(s.waitA).inside, 1u);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayWrapper, AnExceptionOutOfItLeavesWhatWasTakenToItself) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2).take(s.mutexA, lockA);
  s.inFrame(1).event(Instant::fail, s.outer, object).after(10).inFrame(2);
  s.release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.mutexA);
  EXPECT_EQ(s.section(0).tryFailures, 0u);
  EXPECT_EQ(s.counts(s.outer).tryFailures, 0u);
}

TEST(ReplayWrapper, ACallLeftByALongjmpIsForgotten) {
  Wrapped s;
  s.inFrame(3).attempt(s.outer, object).inFrame(4).take(s.mutexA, lockA);
  s.inFrame(1).take(s.mutexB, lockB).release(s.mutexB, lockB).after(10).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, s.mutexA);
  EXPECT_EQ(s.section(1).key.site, s.mutexB);
  EXPECT_EQ(s.section(1).key.inside, 0u);
}

TEST(ReplayWrapper, AHookInLastPlaceComesFromACallersFrame) {
  Wrapped s;
  s.inFrame(3).attempt(s.outer, object).inFrame(4).take(s.mutexA, lockA);
  s.inFrame(2).acquire(s.outer, object).inFrame(4).release(s.mutexA, lockA);
  EXPECT_EQ(s.section(0).key.site, s.outer);
}

TEST(ReplayWrapper, DeepRecursionForgetsTheOutermostCalls) {
  Wrapped s;
  for (unsigned i = 0; i < 100; ++i)
    s.inFrame(i).attempt(s.outer, object);
  s.inFrame(100).take(s.mutexA, lockA);
  for (unsigned i = 100; i-- > 0;)
    s.inFrame(i).acquire(s.outer, object);
  s.inFrame(50).release(s.mutexA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.tables.dropped, 0u);
}

// --- by caller ---

std::uint32_t callers[4];
std::uint32_t callerSite(std::uint32_t, std::uint64_t address) { return callers[address % 4]; }

TEST(ReplayWrapper, ABodyIsASiteForEachCaller) {
  Wrapped s;
  const auto body = s.wrapper(Stream::noSection, siteByCaller);
  for (std::uint32_t &caller : callers)
    caller = s.wrapper(Stream::noSection, siteByCaller);
  s.context.callerSite = callerSite;
  for (std::uint64_t i = 0; i < 12; ++i) {
    s.inFrame(1).attempt(body, 0x4000 + i % 2).take(s.mutexA, lockA);
    s.acquire(body, 0x4000 + i % 2).after(5).release(s.mutexA, lockA);
  }
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.site, callers[0]);
  EXPECT_EQ(s.section(1).key.site, callers[1]);
  EXPECT_EQ(s.section(0).key.lockClass, 1u) << "the lock is the one inside";
  EXPECT_EQ(s.section(0).acquisitions, 6u);
}

TEST(ReplayWrapper, ABodyIsNothingWhereTheCallerKnew) {
  Wrapped s;
  const auto body = s.wrapper(Stream::noSection, siteByCaller);
  s.context.callerSite = [](std::uint32_t, std::uint64_t) -> std::uint32_t {
    ADD_FAILURE() << "no site need be made";
    return 0;
  };
  for (int i = 0; i < 5; ++i) {
    s.inFrame(1).attempt(s.outer, object).inFrame(2).attempt(body, 0x4000);
    s.take(s.mutexA, lockA).acquire(body, 0x4000).inFrame(1).acquire(s.outer, object);
    s.inFrame(2).release(s.mutexA, lockA);
  }
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.counts(body).inside, 5u);
}

// --- tries ---

TEST(ReplayWrapper, AFailedTryAloneIsTheCallsFailure) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2).attempt(s.tryA, lockA, eventTaken);
  s.after(4).event(Instant::fail, s.tryA, lockA).inFrame(1).acquire(s.outer, object);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
  EXPECT_EQ(s.section(0).acquisitions, 0u);
  EXPECT_EQ(s.counts(s.outer).tryFailures, 1u);
  EXPECT_EQ(s.counts(s.tryA).tryFailures, 0u);
}

TEST(ReplayWrapper, AFailedTryAmongOtherThingsIsItsOwn) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2).attempt(s.tryA, lockA);
  s.event(Instant::fail, s.tryA, lockA).take(s.mutexB, lockB).release(s.mutexB, lockB);
  s.inFrame(1).acquire(s.outer, object);
  EXPECT_EQ(s.counts(s.tryA).tryFailures, 1u);
  EXPECT_EQ(s.counts(s.outer).tryFailures, 0u);
}

TEST(ReplayWrapper, TryingUntilItWorksIsWaiting) {
  Wrapped s;
  s.after(10).inFrame(1).attempt(s.outer, object).after(1).inFrame(2);
  for (int i = 0; i < 3; ++i)
    s.attempt(s.tryA, lockA, eventTaken).after(4).event(Instant::fail, s.tryA, lockA).after(100);
  s.attempt(s.tryA, lockA).after(4).acquire(s.tryA, lockA);
  s.inFrame(1).acquire(s.outer, object).after(7).inFrame(2).release(s.tryA, lockA);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.outer);
  EXPECT_EQ(s.section(0).tryFailures, 0u);
  EXPECT_EQ(s.section(0).contended, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 316);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 7);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 11);
  EXPECT_EQ(s.counts(s.tryA).inside, 4u);
}

TEST(ReplayWrapper, TryingUntilItWorksIsFailingWhereTheLockIsGivenBackInside) {
  Wrapped s;
  s.inFrame(1).attempt(s.outer, object).inFrame(2);
  s.attempt(s.tryA, lockA, eventTaken).after(4).event(Instant::fail, s.tryA, lockA).after(100);
  s.attempt(s.tryA, lockA).after(4).acquire(s.tryA, lockA).release(s.tryA, lockA);
  s.inFrame(1).acquire(s.outer, object);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, s.tryA);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 4);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 104);
}

TEST(ReplayWrapper, ARecursiveLockGoesDeeperInside) {
  Wrapped s;
  for (int i = 0; i < 2; ++i)
    s.inFrame(1)
        .attempt(s.outer, object)
        .inFrame(2)
        .attempt(s.mutexA, lockA, i ? eventMine : 0u)
        .acquire(s.mutexA, lockA)
        .inFrame(1)
        .acquire(s.outer, object)
        .after(10);
  s.inFrame(2).release(s.mutexA, lockA).after(10);
  EXPECT_EQ(s.replay.heldCount(), 1u);
  s.release(s.mutexA, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 30);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayWrapper, HooksThatCouldNotBeMeasuredAreTakenForNothing) {
  const auto localNs = [](double stamped, double unstamped) {
    Stream s;
    s.context.setCallHook(stamped, unstamped);
    const auto wrapper = s.site(LockKind::unknown, 0, 0, SiteRole::wrapper);
    const auto primitive = s.site();
    for (int i = 0; i < 2; ++i)
      s.after(100).attempt(wrapper, 8).acquire(wrapper, 8).take(primitive, 1).release(primitive, 1);
    return s.transition(0, 0)->local.moments().mean;
  };
  EXPECT_DOUBLE_EQ(localNs(0, 0), 100);
  EXPECT_DOUBLE_EQ(localNs(0, 30), 100);
  EXPECT_DOUBLE_EQ(localNs(30, 10), 100 - 30 - 2 * 10);
}

} // namespace
