// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/Container.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

TEST(Checksum, OfWhatFollowsTheHeaderIsThePublishedCheckValue) {
  const std::string header(sizeof(format::FileHeader), 'h');
  EXPECT_EQ(checksumOf(header + "123456789"), 0xCBF43926u);
  EXPECT_EQ(checksumOf(header), 0u);
  EXPECT_EQ(checksumOf(header + "The quick brown fox jumps over the lazy dog"), 0x414FA339u);
}

TEST(Moments, MergeIsTheSampleTakenTogether) {
  Moments left = momentsOf({1, 2, 3, 10});
  left.merge(momentsOf({5, 100}));
  const double mean = 121.0 / 6;
  double squares = 0;
  for (const double value : {1, 2, 3, 10, 5, 100})
    squares += (value - mean) * (value - mean);
  EXPECT_EQ(left.count, 6u);
  EXPECT_NEAR(left.mean, mean, 1e-12);
  EXPECT_NEAR(left.variance(), squares / 6, 1e-9);
  EXPECT_EQ(left.min, 1);
  EXPECT_EQ(left.max, 100);
}

TEST(Moments, MergeWithNothingChangesNothing) {
  Moments left = momentsOf({4, 6});
  left.merge(Moments());
  EXPECT_EQ(left.mean, 5);
  Moments empty;
  empty.merge(left);
  EXPECT_EQ(empty.mean, 5);
  EXPECT_EQ(empty.min, 4);
}

TEST(Moments, MergeLosesNothingToCancellation) {
  // A thousand runs of times around a minute that differ by nanoseconds.
  std::vector<double> values;
  Moments all;
  for (int i = 0; i < 1000; ++i) {
    all.merge(momentsOf({6e10 + i % 7, 6e10 + i % 11}));
    values.push_back(i % 7);
    values.push_back(i % 11);
  }
  double mean = 0, squares = 0;
  for (const double value : values)
    mean += value / 2000;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  EXPECT_EQ(all.count, 2000u);
  EXPECT_DOUBLE_EQ(all.mean, 6e10 + mean);
  EXPECT_NEAR(all.m2, squares, 1e-6 * squares);
}

TEST(Histogram, BucketsAreThoseOfTheFormat) {
  EXPECT_EQ(Histogram::lowerBound(0), 0);
  EXPECT_EQ(Histogram::lowerBound(31), 31);
  EXPECT_EQ(Histogram::lowerBound(32), 32);
  EXPECT_EQ(Histogram::lowerBound(33), 33);
  EXPECT_EQ(Histogram::lowerBound(64), 64);
  EXPECT_EQ(Histogram::lowerBound(65), 66);
  EXPECT_EQ(Histogram::lowerBound(96), 128);
}

TEST(Histogram, BucketsAreAtMostFivePercentWide) {
  for (std::uint32_t bucket = 32; bucket < 1000; ++bucket) {
    const double low = Histogram::lowerBound(bucket);
    EXPECT_LE(Histogram::lowerBound(bucket + 1) - low, 0.05 * low) << "bucket " << bucket;
  }
}

TEST(Histogram, QuantilesOfAUniformSampleAreInterpolated) {
  constexpr int end = 3 << 13; // where a bucket ends, so that all are full
  Histogram histogram;
  for (int value = 0; value < end; ++value)
    addToHistogram(histogram, value + 0.5, 1);
  for (const double p : {0.01, 0.25, 0.5, 0.9, 0.99})
    EXPECT_NEAR(histogram.quantile(p), end * p, 1e-6) << "p = " << p;
  EXPECT_EQ(histogram.quantile(0), 0);
}

TEST(Histogram, SkewnessIsThatOfTheSample) {
  // Two values: (1 - 2p) / sqrt(p (1 - p)), p being the share of the greater one.
  Histogram histogram;
  addToHistogram(histogram, 64, 90);
  EXPECT_FALSE(histogram.skewness());
  addToHistogram(histogram, 64000, 10);
  ASSERT_TRUE(histogram.skewness());
  EXPECT_NEAR(*histogram.skewness(), 0.8 / 0.3, 1e-12);
}

TEST(Histogram, QuantileWithinOneBucketGoesFromItsBeginToItsEnd) {
  Histogram histogram;
  addToHistogram(histogram, 64, 10);
  EXPECT_EQ(histogram.quantile(0.5), 65);
  EXPECT_EQ(histogram.quantile(1), 66);
  EXPECT_EQ(Histogram().quantile(0.5), 0);
}
