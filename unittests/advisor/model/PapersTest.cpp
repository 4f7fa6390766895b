// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The papers' own models.
#include "Networks.h"
#include "advisor/model/Predict.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

Prediction solved(const Network &network, LockKind kind, int threads, const std::string &model) {
  const auto result = predict(network, std::vector<LockKind>(network.locks.size(), kind),
                              machineOf(64), threads, {0, model});
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

/// One lock of 500 ns and 1000 ns of local computation, LO 12, DO(1) 50, by hand.
TEST(Mascots2015, TwoThreadsByHand) {
  const double z = 1000, s = 500, own = s + 12, delegated = s + 50;
  // Neither class has more than one thread. Each finds the other as it is alone.
  const double helperFinds = delegated / (z + delegated);
  double k = 0;
  for (int round = 0; round < 200; ++round) {
    const double otherFinds = own / (z + own + k * s);
    const double residence = delegated * (1 + otherFinds);
    k = residence / (z + residence);
  }
  const double helper = own * (1 + helperFinds) + k * s; // time at the lock, helping included
  const double other = delegated * (1 + own / (z + own + k * s));
  const double rateOfHelper = 1 / (z + helper), rateOfOther = 1 / (z + other);
  const double wait =
      (rateOfHelper * helper + rateOfOther * other) / (rateOfHelper + rateOfOther) - s;

  const Prediction at = solved(networkOf({{1, s}}, z), LockKind::qd, 2, "mascots2015");
  EXPECT_EQ(at.model, "mascots2015");
  EXPECT_NEAR(at.locks[0].waitNs / wait, 1, 1e-8);
  EXPECT_NEAR(at.throughputPerS / (1e9 * (rateOfHelper + rateOfOther)), 1, 1e-8);
}

TEST(Mascots2015, AloneTheHelperPaysTheOverhead) {
  EXPECT_NEAR(solved(networkOf({{1, 500}}, 1000), LockKind::qd, 1, "mascots2015").locks[0].waitNs,
              12, 1e-9);
}

/// Section IV-C: waiting for the fixpoint's k grows with the threads and settles.
TEST(Mascots2015, ContentionGrowsWithTheThreads) {
  const Network network = networkOf({{0.6, 1000}, {0.4, 1000}}, 2000);
  double last = 0;
  for (const int threads : {1, 2, 4, 8, 16, 32, 64}) {
    const double wait = solved(network, LockKind::qd, threads, "mascots2015").locks[0].waitNs;
    EXPECT_GT(wait, last) << threads;
    last = wait;
  }
}

/// With few waiters it has too little contention, as the paper says itself: only one thread
/// ever pays the lock overhead.
TEST(Mascots2015, UnderestimatesLocksThatFewWaitFor) {
  Machine machine = machineOf(64);
  machine.kinds[LockKind::qd].figures["lock_overhead_ns"].value = 170;
  const Network network = networkOf({{0.1, 300}, {0.9, 300}}, 10'000);
  const auto theirs =
      predict(network, {LockKind::qd, LockKind::qd}, machine, 16, {0, "mascots2015"});
  const auto ours = predict(network, {LockKind::qd, LockKind::qd}, machine, 16);
  ASSERT_TRUE(theirs && ours);
  EXPECT_LT(theirs->locks[0].waitNs, 0.75 * ours->locks[0].waitNs);
}

TEST(Mcc2012, AddsTheOverheadToTheHoldingTime) {
  const Network network = networkOf({{0.5, 300}, {0.5, 500}}, 1000);
  const Network longer = networkOf({{0.5, 306}, {0.5, 506}}, 1000);
  const Prediction at = solved(network, LockKind::spinlock, 9, "mcc2012");
  const Prediction exact = solved(longer, LockKind::ideal, 9, "exact");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(at.locks[i].residenceNs / exact.locks[i].residenceNs, 1, 1e-12);
}

} // namespace

} // namespace qdadvise
