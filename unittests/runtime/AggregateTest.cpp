// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits, windows, and the sum of several recorders.
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <random>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

TEST(Limits, LocksBeyondTheLimitShareOneRecordAClass) {
  Stream s(Limits{100, 3});
  const auto at = s.site();
  for (std::uint64_t i = 1; i <= 10; ++i)
    s.take(at, 64 * i).after(5).release(at, 64 * i);
  ASSERT_EQ(s.tables.locks.size(), 4u);
  const Lock *const rest = s.tables.locks.find(0, 0);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->acquisitions, 7u);
  EXPECT_DOUBLE_EQ(rest->heldNs, 35);
  EXPECT_EQ(s.tables.otherLocks, 7u);
}

TEST(Locks, RecordsOfThoseThatAreNoMoreServeOthers) {
  Stream s;
  std::uint64_t closed = 0, acquisitions = 0;
  const auto at = s.site();
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    s.take(at, 64 * i).after(5).release(at, 64 * i);
    s.tables.closeLock(64 * i, [&](std::uint32_t, const LockTraffic &traffic) {
      ++closed;
      acquisitions += traffic.acquisitions;
    });
    s.tables.closeLock(64 * i, [&](std::uint32_t, const LockTraffic &) { ++closed; });
  }
  EXPECT_EQ(closed, 10'000u);
  EXPECT_EQ(acquisitions, 10'000u);
  EXPECT_EQ(s.tables.locks.size(), 0u);
  EXPECT_EQ(s.tables.otherLocks, 0u);
}

TEST(Limits, SectionsBeyondTheLimitFallIntoTheOtherBucket) {
  Stream s(Limits{2, 100});
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto at = s.site(LockKind::pthreadMutex, i);
    s.take(at, 64 + i).after(5).release(at, 64 + i);
  }
  ASSERT_EQ(s.tables.sections.size(), 3u);
  EXPECT_EQ(s.section(2).key.flags, format::sectionOther);
  EXPECT_EQ(s.section(2).acquisitions, 3u);
  EXPECT_EQ(s.tables.otherSections, 3u);
}

TEST(Limits, OutOfMemoryDropsAndCounts) {
  Arena tiny(1);
  Tables tables(tiny, {});
  SiteTraits traits{SiteRole::acquire, LockKind::pthreadMutex, 0, 0};
  ReplayContext context;
  context.sites = &traits;
  Replay replay(tables, context);
  replay.begin(0, 1, 0);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Event events[] = {{i * 10, 8, packEvent(0, Instant::attempt), 0},
                            {i * 10 + 1, 8, packEvent(0, Instant::acquire), 0},
                            {i * 10 + 2, 8, packEvent(0, Instant::release), 0}};
    replay.run(events, 3);
  }
  replay.end(2000);
  EXPECT_EQ(tables.events, 300u);
  EXPECT_GE(tables.dropped, 100u);
}

/// Of times that spread as those of programs do: a factor of 2.2 about their median is usual.
TEST(Memory, IsFourKilobytesASectionAndHalfOneATransition) {
  constexpr std::uint32_t sections = 500, transitionsEach = 8;
  constexpr int times = 5000;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> ns(6, 0.8);
  Arena arena;
  Tables tables(arena, {});
  for (std::uint32_t s = 0; s < sections; ++s)
    for (int i = 0; i < times; ++i) {
      Section &section = tables.sections[tables.section({0, s, 0, format::none, 0})];
      tables.addHold(section, ns(random));
      tables.addWait(section, 20 + ns(random) / 50, i % 10 == 0, false);
    }
  const std::size_t before = arena.bytes();
  EXPECT_LE(before, sections * 4096u);
  for (std::uint32_t s = 0; s < sections; ++s)
    for (int i = 0; i < times; ++i) {
      const std::uint32_t to = (s + static_cast<std::uint32_t>(i) % transitionsEach) % sections;
      tables.addLocal(tables.transitions[tables.transition({0, s, to})], ns(random), 0);
    }
  EXPECT_LE(arena.bytes() - before, sections * transitionsEach * 512u);
  EXPECT_EQ(tables.dropped, 0u);
}

TEST(Windows, AreAtMostSixteenAndCoverTheRun) {
  Stream s;
  const auto at = s.site();
  constexpr std::uint64_t rounds = 5000;
  for (std::uint64_t i = 0; i < rounds; ++i)
    s.take(at, 64).after(1000).release(at, 64).after(9000);
  std::uint64_t acquisitions = 0;
  double hold = 0;
  double local = 0;
  unsigned used = 0;
  for (unsigned w = 0; w < windowCount; ++w) {
    acquisitions += s.section(0).windows[w].acquisitions;
    hold += s.section(0).windows[w].holdNs;
    local += s.tables.threadClasses[0].windows[w].localNs;
    used += s.section(0).windows[w].acquisitions != 0;
    EXPECT_LE(s.tables.threadClasses[0].windows[w].active, 1u) << "one thread, however merged";
  }
  EXPECT_EQ(acquisitions, rounds);
  EXPECT_DOUBLE_EQ(hold, 1000.0 * rounds);
  EXPECT_DOUBLE_EQ(local, 9000.0 * (rounds - 1));
  EXPECT_GT(used, windowCount / 2);
  EXPECT_EQ((s.now - 1000) >> s.tables.windowShift >> 4, 0u);
}

TEST(Windows, ThreadsThatFollowOneAnotherAreCountedOnce) {
  ThreadWindow first{}, second{};
  first.note(1);
  first.note(2);
  second.note(2);
  second.note(3);
  first.absorb(second);
  EXPECT_EQ(first.active, 3u);
  ThreadWindow empty{};
  empty.absorb(first);
  EXPECT_EQ(empty.active, 3u);
}

TEST(Merge, AddsRecordersWhateverTheOrderOfTheirSections) {
  Stream one, two;
  for (Stream *s : {&one, &two}) {
    s->site(LockKind::pthreadMutex, 0);
    s->site(LockKind::pthreadMutex, 1);
  }
  one.take(0, 64).after(10).take(1, 128).after(5).release(1, 128).release(0, 64);
  two.take(1, 128).after(7).release(1, 128);
  two.take(0, 64).after(30).take(1, 128).after(15).release(1, 128).release(0, 64);

  Arena arena;
  Tables total(arena, {});
  total.merge(one.tables);
  total.merge(two.tables);
  ASSERT_EQ(total.sections.size(), 3u);
  EXPECT_EQ(total.sections[0].acquisitions, 2u);
  EXPECT_DOUBLE_EQ(total.sections[0].hold.moments().mean, 20);
  EXPECT_EQ(total.sections[1].key.inside, 0u);
  EXPECT_DOUBLE_EQ(total.sections[1].hold.moments().mean, 10);
  EXPECT_EQ(total.sections[2].key.inside, format::none);
  ASSERT_EQ(total.locks.size(), 2u);
  ASSERT_TRUE(total.locks.find(128, 1));
  EXPECT_EQ(total.locks.find(128, 1)->acquisitions, 3u);
  EXPECT_EQ(total.events, one.tables.events + two.tables.events);
}

TEST(Merge, BringsWindowsToOneLength) {
  Stream brief, lengthy;
  brief.site();
  lengthy.site();
  brief.take(0, 64).release(0, 64);
  for (int i = 0; i < 100; ++i)
    lengthy.take(0, 64).after(1u << 20).release(0, 64);
  Arena arena;
  Tables total(arena, {});
  total.merge(brief.tables);
  total.merge(lengthy.tables);
  EXPECT_EQ(total.windowShift, lengthy.tables.windowShift);
  std::uint64_t acquisitions = 0;
  for (const SectionWindow &window : total.sections[0].windows)
    acquisitions += window.acquisitions;
  EXPECT_EQ(acquisitions, 101u);
  EXPECT_EQ(total.threadClasses[0].windows[0].active, 2u);
}

} // namespace
