// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Networks.h"
#include "advisor/model/Prediction.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using test::machineOf;
using test::networkOf;

/// Example 3.1 of the 2012 paper: 3 ms of local computation, locks of 1 and 2 ms
/// taken with probabilities 0.4 and 0.6. Waiting times in ms by exact MVA.
TEST(Exact, ReproducesExample31OfTheMutexPaper) {
  const Network network = networkOf({{0.4, 1e6}, {0.6, 2e6}}, 3e6);
  const double expected[][2] = {{0, 0},
                                {0.0869565217391304, 0.521739130434783},
                                {0.261073170731707, 2.14712195121951},
                                {0.468710454830305, 8.18319869386811},
                                {0.499970683153564, 24.0000929521565},
                                {0.499999999998038, 56.0000000000047},
                                {0.5, 120}};
  // An ideal lock has no overhead: the paper's own model is no other.
  for (const char *model : {"exact", "mcc2012"}) {
    const auto sweep = predictSweep(network, "ideal", machineOf(2), {1, 2, 4, 8, 16, 32, 64},
                                    {.cores = 0, .model = model});
    ASSERT_TRUE(sweep) << sweep.error().message;
    for (std::size_t i = 0; i < sweep->size(); ++i) {
      const Prediction &at = (*sweep)[i];
      EXPECT_EQ(at.model, model);
      for (std::size_t lock = 0; lock < 2; ++lock)
        EXPECT_NEAR(at.locks[lock].waitNs, 1e6 * expected[i][lock], 1e-9 * 1e6 * expected[i][lock])
            << at.threads << " threads, lock " << lock;
    }
  }
}

} // namespace

} // namespace qdadvise
