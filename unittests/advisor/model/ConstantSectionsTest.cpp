// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex whose sections take the same time each time, against the virtual multicore
// (docs/theory/mutex.md).
#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iterator>

namespace qdadvise {

namespace {

TEST(ConstantSections, OfAMutexAreAsSimulated) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine);
  const std::vector<LockKind> kinds{LockKind::pthreadMutex};
  const struct {
    double holdNs, localNs;
    int threads;
  } cases[] = {{100, 30, 8},    {100, 30, 16},    {100, 30, 32},  {60, 6, 32},
               {300, 300, 2},   {300, 300, 16},   {1000, 300, 8}, {1000, 3000, 32},
               {4000, 1200, 4}, {4000, 40'000, 8}};
  double sum = 0;
  for (const auto &[holdNs, localNs, threads] : cases) {
    const Network network = test::networkOf({{1, holdNs, 0}}, localNs);
    const auto predicted = predict(network, kinds, *machine, threads);
    const auto simulated = sim::simulate(network, kinds, *machine, threads, {.precision = 0.03});
    ASSERT_TRUE(predicted && simulated);
    const double error =
        std::abs(predicted->throughputPerS / simulated->figures.throughputPerS - 1);
    EXPECT_LE(error, 0.2) << holdNs << " " << localNs << " " << threads;
    sum += error;
  }
  EXPECT_LE(sum / std::size(cases), 0.08);
}

} // namespace

} // namespace qdadvise
