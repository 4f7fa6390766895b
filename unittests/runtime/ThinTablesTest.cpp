// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts and times as of fewer slices.
#include "runtime/tables/thin_tables.h"

#include "runtime/tables/lock_end_log.h"

#include <gtest/gtest.h>

using namespace qdadvise::runtime;

namespace {

TEST(Thinning, LeavesTheSumsPart) {
  for (const std::uint64_t sum : {0u, 1u, 3u, 4u, 11u, 12u, 1000u}) {
    Thinning thinning(3, sum);
    std::uint64_t left = 0;
    for (std::uint64_t i = 0; i < sum; ++i)
      left += thinning.of(1) + thinning.of(0);
    EXPECT_EQ(left, thinned(sum, 3)) << sum;
  }
  EXPECT_EQ(thinned(0, 3), 0u);
  EXPECT_EQ(thinned(1, 3), 1u) << "what was seen stays seen";
  EXPECT_EQ(thinned(11, 3), 1u);
  EXPECT_EQ(thinned(12, 3), 2u);
}

TEST(Thinning, KeepsMeanAndSpread) {
  Arena arena;
  Sample sample;
  Histogram<4> histogram;
  for (unsigned i = 0; i < 4000; ++i) {
    sample.add(i % 100);
    histogram.add(arena, i % 100);
  }
  const auto before = sample.moments();
  sample.thin(2);
  histogram.thin(2);
  const auto after = sample.moments();
  EXPECT_EQ(after.count, 1000u);
  EXPECT_DOUBLE_EQ(after.mean, before.mean);
  EXPECT_NEAR(after.m2, before.m2 / 4, 1e-6 * before.m2);
  std::uint64_t counted = 0;
  histogram.forEach([&](std::uint32_t, std::uint64_t times) { counted += times; });
  EXPECT_EQ(counted, 1000u);
}

/// What ran once is left with its part of the time, and its longest.
TEST(Thinning, LeavesOfAFewNoMoreTimeThanTheirPart) {
  Sample few;
  few.add(3000);
  few.add(5000);
  EXPECT_TRUE(few.thin(3));
  EXPECT_EQ(few.moments().count, 1u);
  EXPECT_DOUBLE_EQ(few.moments().mean, 1000);
  EXPECT_DOUBLE_EQ(few.moments().m2, 0);
  EXPECT_DOUBLE_EQ(few.moments().max, 5000);
  EXPECT_TRUE(few.thin(2));
  EXPECT_DOUBLE_EQ(few.moments().mean, 250);
  few.add(750);
  EXPECT_DOUBLE_EQ(few.moments().mean, 500);
  EXPECT_DOUBLE_EQ(few.moments().min, 250);
}

TEST(Thinning, LeavesTheSameInStepsAsAtOnce) {
  Sample atOnce, inSteps;
  for (Sample *const sample : {&atOnce, &inSteps})
    sample->add(6400);
  atOnce.thin(4);
  for (unsigned step = 0; step < 4; ++step)
    inSteps.thin(1);
  EXPECT_DOUBLE_EQ(atOnce.moments().mean, 400);
  EXPECT_DOUBLE_EQ(inSteps.moments().mean, 400);
}

TEST(Thinning, KeepsTheTimeOfARareSectionInProportion) {
  Arena arena;
  Tables tables(arena, Limits());
  const std::uint32_t rare = tables.section({0, 0, 0, qdadvise::format::none, 0});
  const std::uint32_t way = tables.transition({0, rare, rare});
  tables.sections[rare].acquisitions = 1;
  tables.addHold(tables.sections[rare], 6400);
  tables.addWait(tables.sections[rare], 0, false, false);
  tables.addLocal(tables.transitions[way], 64'000, 0);
  tables.transitions[way].barriers = 160;
  thin(tables, 4);
  EXPECT_EQ(tables.sections[rare].acquisitions, 1u);
  EXPECT_DOUBLE_EQ(tables.sections[rare].hold.moments().mean, 400);
  EXPECT_DOUBLE_EQ(tables.transitions[way].local.moments().mean, 4000);
  EXPECT_EQ(tables.transitions[way].barriers, 10u);
  unsigned buckets = 0;
  tables.sections[rare].holdHistogram.forEach([&](std::uint32_t bucket, std::uint64_t times) {
    EXPECT_EQ(bucket, bucketOf(400));
    EXPECT_EQ(times, 1u);
    ++buckets;
  });
  EXPECT_EQ(buckets, 1u);
  EXPECT_EQ(tables.dropped, 0u);
}

TEST(Thinning, OfMoreThanACellHolds) {
  Arena arena;
  Histogram<4> histogram;
  histogram.addToBucket(arena, 5, 3ull << 33);
  histogram.thin(1);
  histogram.forEach([](std::uint32_t, std::uint64_t times) { EXPECT_EQ(times, 3ull << 32); });
  histogram.thin(3);
  histogram.forEach([](std::uint32_t, std::uint64_t times) { EXPECT_EQ(times, 3ull << 29); });
}

TEST(Thinning, KeepsTheShareOfLocksThatAreTakenSeldom) {
  Arena arena;
  Tables tables(arena, Limits{});
  LockTable::Place place = 0;
  for (std::uint64_t lock = 1; lock <= 1000; ++lock)
    tables.lock(64 * lock, 0, place)->acquisitions = 2;
  thin(tables, 3);
  std::uint64_t left = 0;
  tables.locks.forEach([&](const Lock &lock) { left += lock.acquisitions; });
  EXPECT_EQ(left, 250u);
}

TEST(Thinning, OfLocksOfThePast) {
  LockEndLog &log = *LockEndLog::make();
  for (unsigned i = 0; i < 100; ++i) {
    ASSERT_TRUE(log.add(64, nullptr));
    log.give(i, 7, {40, 8, 400, 80}, nullptr);
  }
  log.thin(3);
  Arena arena;
  Distribution closed;
  ASSERT_TRUE(log.collect(arena, closed));
  ASSERT_EQ(closed.rows.size(), 1u);
  EXPECT_EQ(closed.rows[0].instances, 100u);
  EXPECT_EQ(closed.rows[0].bucket, 2u);
  EXPECT_EQ(closed.rows[0].traffic.acquisitions, 500u);
  EXPECT_EQ(closed.rows[0].traffic.contended, 100u);
  EXPECT_DOUBLE_EQ(closed.rows[0].traffic.heldNs, 5000);
  // Those that were taken less often than once in so many slices are fewer.
  Distribution fewer;
  ASSERT_TRUE(thin(closed, 5, arena, fewer));
  ASSERT_EQ(fewer.rows.size(), 1u);
  EXPECT_EQ(fewer.rows[0].bucket, 0u);
  EXPECT_EQ(fewer.rows[0].instances, fewer.rows[0].traffic.acquisitions);
  EXPECT_EQ(fewer.rows[0].traffic.acquisitions, 16u);
}

} // namespace
