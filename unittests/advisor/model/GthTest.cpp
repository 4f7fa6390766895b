// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stationary vectors that are known in closed form.
#include "advisor/model/numeric/Gth.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

/// A queue with room for `states` - 1 threads: they come at rate 1 and leave at rate 2.
Matrix queueOf(std::size_t states) {
  Matrix chain(states, std::vector<double>(states, 0));
  for (std::size_t i = 0; i + 1 < states; ++i) {
    chain[i][i + 1] = 1;
    chain[i + 1][i] = 2;
  }
  return chain;
}

TEST(Gth, FindsTheStationaryVector) {
  const std::vector<double> found = stationary(queueOf(5), {0, 1, 2, 3, 4});
  const double all = 2 - std::ldexp(1, -4);
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i] * all * std::ldexp(1, static_cast<int>(i)), 1, 1e-15) << i;
}

TEST(Gth, FindsTheStationaryVectorOfSomeStates) {
  // State 0 leads into the other two, and nothing back.
  const Matrix chain{{0, 0.5, 0.5}, {0, 0, 1}, {0, 3, 0}};
  const std::vector<double> found = stationary(chain, {1, 2});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_DOUBLE_EQ(found[0], 0.75);
  EXPECT_DOUBLE_EQ(found[1], 0.25);
}

TEST(Gth, FindsMultiplesOfTheFirstState) {
  const std::vector<double> found = stationaryMultiples(queueOf(5));
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_DOUBLE_EQ(found[i], std::ldexp(1, -static_cast<int>(i))) << i;
}

TEST(Gth, LosesNoDigitsToRatesOfAllSizes) {
  // A tiny rate beside a large one: subtraction would cancel it.
  const Matrix chain{{0, 1e-200}, {1e200, 0}};
  const std::vector<double> found = stationary(chain, {0, 1});
  EXPECT_DOUBLE_EQ(found[0], 1);
  EXPECT_EQ(stationaryMultiples(chain)[1], found[1]);
}

} // namespace

} // namespace qdadvise
