// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/verify/Verification.h"

#include <gtest/gtest.h>

using namespace qdadvise;

namespace {

VerifiedThreads runs(double before, double after) {
  VerifiedThreads threads;
  threads.threads = 2;
  threads.before.assign(6, before);
  threads.after.assign(6, after);
  return threads;
}

} // namespace

TEST(VerificationTest, lessTimeIsAGain) {
  EXPECT_EQ(gainOf(runs(3, 2), /*isRate=*/false).median, 1.5);
  EXPECT_EQ(gainOf(runs(3, 2), /*isRate=*/true).median, 2.0 / 3);
}

TEST(VerificationTest, theGainIsOfPairs) {
  // Both drift alike: each pair has the same ratio, though the times differ by an order.
  VerifiedThreads threads;
  threads.before = {1, 2, 4, 8, 16, 32};
  threads.after = {2, 4, 8, 16, 32, 64};
  const MedianInterval gain = gainOf(threads, false);
  EXPECT_EQ(gain.low, 0.5);
  EXPECT_EQ(gain.high, 0.5);
}

TEST(VerificationTest, aLossIsOneOfWhichTheIntervalIsSure) {
  EXPECT_TRUE(isLoss(MedianInterval{0.9, 0.8, 0.99}));
  EXPECT_FALSE(isLoss(MedianInterval{0.9, 0.8, 1}));
  Verification verification;
  verification.measured = {runs(2, 1), runs(1, 1)};
  EXPECT_FALSE(isLoss(verification));
  verification.measured.push_back(runs(1, 2));
  EXPECT_TRUE(isLoss(verification));
  verification.isRate = true; // now it is the first
  EXPECT_TRUE(isLoss(verification));
}

TEST(VerificationTest, intervalsThatMeetAgree) {
  const PredictedGain predicted{1.5, 1.2, 1.8};
  EXPECT_EQ(fitOf({1.3, 1.25, 1.35}, predicted), Fit::agrees);
  EXPECT_EQ(fitOf({1.1, 1.0, 1.2}, predicted), Fit::agrees);
  EXPECT_EQ(fitOf({1.1, 1.0, 1.19}, predicted), Fit::measuredLess);
  EXPECT_EQ(fitOf({1.9, 1.81, 2.0}, predicted), Fit::measuredMore);
}
