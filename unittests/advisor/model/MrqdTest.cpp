// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MRQD lock at the limits: only writers, only readers, hardly any thread. Many threads are
// followed in unittests/advisor/sim/SleepingLocksTest.cpp.
#include "Networks.h"
#include "advisor/model/Predict.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

double throughput(const Network &network, LockKind kind, int threads) {
  PredictOptions options;
  options.model = "recursion";
  const auto at = predict(network, {kind}, machineOf(64), threads, options);
  EXPECT_TRUE(at) << at.error().message;
  return at->throughputPerS;
}

/// The test machine has the same figures for both kinds.
TEST(Mrqd, WithoutReadersIsTheQdLock) {
  const Network network = networkOf({{1, 800, 0.5}}, 2000);
  for (const int threads : {1, 2, 7, 40})
    EXPECT_NEAR(throughput(network, LockKind::mrqd, threads) /
                    throughput(network, LockKind::qd, threads),
                1, 1e-12);
}

/// A machine on which moving a cache line takes no time.
TEST(Mrqd, ReadersAloneNeverWait) {
  Network network = networkOf({{1, 5000}}, 1000);
  network.sections[0].shared = true;
  for (const int threads : {1, 2, 8, 64})
    EXPECT_NEAR(throughput(network, LockKind::mrqd, threads), threads / 6012e-9, 1e-3);
}

TEST(Mrqd, MoreReadersCompleteMore) {
  for (const int threads : {2, 8, 32}) {
    double before = 0;
    for (const double share : {0.2, 0.6, 0.9, 0.99}) {
      Network network = networkOf({{share, 4000}, {1 - share, 4000}}, 1000);
      network.locks.pop_back();
      network.sections[1].lock = 0;
      network.sections[0].shared = true;
      const double now = throughput(network, LockKind::mrqd, threads);
      EXPECT_GT(now, before) << threads << " " << share;
      before = now;
    }
  }
}

} // namespace

} // namespace qdadvise
