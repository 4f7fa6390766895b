// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models of the locks that sleep against the virtual multicore, up to more threads than
// unittests/advisor/model can afford to follow, and with cache lines that take time to move.
// The tolerances are the errors stated in docs/theory.md with room for other seeds.
#include "RandomNetworks.h"
#include "advisor/model/Prediction.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

using namespace test;

TEST(SleepingLocks, MutexOfManyThreads) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  double sum = 0;
  int count = 0;
  for (const double hold : {250.0, 1500.0, 9000.0})
    for (const double local : {0.5, 10.0})
      for (const int threads : {4, 12, 32}) {
        const Network network = networkOf({{hold, 1}}, {1}, {local * hold, 1});
        const auto truth =
            simulate(network, {"pthread_mutex"}, *machine, threads, {.precision = 0.03});
        ASSERT_TRUE(truth) << truth.error().message;
        const auto at = predict(network, {"pthread_mutex"}, *machine, threads);
        ASSERT_TRUE(at) << at.error().message;
        const double error = std::abs(at->throughputPerS / truth->figures.throughputPerS - 1);
        EXPECT_LT(error, 0.35) << hold << " " << local << " " << threads;
        sum += error;
        ++count;
      }
  EXPECT_LT(sum / count, 0.10);
}

} // namespace

} // namespace qdadvise::sim
