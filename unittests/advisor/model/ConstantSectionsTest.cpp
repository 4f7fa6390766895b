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
#include <string>

namespace qdadvise {

namespace {

class ConstantSections : public testing::TestWithParam<const char *> {};

TEST_P(ConstantSections, OfAMutexAreAsSimulated) {
  const auto machine = readMachine(std::string(QDADVISE_DESCRIPTIONS "/") + GetParam() + ".toml");
  ASSERT_TRUE(machine);
  const std::vector<LockKind> kinds{LockKind::pthreadMutex};
  double sum = 0, cases = 0;
  for (const double holdNs : {100, 300, 1000, 4000, 20'000})
    for (const double away : {0.3, 1.0, 3.0, 10.0, 30.0})
      for (const int threads : {2, 3, 4, 8, 16, 32}) {
        if (threads > machine->cores)
          continue;
        const Network network = test::networkOf({{1, holdNs, 0}}, away * holdNs);
        const auto predicted = predict(network, kinds, *machine, threads);
        const auto simulated =
            sim::simulate(network, kinds, *machine, threads, {.precision = 0.02});
        ASSERT_TRUE(predicted && simulated);
        const double error =
            std::abs(predicted->throughputPerS / simulated->figures.throughputPerS - 1);
        EXPECT_LE(error, 0.2) << holdNs << " " << away << " " << threads;
        sum += error;
        ++cases;
      }
  EXPECT_LE(sum / cases, 0.08);
}

INSTANTIATE_TEST_SUITE_P(Machines, ConstantSections,
                         testing::Values("two-socket-32-core", "sandy-bridge-4x8-core", "generic"));

} // namespace

} // namespace qdadvise
