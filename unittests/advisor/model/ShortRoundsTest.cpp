// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads whose rounds take about as long as a transfer of the lock's line, on a machine as it
// was measured, against the virtual multicore (docs/theory/mutex.md, (MX5) and (MX38)).
#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

class ShortRounds : public testing::TestWithParam<LockKind> {
protected:
  void SetUp() override {
    auto read = readMachine(QDADVISE_DESCRIPTIONS "/epyc-2-core.toml");
    ASSERT_TRUE(read) << read.error().message;
    machine = *read;
    // The measured figure is about the time from a failing attempt to its mark on the mutex. With
    // less than that, the thread often finds the mutex free then, which the model does not know.
    machine.line["kept_ns"].value = 4;
  }

  /// Predicted over simulated throughput.
  double ratio(double holdNs, double awayNs) const {
    const Network network = test::networkOf({{1, holdNs}}, awayNs);
    const auto predicted = predict(network, {GetParam()}, machine, 2);
    const auto simulated = sim::simulate(network, {GetParam()}, machine, 2, {.precision = 0.02});
    EXPECT_TRUE(predicted && simulated);
    return predicted && simulated ? predicted->throughputPerS / simulated->figures.throughputPerS
                                  : 0;
  }

  Machine machine;
};

} // namespace

TEST_P(ShortRounds, AreAsSimulated) {
  double sum = 0, cases = 0;
  for (const double holdNs : {5, 20, 50, 150})
    for (const double awayNs : {20, 80, 320, 1000}) {
      const double error = ratio(holdNs, awayNs) - 1;
      EXPECT_LE(std::abs(error), 0.25) << holdNs << " " << awayNs;
      sum += std::abs(error);
      ++cases;
    }
  EXPECT_LE(sum / cases, 0.08);
}

INSTANTIATE_TEST_SUITE_P(OfLocks, ShortRounds,
                         testing::Values(LockKind::pthreadMutex, LockKind::spinlock));

} // namespace qdadvise
