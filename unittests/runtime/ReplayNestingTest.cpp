// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections inside sections, and operations inside operations (wrappers).
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint64_t lockA = 0x1000, lockB = 0x2000, lockC = 0x3000;
constexpr std::uint64_t wrapper = 0x9000, inner = 0x9010;

TEST(ReplayNesting, AnInnerSectionIsTakenOutOfTheOuterOne) {
  Stream s;
  const auto outer = s.site(), nested = s.site();
  s.take(outer, lockA).after(10);
  for (int i = 0; i < 2; ++i)
    s.attempt(nested, lockB).after(5).acquire(nested, lockB).after(100).release(nested, lockB);
  s.after(10).release(outer, lockA);

  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 20);
  EXPECT_EQ(s.section(1).key.inside, 0u);
  EXPECT_EQ(s.section(1).acquisitions, 2u);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 100);
  EXPECT_DOUBLE_EQ(s.section(1).wait.moments().mean, 5);
  // Only the outer one has transitions.
  ASSERT_EQ(s.tables.transitions.size(), 1u);
  EXPECT_EQ(s.tables.transitions[0].key.to, 0u);
}

TEST(ReplayNesting, OneSiteInsideAndOutsideIsTwoSections) {
  Stream s;
  const auto outer = s.site(), both = s.site();
  s.take(outer, lockA).take(both, lockB).release(both, lockB).release(outer, lockA);
  s.take(both, lockB).release(both, lockB);
  ASSERT_EQ(s.tables.sections.size(), 3u);
  EXPECT_EQ(s.section(1).key.inside, 0u);
  EXPECT_EQ(s.section(2).key.inside, format::none);
}

TEST(ReplayNesting, ReleasesInAnyOrderKeepTheTimesApart) {
  Stream s;
  const auto first = s.site(), second = s.site();
  s.take(first, lockA).after(10).take(second, lockB).after(20);
  s.release(first, lockA).after(30).release(second, lockB).after(40);
  s.take(first, lockA).release(first, lockA);
  EXPECT_DOUBLE_EQ(s.section(0).hold.max, 10);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 50);
  EXPECT_DOUBLE_EQ(s.transition(0, 0)->local.moments().mean, 40);
  EXPECT_EQ(s.tables.unmatched, 0u);
  EXPECT_EQ(s.replay.heldCount(), 0u);
}

TEST(ReplayNesting, HandOverHandEndsMakingSections) {
  Stream s;
  const auto at = s.site();
  s.take(at, 0x100);
  for (std::uint64_t node = 1; node < 1000; ++node)
    s.after(1).take(at, 0x100 + 64 * node).after(1).release(at, 0x100 + 64 * (node - 1));
  EXPECT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).acquisitions + s.section(1).acquisitions, 1000u);
}

TEST(ReplayNesting, TheOutermostOperationIsTheSiteTheInnermostPrimitiveTheLock) {
  Stream s;
  const auto outer = s.site(LockKind::unknown, 4), primitive = s.site(LockKind::pthreadMutex, 5);
  s.after(100).inFrame(1).attempt(outer, wrapper);
  s.after(3).inFrame(2).attempt(primitive, inner, eventTaken);
  s.after(20).acquire(primitive, inner);
  s.after(3).inFrame(1).acquire(outer, wrapper);
  s.after(50).release(outer, wrapper).after(2).inFrame(2).release(primitive, inner);

  ASSERT_EQ(s.tables.sections.size(), 1u);
  const Section &section = s.section(0);
  EXPECT_EQ(section.key.site, outer);
  EXPECT_EQ(section.key.lockClass, 4u);
  EXPECT_EQ(section.contended, 1u);
  EXPECT_DOUBLE_EQ(section.wait.moments().mean, 26);
  EXPECT_DOUBLE_EQ(section.hold.moments().mean, 50);
  EXPECT_EQ(s.lockAddresses(), std::vector<std::uint64_t>{inner});
  EXPECT_EQ(s.tables.lockClassKinds[4], LockKind::pthreadMutex);
  EXPECT_EQ(s.tables.sites[outer].executed, 1u);
  EXPECT_EQ(s.tables.sites[primitive].executed, 0u);
  EXPECT_EQ(s.tables.sites[primitive].inside, 1u);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayNesting, AWrapperThatHidesAnArrayShowsItsInstances) {
  Stream s;
  const auto outer = s.site(LockKind::unknown), primitive = s.site();
  for (std::uint64_t i = 0; i < 4; ++i) {
    s.attempt(outer, wrapper).take(primitive, inner + 40 * i).acquire(outer, wrapper);
    s.after(10).release(outer, wrapper).release(primitive, inner + 40 * i).after(10);
  }
  EXPECT_EQ(s.tables.sections.size(), 1u);
  EXPECT_EQ(s.tables.locks.size(), 4u);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayNesting, APrimitiveGivenBackInsideIsNotTheLock) {
  // A monitor: its own mutex only guards the flag that is the lock.
  Stream s;
  const auto outer = s.site(LockKind::unknown), primitive = s.site();
  s.attempt(outer, wrapper).take(primitive, inner).release(primitive, inner);
  s.acquire(outer, wrapper).after(10).release(outer, wrapper);
  EXPECT_EQ(s.lockAddresses(), std::vector<std::uint64_t>{wrapper});
}

TEST(ReplayNesting, ALaterReleaseOfThePrimitiveItselfIsNotSwallowed) {
  Stream s;
  const auto outer = s.site(LockKind::unknown), primitive = s.site();
  s.attempt(outer, wrapper).take(primitive, inner).acquire(outer, wrapper);
  s.after(5).release(outer, wrapper); // its inner release has no hook
  s.take(primitive, inner).after(25).release(primitive, inner);
  EXPECT_EQ(s.replay.heldCount(), 0u);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 25);
}

TEST(ReplayNesting, ARecursiveWrapperCountsOnce) {
  Stream s;
  const auto outer = s.site(LockKind::unknown), primitive = s.site();
  s.attempt(outer, wrapper).take(primitive, inner).acquire(outer, wrapper).after(10);
  s.attempt(outer, wrapper).attempt(primitive, inner, eventMine).acquire(primitive, inner);
  s.acquire(outer, wrapper).after(10);
  s.release(outer, wrapper).release(primitive, inner).after(10);
  EXPECT_EQ(s.replay.heldCount(), 1u);
  s.release(outer, wrapper).release(primitive, inner);
  EXPECT_EQ(s.replay.heldCount(), 0u);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(0).hold.moments().mean, 30);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayNesting, AFailedWrapperTryLeavesNothingBehind) {
  Stream s;
  const auto outer = s.site(LockKind::unknown, 0, siteTry), primitive = s.site();
  s.attempt(outer, wrapper).take(primitive, inner).release(primitive, inner);
  s.event(Instant::fail, outer, wrapper);
  EXPECT_EQ(s.replay.heldCount(), 0u);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
  EXPECT_EQ(s.section(0).acquisitions, 0u);
  EXPECT_EQ(s.tables.unmatched, 0u);
}

TEST(ReplayNesting, OneOperationThatTakesTwoLocksCountsTwo) {
  Stream s;
  const auto scoped = s.site();
  s.attempt(scoped, lockA).attempt(scoped, lockB).after(10);
  s.acquire(scoped, lockA).acquire(scoped, lockB).after(30);
  s.release(scoped, lockA).release(scoped, lockB);
  EXPECT_EQ(s.tables.locks.size(), 2u);
  std::uint64_t acquisitions = 0;
  double waited = 0;
  for (std::uint32_t i = 0; i < s.tables.sections.size(); ++i) {
    acquisitions += s.section(i).acquisitions;
    waited += s.section(i).wait.origin * static_cast<double>(s.section(i).wait.count) +
              s.section(i).wait.sum;
  }
  EXPECT_EQ(acquisitions, 2u);
  EXPECT_DOUBLE_EQ(waited, 10) << "waiting together is waited for once";
  EXPECT_EQ(s.replay.heldCount(), 0u);
}

TEST(ReplayNesting, TwoWrappersTakenTogetherKeepTheirOwnPrimitives) {
  Stream s;
  const auto scoped = s.site(LockKind::unknown), primitive = s.site();
  s.inFrame(1).attempt(scoped, lockA).attempt(scoped, lockC);
  s.inFrame(2).take(primitive, lockA + 8).take(primitive, lockC + 8);
  s.inFrame(1).acquire(scoped, lockA).acquire(scoped, lockC);
  EXPECT_EQ(s.lockAddresses(), (std::vector<std::uint64_t>{lockA + 8, lockC + 8}));
}

TEST(ReplayNesting, WhatAWaitDoesInsideBelongsToIt) {
  // condition_variable_any unlocks and locks through the lock's own functions.
  Stream s;
  const auto at = s.site(), wait = s.site(LockKind::pthreadMutex, 0, 0, SiteRole::wait);
  s.inFrame(1).take(at, lockA).after(30).event(Instant::wait, wait, lockA).inFrame(2);
  s.release(at, lockA).after(5000).take(at, lockA).inFrame(1);
  s.event(Instant::wake, wait, lockA).after(20).release(at, lockA);
  ASSERT_EQ(s.tables.sections.size(), 2u);
  EXPECT_EQ(s.section(0).acquisitions, 1u);
  EXPECT_EQ(s.section(1).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(s.section(1).hold.moments().mean, 20);
  EXPECT_EQ(s.replay.heldCount(), 0u);
}

} // namespace
