// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Root finding: known roots of increasing functions, flat and steep.
#include "advisor/model/numeric/Bracket.h"
#include "advisor/model/numeric/FollowedRoot.h"
#include "advisor/model/numeric/Ridders.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

TEST(Bracket, FindsARootInFewSteps) {
  for (const double power : {0.3, 1.0, 3.0, 9.0}) {
    const auto error = [power](double x) { return std::pow(x, power) - 2; };
    Bracket root{1e-3, error(1e-3), 1e3, error(1e3)};
    int steps = 0;
    double at = root.low;
    for (; steps < 200 && root.isWide(); ++steps) {
      at = root.next();
      const double off = error(at);
      if (std::abs(off) <= 1e-12)
        break;
      root.narrow(at, off);
    }
    EXPECT_LT(steps, 100) << power;
    EXPECT_NEAR(at / std::pow(2, 1 / power), 1, 1e-8) << power;
  }
}

TEST(Bracket, IsWideRelativeToItsUpperEnd) {
  EXPECT_TRUE((Bracket{1, -1, 1 + 1e-8, 1}.isWide()));
  EXPECT_FALSE((Bracket{1, -1, 1 + 1e-10, 1}.isWide()));
}

TEST(Ridders, FindsARootOnEitherSideOfTheStart) {
  for (const double root : {-300.0, -1.0, 0.0, 0.5, 40.0})
    for (const double slope : {1e-3, 1.0, 20.0}) {
      const auto error = [=](double x) { return std::expm1(slope * (x - root) / 100); };
      EXPECT_NEAR(riddersRoot(error, 0), root, 1e-9 / slope * 100) << root << " " << slope;
    }
}

TEST(Ridders, StopsAtAJump) {
  const auto error = [](double x) { return x < 2 ? -1.0 : 1.0; };
  EXPECT_NEAR(riddersRoot(error, 0), 2, 1e-10);
}

TEST(FollowedRoot, NeedsTwoCallsWhereTheRootMovesALittle) {
  FollowedRoot root(0, 0);
  int calls = 0;
  double moved = 0;
  const auto error = [&](double x) { return ++calls, std::expm1(3 * (x - 5 - moved)); };
  EXPECT_NEAR(root.follow(error), 5, 1e-9);
  EXPECT_NEAR(root.slope(), 3, 1e-3);
  for (int i = 1; i < 20; ++i) {
    moved += 1e-3 / i;
    calls = 0;
    EXPECT_NEAR(root.follow(error), 5 + moved, 1e-8) << i;
    EXPECT_LE(calls, 2) << i;
  }
}

/// The last call is where its caller takes other figures from.
TEST(FollowedRoot, EndsCloseToTheRoot) {
  double last = 0, moved = 0;
  const auto error = [&](double x) { return last = x - 5 - moved; };
  FollowedRoot root(0, 0);
  for (; moved < 3; moved += 0.7) {
    root.follow(error);
    EXPECT_NEAR(last, 0, 1e-5) << moved;
  }
}

/// Where the slope says nothing of the error farther away, it is looked for.
TEST(FollowedRoot, IsFoundBeyondAKink) {
  double moved = 0;
  const auto error = [&](double x) {
    return x < 5 ? 1e-3 * (x - 5) - moved : 300 * (x - 5) - moved;
  };
  FollowedRoot root(0, 0);
  root.follow(error);
  for (const double next : {1e-3, -0.01, 4.0, -1e-4, 0.0}) {
    moved = next;
    EXPECT_NEAR(root.follow(error), next > 0 ? 5 + next / 300 : 5 + next / 1e-3, 1e-5) << next;
  }
}

} // namespace

} // namespace qdadvise
