// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moments and buckets.
#include "runtime/base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

using namespace qdadvise::runtime;

namespace {

/// Where a bucket begins, by the words of profile_format.h.
double lowerEdge(std::uint32_t bucket) {
  if (bucket < 32)
    return bucket;
  const unsigned exponent = bucket / 32 + 4;
  return std::ldexp(1 + (bucket % 32) / 32.0, static_cast<int>(exponent));
}

TEST(Buckets, HoldWhatTheFormatSays) {
  for (unsigned exponent = 0; exponent < 44; ++exponent)
    for (const double offset : {-0.25, 0.0, 0.5, 1.0, 5.0, 31.0}) {
      const double ns = std::ldexp(1, static_cast<int>(exponent)) + offset;
      const std::uint32_t bucket = bucketOf(ns);
      EXPECT_GE(ns, lowerEdge(bucket)) << ns;
      EXPECT_LT(ns, lowerEdge(bucket + 1)) << ns;
    }
  EXPECT_EQ(bucketOf(0.0), 0u);
  EXPECT_EQ(bucketOf(-1.0), 0u);
}

TEST(Buckets, AreAtMostFivePercentWide) {
  for (std::uint32_t bucket = 32; bucket < 1280; ++bucket)
    EXPECT_LE(lowerEdge(bucket + 1) / lowerEdge(bucket), 1.05) << bucket;
}

using Fine = Histogram<qdadvise::format::bucketSubBits>;

TEST(Histogram, CountsAndMerges) {
  Arena arena;
  Fine a, b;
  a.add(arena, 3.7);
  a.add(arena, 1000);
  b.add(arena, 3.2);
  b.add(arena, 1e18); // beyond the last bucket
  ASSERT_TRUE(a.merge(arena, b));
  std::vector<std::pair<std::uint32_t, std::uint64_t>> found;
  a.forEach([&](std::uint32_t bucket, std::uint64_t count) { found.emplace_back(bucket, count); });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], (std::pair<std::uint32_t, std::uint64_t>{3, 2}));
  EXPECT_EQ(found[1], (std::pair<std::uint32_t, std::uint64_t>{bucketOf(1000.0), 1}));
  EXPECT_EQ(found[2].first, Fine::powers * Fine::bucketsPerPower - 1);
}

TEST(Histogram, CountsBeyondWhatACellHolds) {
  constexpr std::uint64_t full = std::uint64_t{1} << 32;
  Arena arena;
  Fine a, b;
  ASSERT_TRUE(a.addToBucket(arena, 7, full - 1));
  ASSERT_TRUE(a.add(arena, 7.5));
  ASSERT_TRUE(a.add(arena, 7.5));
  ASSERT_TRUE(b.addToBucket(arena, 7, 3 * full + 5));
  ASSERT_TRUE(b.addToBucket(arena, 8, full));
  ASSERT_TRUE(a.merge(arena, b));
  std::vector<std::pair<std::uint32_t, std::uint64_t>> found;
  a.forEach([&](std::uint32_t bucket, std::uint64_t count) { found.emplace_back(bucket, count); });
  EXPECT_EQ(found,
            (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{7, 4 * full + 6}, {8, full}}));
}

TEST(Histogram, WithWiderBucketsGivesTheMiddleOne) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> times(6, 2);
  Arena arena;
  Histogram<3> wide;
  std::map<std::uint32_t, std::uint64_t> expected;
  for (int i = 0; i < 10'000; ++i) {
    const double ns = times(random);
    ASSERT_TRUE(wide.add(arena, ns));
    ++expected[bucketOf(ns) / 4 * 4 + 2];
  }
  std::map<std::uint32_t, std::uint64_t> found;
  wide.forEach([&](std::uint32_t bucket, std::uint64_t count) { found[bucket] = count; });
  EXPECT_EQ(found, expected);
}

TEST(Histogram, SaysWhenThereIsNoMemory) {
  Arena arena(1); // not even one chunk
  Fine histogram;
  EXPECT_FALSE(histogram.add(arena, 5));
}

TEST(Sample, MergingIsAddingTogether) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> times(6, 1);
  Sample whole, left, right;
  for (int i = 0; i < 1000; ++i) {
    const double value = times(random);
    whole.add(value);
    (i < 300 ? left : right).add(value);
  }
  left.merge(right);
  const auto expected = whole.moments(), merged = left.moments();
  EXPECT_EQ(merged.count, expected.count);
  EXPECT_NEAR(merged.mean, expected.mean, expected.mean * 1e-12);
  EXPECT_NEAR(merged.m2, expected.m2, expected.m2 * 1e-9);
  EXPECT_DOUBLE_EQ(merged.min, expected.min);
  EXPECT_DOUBLE_EQ(merged.max, expected.max);
}

TEST(Sample, AgreesWithTheTextbook) {
  Sample sample;
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0})
    sample.add(value);
  EXPECT_DOUBLE_EQ(sample.moments().mean, 5);
  EXPECT_DOUBLE_EQ(sample.moments().m2, 32);
}

TEST(Sample, ZerosCanBeAddedLater) {
  Sample sample;
  sample.add(30);
  const auto moments = sample.withZeros(3).moments();
  EXPECT_EQ(moments.count, 3u);
  EXPECT_DOUBLE_EQ(moments.mean, 10);
  EXPECT_DOUBLE_EQ(moments.m2, 600);
  EXPECT_DOUBLE_EQ(moments.min, 0);
  EXPECT_EQ(Sample{}.withZeros(0).moments().count, 0u);
}

/// Mean and squared deviations the slow and careful way.
struct Welford {
  double count = 0;
  double mean = 0;
  double m2 = 0;

  void add(double value) {
    const double before = value - mean;
    mean += before / ++count;
    m2 += before * (value - mean);
  }
};

TEST(Sample, AgreesWithWelfordFarFromZero) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 3);
  Sample sample, parts[10];
  Welford expected;
  for (int i = 0; i < 1'000'000; ++i) {
    const double value = 1e9 + noise(random);
    sample.add(value);
    parts[i / 100'000].add(value);
    expected.add(value);
  }
  for (int i = 1; i < 10; ++i)
    parts[0].merge(parts[i]);
  for (const auto &moments : {sample.moments(), parts[0].moments()}) {
    EXPECT_EQ(moments.count, 1'000'000u);
    EXPECT_NEAR(moments.mean, expected.mean, 1e-5);
    EXPECT_NEAR(moments.m2, expected.m2, expected.m2 * 1e-6);
  }
}

} // namespace
