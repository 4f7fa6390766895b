// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals that hold what they promise, also for samples that depend on each other.
#include "advisor/sim/Estimates.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise::sim {

namespace {

enum : std::size_t { value, count };

/// `samples` of an autoregressive sequence around `mean`, as batch means.
BatchMeans sequence(double mean, double memory, int samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 1);
  BatchMeans means(2);
  double deviation = noise(random);
  for (int i = 0; i < samples; ++i) {
    deviation = memory * deviation + std::sqrt(1 - memory * memory) * noise(random);
    means.add(value, mean + deviation);
    means.add(count, 1);
    if (means.complete() == BatchMeans::Progress::full)
      means.merge();
  }
  return means;
}

TEST(BatchMeans, CoversTheMeanAsOftenAsItSays) {
  for (const double memory : {0.0, 0.9, 0.99}) {
    int inside = 0;
    double width = 0;
    constexpr int runs = 200;
    for (int run = 0; run < runs; ++run) {
      const Estimate estimate =
          sequence(10, memory, 20'000, 1000 + static_cast<std::uint64_t>(run)).ratio(value, count);
      inside += std::abs(estimate.value - 10) <= estimate.halfWidth;
      width += estimate.halfWidth / runs;
    }
    // 95 % and up, less the noise of 200 runs; not much wider than it has to be.
    EXPECT_GE(inside, 0.92 * runs) << memory;
    const double needed = 1.96 * std::sqrt((1 + memory) / (1 - memory) / (0.8 * 20'000));
    EXPECT_LT(width, 1.35 * needed) << memory;
  }
}

TEST(BatchMeans, LeavesOutTheBeginning) {
  BatchMeans means(2, 10);
  for (int i = 0; i < 1000; ++i) {
    means.add(value, i < 190 ? 1000 : 3);
    means.add(count, 1);
    means.complete();
  }
  EXPECT_EQ(means.ratio(value, count).value, 3);
  EXPECT_EQ(means.ratio(value, count).halfWidth, 0);
  EXPECT_EQ(means.counted(), 80u);
}

TEST(BatchMeans, MergesNeighbours) {
  BatchMeans means(1, 1);
  int full = 0;
  for (int i = 0; i < 128 + 2 * 64; ++i) {
    means.add(value, 1);
    if (means.complete() == BatchMeans::Progress::full) {
      ++full;
      means.merge();
    }
  }
  EXPECT_EQ(full, 2);
  EXPECT_EQ(means.completions(), 256u);
  EXPECT_EQ(means.counted(), 52u); // of 64 batches of four
}

TEST(BatchMeans, HasNothingToSayOfWhatNeverHappened) {
  BatchMeans means(2);
  EXPECT_EQ(means.ratio(value, count).value, 0);
  EXPECT_EQ(means.ratio(value, count).halfWidth, 0);
}

} // namespace

} // namespace qdadvise::sim
