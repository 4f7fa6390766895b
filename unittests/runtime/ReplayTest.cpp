// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread, one lock after the other: times, transitions, contention, blocking.
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint64_t lockA = 0x1000, lockB = 0x2000;

TEST(Replay, MeasuresWaitHoldAndLocalComputation) {
  Stream s;
  const auto at = s.site(), out = s.site(LockKind::pthreadMutex, 0, 0, SiteRole::release);
  s.after(50).attempt(at, lockA).after(10).acquire(at, lockA).after(100).release(out, lockA);
  s.after(70).attempt(at, lockA).after(20).acquire(at, lockA).after(300).release(out, lockA);

  ASSERT_EQ(s.tables.sections.size(), 1u);
  const Section &section = s.section(0);
  EXPECT_EQ(section.acquisitions, 2u);
  EXPECT_DOUBLE_EQ(section.hold.moments().mean, 200);
  EXPECT_DOUBLE_EQ(section.hold.min, 100);
  EXPECT_DOUBLE_EQ(section.hold.max, 300);
  EXPECT_DOUBLE_EQ(section.wait.moments().mean, 15);
  ASSERT_NE(s.transition(Stream::noSection, 0), nullptr);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 50);
  ASSERT_NE(s.transition(0, 0), nullptr);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 70);
  ASSERT_EQ(s.tables.locks.size(), 1u);
  const Lock *const lock = s.tables.locks.find(lockA, 0);
  ASSERT_TRUE(lock);
  EXPECT_DOUBLE_EQ(lock->heldNs, 400);
  EXPECT_DOUBLE_EQ(lock->waitNs, 30);
}

TEST(Replay, TakesOutTheCostOfOneHookBetweenTwoStamps) {
  Stream s;
  s.context.callHookTicks = 10;
  const auto at = s.site();
  s.after(50).attempt(at, lockA).after(15).acquire(at, lockA).after(10).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 5);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 40);
}

TEST(Replay, TakesOutTheCostOfTheHooksInBetween) {
  Stream s;
  s.context.callHookTicks = 10;
  const auto outer = s.site(), inner = s.site();
  s.attempt(outer, lockA).after(10).acquire(outer, lockA);
  s.after(30).attempt(inner, lockB).after(10).acquire(inner, lockB).after(60).release(inner, lockB);
  s.after(30).release(outer, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 40);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 50);
  EXPECT_DOUBLE_EQ(s.tables.locks.find(lockA, 0)->heldNs, 30 + 10 + 60 + 30 - 40);
}

TEST(Replay, TakesOutItsOwnPauses) {
  Stream s;
  const auto at = s.site();
  s.take(at, lockA).release(at, lockA);
  s.replay.pause(5000);
  s.after(5040).take(at, lockA).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 40);
}

TEST(Replay, NeverReportsNegativeTimes) {
  Stream s;
  s.context.callHookTicks = 30;
  const auto at = s.site();
  s.attempt(at, lockA).after(10).acquire(at, lockA).after(10).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.min, 0);
  EXPECT_DOUBLE_EQ(s.section(0).wait.min, 0);
}

TEST(Replay, BelievesTheLocksOwnWordAboutContention) {
  Stream s;
  const auto at = s.site();
  s.attempt(at, lockA, eventTaken).after(40).acquire(at, lockA).release(at, lockA);
  s.attempt(at, lockA).after(90000).acquire(at, lockA).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 2u);
  EXPECT_EQ(s.section(0).contended, 1u);
  EXPECT_EQ(s.section(0).waitContended.count, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).waitContended.moments().mean, 40);
}

TEST(Replay, JudgesUnknownLocksByTheirWaitingTime) {
  Stream s;
  const auto at = s.site(LockKind::unknown);
  s.attempt(at, lockA).after(499).acquire(at, lockA).release(at, lockA);
  s.attempt(at, lockA).after(501).acquire(at, lockA).release(at, lockA);
  EXPECT_EQ(s.section(0).contended, 1u);
}

TEST(Replay, CountsFailedTriesApart) {
  Stream s;
  const auto at = s.site(LockKind::pthreadMutex, 0, siteTry);
  s.after(20).attempt(at, lockA, eventTaken).after(5).event(Instant::fail, at, lockA);
  s.after(20).attempt(at, lockA).after(5).acquire(at, lockA).after(9).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_EQ(s.section(0).contended, 0u);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
  EXPECT_EQ(s.tables.sites[at].executed, 2u);
  // A failed try is part of what the thread computes.
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 45);
}

TEST(Replay, TreatsTimedFailuresAsBlocked) {
  Stream s;
  const auto at = s.site(LockKind::pthreadMutex, 0, siteTimed);
  s.after(20).attempt(at, lockA).after(1000).event(Instant::fail, at, lockA);
  s.take(at, lockA).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->local.moments().mean, 20);
  EXPECT_DOUBLE_EQ(s.transition(Stream::noSection, 0)->blocked->moments().mean, 1000);
}

TEST(Replay, KeepsBlockedTimeOutOfLocalComputation) {
  Stream s;
  const auto at = s.site(), barrier = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.take(at, lockA).release(at, lockA);
  s.after(10).event(Instant::block, barrier, 0).after(5000).event(Instant::unblock, barrier, 7);
  s.after(15).take(at, lockA).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 25);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->blocked->moments().mean, 5000);
  EXPECT_DOUBLE_EQ(s.tables.threadClasses[0].blockedNs, 5000);
  EXPECT_EQ(s.tables.sites[barrier].executed, 1u);
}

TEST(Replay, CountsTheBarriersOnTheWayToASection) {
  Stream s;
  const auto at = s.site(), barrier = s.site(LockKind::unknown, 0, siteBarrier, SiteRole::block);
  const auto sleep = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  const auto wait = [&](std::uint32_t site) {
    s.event(Instant::block, site, 0).after(10).event(Instant::unblock, site, 0);
  };
  wait(barrier);
  s.take(at, lockA).release(at, lockA);
  // Again and again: rows of events that are known by then count as much.
  for (int i = 0; i < 100; ++i) {
    wait(barrier);
    wait(sleep);
    s.take(at, lockA).release(at, lockA).take(at, lockB).release(at, lockB);
  }
  wait(barrier);
  s.replay.end(s.now);
  EXPECT_EQ(s.transition(Stream::noSection, 0)->barriers, 1u);
  EXPECT_EQ(s.transition(0, 0)->barriers, 100u);
  EXPECT_EQ(s.transition(0, Stream::noSection)->barriers, 1u);
}

TEST(Replay, TellsWhatIsNotOver) {
  Stream s;
  const auto at = s.site(), sleep = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.take(at, lockA).after(100).event(Instant::block, sleep, 0);
  Arena arena;
  Tables total(arena, Limits{});
  total.merge(s.tables);
  EXPECT_EQ(total.locks.find(lockA, 0)->heldNs, 0);
  s.replay.addOpen(total, 1000 + 100 + 2000);
  EXPECT_DOUBLE_EQ(total.locks.find(lockA, 0)->heldNs, 2100);
  EXPECT_DOUBLE_EQ(total.threadClasses[0].blockedNs, 2000);
  EXPECT_EQ(s.tables.locks.find(lockA, 0)->heldNs, 0) << "it will be there when it is over";
}

TEST(Replay, TellsHowLongAThreadHasWaitedForWorkAfterItsLastSection) {
  Stream s;
  const auto at = s.site(), sleep = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.take(at, lockA).release(at, lockA);
  s.take(at, lockA).release(at, lockA);
  s.after(30).event(Instant::block, sleep, 0);
  Arena arena;
  Tables total(arena, Limits{});
  // Numbers of sections are others in the tables of all threads.
  total.section({0, s.site(), 0, format::none, 0});
  total.merge(s.tables);
  s.replay.addOpen(total, s.now + 2000);
  const std::uint32_t section = total.section(s.tables.sections[0].key);
  const Transition &last = total.transitions[total.transition({0, section, format::none})];
  EXPECT_EQ(last.local.moments().count, 1u);
  EXPECT_DOUBLE_EQ(last.local.moments().mean, 30);
  EXPECT_DOUBLE_EQ(last.blocked->moments().mean, 2000);
}

TEST(Replay, NotesThatAnOwnerTookItsLockAgain) {
  Stream s;
  const auto outer = s.site(), inner = s.site(), other = s.site();
  s.take(outer, lockA).attempt(inner, lockA, eventMine).acquire(inner, lockA);
  s.release(inner, lockA).release(outer, lockA);
  s.take(other, lockB).release(other, lockB);
  EXPECT_TRUE(s.tables.sites[outer].reentered);
  EXPECT_FALSE(s.tables.sites[other].reentered);
}

TEST(Replay, RecordsLocksThatAreTakenWhileItWaitsForSomethingElse) {
  // A signal handler, a deferred task, the completion of a barrier.
  Stream s;
  const auto at = s.site(), sleep = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.take(at, lockA).release(at, lockA);
  s.after(10).event(Instant::block, sleep, 0).after(5000).inFrame(2);
  s.take(at, lockB).after(30).release(at, lockB).after(20);
  s.attempt(at, lockB).after(4).event(Instant::fail, at, lockB);
  s.inFrame(0).after(700).event(Instant::unblock, sleep, 0);
  s.after(15).take(at, lockA).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 3u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().max, 30);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
  EXPECT_EQ(s.tables.sites[at].inside, 0u);
  EXPECT_EQ(s.tables.sites[sleep].executed, 1u);
  EXPECT_EQ(s.tables.unmatched, 0u);
  EXPECT_DOUBLE_EQ(s.tables.threadClasses[0].blockedNs, 5000 + 20 + 700);
}

TEST(Replay, RecordsWaitsForALockWithinAWaitForSomethingElse) {
  // A barrier made of a mutex and a condition, called as one operation.
  Stream s;
  const auto at = s.site(), barrier = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  const auto wait = s.site(LockKind::pthreadMutex, 0, 0, SiteRole::wait);
  s.event(Instant::block, barrier, 0).after(5).inFrame(2).take(at, lockA).after(30);
  s.event(Instant::wait, wait, lockA).after(7000).event(Instant::wake, wait, lockA).after(40);
  s.release(at, lockA).after(6).inFrame(0).event(Instant::unblock, barrier, 0);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 30);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 40);
  EXPECT_DOUBLE_EQ(s.tables.threadClasses[0].blockedNs, 5 + 7000 + 6);
}

TEST(Replay, AWaitForSomethingElseMayEndWithALockTakenMeanwhile) {
  Stream s;
  const auto at = s.site(), sleep = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.event(Instant::block, sleep, 0).after(50).inFrame(2).take(at, lockA).inFrame(0);
  s.event(Instant::unblock, sleep, 0).after(8).release(at, lockA);
  s.after(9).take(at, lockA).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 2u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().max, 8);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 9);
  EXPECT_EQ(s.tables.sites[sleep].executed, 1u);
}

TEST(Replay, KeepsBlockedTimeOutOfHoldingTime) {
  Stream s;
  const auto at = s.site(), barrier = s.site(LockKind::unknown, 0, 0, SiteRole::block);
  s.take(at, lockA).after(30);
  s.event(Instant::block, barrier, 0).after(5000).event(Instant::unblock, barrier, 0);
  s.after(12).release(at, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 42);
  EXPECT_DOUBLE_EQ(s.tables.locks.find(lockA, 0)->heldNs, 5042);
}

TEST(Replay, SplitsASectionAtAConditionWait) {
  Stream s;
  const auto at = s.site(), wait = s.site(LockKind::pthreadMutex, 0, 0, SiteRole::wait);
  s.take(at, lockA).after(30).event(Instant::wait, wait, lockA);
  s.after(7000).event(Instant::wake, wait, lockA).after(40).release(at, lockA);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 30);
  EXPECT_EQ(s.section(1).key.site, wait);
  EXPECT_EQ(s.section(1).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 40);
  EXPECT_DOUBLE_EQ(s.section(1).wait.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.transition(0, 1)->local.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.transition(0, 1)->blocked->moments().mean, 7000);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(Replay, RecursiveReentryIsNoAcquisition) {
  Stream s;
  const auto at = s.site(LockKind::pthreadMutex, 0, siteRecursive);
  s.take(at, lockA).after(10);
  s.attempt(at, lockA, eventMine).acquire(at, lockA).after(20).release(at, lockA).after(30);
  s.release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 60);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(Replay, NoticesThatAMutexWasUnlockedUnseen) {
  Stream s;
  const auto at = s.site();
  s.take(at, lockA).after(10);
  // Free at the attempt, and yet on our list: another thread unlocked it.
  s.take(at, lockA).after(20).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 2u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 20);
  EXPECT_EQ(s.tables.unmatched, 1u);
  EXPECT_EQ(s.replay.heldCount(), 0u);
}

TEST(Replay, CountsReleasesOfSomethingUnheld) {
  Stream s;
  const auto at = s.site(), maybe = s.site(LockKind::pthreadMutex, 0, siteConditional);
  s.release(at, lockA);
  EXPECT_EQ(s.tables.unmatched, 1u);
  s.release(maybe, lockA);
  EXPECT_EQ(s.tables.unmatched, 1u) << "a conditional release may find nothing";
}

TEST(Replay, AnAcquireWithoutItsAttemptWaitedForNothing) {
  Stream s;
  const auto at = s.site();
  s.after(10).acquire(at, lockA).after(20).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 0);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 20);
}

TEST(Replay, ForgetsAttemptsThatAnExceptionLeft) {
  Stream s;
  const auto lost = s.site(), at = s.site();
  s.inFrame(3).attempt(lost, lockA).inFrame(1);
  s.after(10).take(at, lockB).after(20).release(at, lockB);
  ASSERT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.section(0).key.site, at);
  EXPECT_FALSE(s.replay.attempting());
}

TEST(Replay, ATailCalledHookStillFindsItsAttempt) {
  Stream s;
  const auto at = s.site();
  s.inFrame(2).attempt(at, lockA).after(10);
  s.inFrame(1).acquire(at, lockA).after(20).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).wait.moments().mean, 10);
}

TEST(Replay, TheLastTransitionLeadsToTheThreadsEnd) {
  Stream s;
  const auto at = s.site();
  s.take(at, lockA).after(5).release(at, lockA).after(33);
  s.replay.end(s.now);
  ASSERT_NE(s.transition(0, Stream::noSection), nullptr);
  EXPECT_DOUBLE_EQ(s.transition(0, Stream::noSection)->local.moments().mean, 33);
  EXPECT_DOUBLE_EQ(s.tables.threadClasses[0].aliveNs, 38);
}

TEST(Replay, CountersOnlyCountsWithoutTimes) {
  Stream s;
  s.context.countersOnly = true;
  const auto at = s.site();
  for (int i = 0; i < 3; ++i)
    s.after(10).attempt(at, lockA, i == 1 ? eventTaken : 0).acquire(at, lockA).release(at, lockA);
  EXPECT_EQ(s.section(0).acquisitions, 3u);
  EXPECT_EQ(s.section(0).contended, 1u);
  EXPECT_EQ(s.section(0).hold.count, 0u);
  EXPECT_EQ(s.transition(0, 0)->local.count, 2u);
}

TEST(Replay, WhatWasHeldAtACutIsReleasedInSilence) {
  Stream s;
  const auto at = s.site();
  s.take(at, lockA).after(10);
  s.replay.discardOpenState(s.now);
  s.after(10).release(at, lockA).after(10).take(at, lockA).after(25).release(at, lockA);
  EXPECT_EQ(s.tables.unmatched, 0u);
  EXPECT_EQ(s.section(0).hold.count, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 25);
}

TEST(Replay, NamedLocksHaveAClassOfTheirOwn) {
  Stream s;
  static NamedLocks names;
  ASSERT_TRUE(names.add(lockB, 7));
  s.context.names = &names;
  const auto at = s.site(LockKind::pthreadMutex, 3);
  s.take(at, lockA).release(at, lockA).take(at, lockB).release(at, lockB);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).key.lockClass, 3u);
  EXPECT_EQ(s.section(1).key.lockClass, 7u);
}

} // namespace
