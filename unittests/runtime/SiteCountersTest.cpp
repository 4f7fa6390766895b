// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tables/site_counters.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Counters of one thread, of class 7, and the tables that they are added to.
class SiteCountersTest : public testing::Test {
protected:
  void attempt(std::uint32_t site, std::uint32_t found = 0) {
    counters.counters()[site].count(packEvent(site, Instant::attempt, found));
  }
  void fail(std::uint32_t site) { counters.counters()[site].count(packEvent(site, Instant::fail)); }
  void add() {
    counters.addTo(s.tables, 7, s.context.sites, static_cast<std::uint32_t>(s.traits.size()));
  }

  Stream s;
  SiteCounters counters;
};

TEST_F(SiteCountersTest, AddsWhatCameSinceTheLastTime) {
  const auto unused = s.site(), used = s.site(LockKind::pthreadRwlock, 3, siteShared);
  add(); // before anything was counted
  for (int i = 0; i < 5; ++i)
    attempt(used);
  attempt(used, eventTaken | eventByWriter);
  attempt(used, eventTaken);
  attempt(used, eventMine);
  add();
  add();
  ASSERT_EQ(s.tables.sections.size(), 1u);
  const Section &section = s.section(0);
  EXPECT_EQ(section.key,
            (SectionKey{7, used, 3, format::none, std::uint32_t{format::sectionShared}}));
  EXPECT_EQ(section.acquisitions, 8u);
  EXPECT_EQ(section.contended, 2u);
  EXPECT_EQ(section.contendedByWriter, 1u);
  EXPECT_EQ(s.tables.site(used)->executed, 8u);
  EXPECT_EQ(s.tables.site(unused)->executed, 0u);
  EXPECT_EQ(s.tables.lockClassKinds[3], LockKind::pthreadRwlock);
  attempt(used);
  add();
  EXPECT_EQ(section.acquisitions, 9u);
  EXPECT_EQ(s.tables.events, 9u);
}

TEST_F(SiteCountersTest, FailedAttemptsAreNeitherAcquisitionsNorContention) {
  const auto site = s.site(LockKind::pthreadMutex, 0, siteTry);
  attempt(site);
  for (int i = 0; i < 3; ++i) {
    attempt(site, eventTaken);
    fail(site);
  }
  attempt(site, eventTaken); // given back in time
  add();
  const Section &section = s.section(0);
  EXPECT_EQ(section.acquisitions, 2u);
  EXPECT_EQ(section.contended, 1u);
  EXPECT_EQ(section.tryFailures, 3u);
  EXPECT_EQ(s.tables.site(site)->tryFailures, 3u);
}

TEST_F(SiteCountersTest, AnAttemptThatFailsAfterItWasAddedIsMadeGood) {
  const auto site = s.site(LockKind::pthreadMutex, 0, siteTimed);
  attempt(site, eventTaken);
  add(); // still waiting
  fail(site);
  add();
  attempt(site);
  attempt(site);
  add();
  EXPECT_EQ(s.section(0).acquisitions, 2u);
  EXPECT_EQ(s.section(0).tryFailures, 1u);
}

TEST_F(SiteCountersTest, WhatIsSkippedIsForgotten) {
  const auto site = s.site();
  attempt(site);
  counters.skip(1);
  attempt(site);
  add();
  EXPECT_EQ(s.section(0).acquisitions, 1u);
}

TEST_F(SiteCountersTest, SectionsBeyondTheLimitFallIntoTheOtherBucket) {
  Stream few(Limits{1, 100});
  for (std::uint32_t i = 0; i < 3; ++i)
    attempt(few.site(LockKind::pthreadMutex, i));
  counters.addTo(few.tables, 0, few.context.sites, 3);
  ASSERT_EQ(few.tables.sections.size(), 2u);
  EXPECT_EQ(few.section(1).acquisitions, 2u);
  EXPECT_EQ(few.tables.otherSections, 2u);
}

} // namespace
