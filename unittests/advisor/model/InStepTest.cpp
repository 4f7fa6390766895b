// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads whose time between two sections is always the same.
#include "advisor/model/decomposition/InStep.h"

#include "Networks.h"
#include "advisor/model/Predict.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <queue>
#include <random>

namespace qdadvise {

namespace {

using namespace test;

double alone(double cv2, double awayCv2 = 0) {
  return relativeWaitsInStep({{300, cv2}}, {{{1}, 900, awayCv2}})[0];
}

/// An exponential lock in a closed network is a station of a product form, whatever the
/// distribution of the time away from it (Baskett, Chandy, Muntz and Palacios 1975).
TEST(InStep, MakesNoDifferenceWhereSectionsAreExponential) {
  EXPECT_DOUBLE_EQ(alone(1), 1);
  EXPECT_DOUBLE_EQ(alone(4), 1);
  const std::vector<WaysTo> ways(2, {{0.25, 0.25}, 900, 0});
  for (const double wait : relativeWaitsInStep({{300, 1}, {700, 1}}, ways))
    EXPECT_DOUBLE_EQ(wait, 1);
}

TEST(InStep, MakesNoDifferenceWhereTimesAwayVaryByASection) {
  EXPECT_DOUBLE_EQ(alone(0.1, 0.1), 1); // (0.9 + 0.1) 300^2 ns^2
  EXPECT_LT(alone(0.1, 0.09), 1);
}

/// One lock whose threads are away for exponential times is exact without.
TEST(InStep, MakesNoDifferenceWhereTimesAwayAreExponential) {
  EXPECT_DOUBLE_EQ(relativeWaitsInStep({{300, 0}}, {{{1}, 10, 1}})[0], 1);
}

TEST(InStep, KeepsThreadsApartThatNeverVary) {
  EXPECT_NEAR(alone(0), 0, 1e-8);
  double last = 0;
  for (const double cv2 : {0.01, 0.1, 0.3, 0.6, 0.9, 1.0}) {
    EXPECT_GT(alone(cv2), last) << cv2;
    last = alone(cv2);
  }
}

/// Two threads from two locks come at random.
TEST(InStep, IsOfPairsFromTheSameLock) {
  const std::vector<ServiceTime> even{{300, 0}, {300, 0}};
  EXPECT_NEAR(relativeWaitsInStep(even, {{{0.25, 0.25}}, {{0.25, 0.25}}})[0], 0.5, 1e-8);
  EXPECT_NEAR(relativeWaitsInStep(even, {{{1, 0}}, {{0, 1}}})[1], 0, 1e-8);
  EXPECT_DOUBLE_EQ(relativeWaitsInStep(even, {{{0, 0}}, {{0, 0}}})[0], 1);
}

/// Mean waits of first come, first served, by lock, where threads go to any lock and are away for
/// the same time each time.
std::vector<double> followed(const std::vector<TestLock> &locks, double localNs, int threads) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::size_t> any(0, locks.size() - 1);
  std::uniform_real_distribution<double> begin(0, localNs);
  std::priority_queue<double, std::vector<double>, std::greater<>> comes;
  for (int i = 0; i < threads; ++i)
    comes.push(begin(random));
  std::vector<double> freeNs(locks.size()), waitNs(locks.size()), visits(locks.size());
  constexpr int steps = 400'000;
  for (int step = 0; step < steps; ++step) {
    const double at = comes.top();
    comes.pop();
    const std::size_t lock = any(random);
    const double begins = std::max(at, freeNs[lock]), cv2 = locks[lock].cv * locks[lock].cv;
    freeNs[lock] =
        begins + (cv2 > 0
                      ? std::gamma_distribution<double>(1 / cv2, cv2 * locks[lock].holdNs)(random)
                      : locks[lock].holdNs);
    comes.push(freeNs[lock] + localNs);
    if (step >= steps / 10) {
      waitNs[lock] += begins - at;
      ++visits[lock];
    }
  }
  for (std::size_t i = 0; i < locks.size(); ++i)
    waitNs[i] /= visits[i];
  return waitNs;
}

/// Threads that come at random wait up to four times as long. Where sections differ, threads keep
/// their distance over several visits, and not over one alone: they are up to 40 % off.
TEST(InStep, MakesWaitsThoseOfThreadsThatAreFollowed) {
  struct {
    std::vector<TestLock> locks;
    double localNs;
    int threads;
    double tolerance;
  } const cases[] = {
      {{{1, 300, 0.3}}, 3000, 5, 0.2},
      {{{1, 300, 0.5}}, 3000, 5, 0.2},
      {{{1, 300, 0.5}}, 3000, 20, 0.2}, // too many for the lock
      {{{0.5, 300, 0}, {0.5, 200, 0.5}}, 2000, 8, 0.45},
      {{{1.0 / 3, 1170, 0.5}, {1.0 / 3, 450, 0}, {1.0 / 3, 850, 0.3}}, 10'500, 16, 0.3},
      {{{1.0 / 3, 200, 1}, {1.0 / 3, 200, 0}, {1.0 / 3, 200, 0.2}}, 1500, 7, 0.2},
  };
  for (const auto &[locks, localNs, threads, tolerance] : cases) {
    const Network network = networkOf(locks, localNs, 0);
    const std::vector<LockKind> kinds(locks.size(), LockKind::ideal);
    const auto result = predict(network, kinds, machineOf(64), threads, {0, "marie"});
    ASSERT_TRUE(result) << result.error().message;
    const std::vector<double> waitNs = followed(locks, localNs, threads);
    for (std::size_t i = 0; i < locks.size(); ++i) {
      EXPECT_NEAR(result->locks[i].waitNs / waitNs[i], 1, tolerance)
          << threads << " threads, " << i;
    }
  }
}

/// Threads that never vary wait only where they are too many.
TEST(InStep, LetsNobodyWaitWhoNeverVaries) {
  for (const int threads : {2, 6, 11, 12, 40}) {
    const auto result = predict(networkOf({{1, 300, 0}}, 3000, 0), {LockKind::ideal}, machineOf(64),
                                threads, {0, "marie"});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_NEAR(result->locks[0].waitNs, std::max(0.0, threads * 300.0 - 3300), 1) << threads;
  }
}

/// Half of the threads at each of two locks, in whichever order these stand.
TEST(InStep, TreatsLocksAlikeThatAreAlike) {
  for (const int threads : {3, 20, 40}) {
    Network network = networkOf({{0.5, 300, 0}, {0.5, 300, 0}}, 3000, 0);
    const auto waits = [&] {
      const auto result = predict(network, {LockKind::ideal, LockKind::ideal}, machineOf(64),
                                  threads, {0, "marie"});
      EXPECT_TRUE(result) << result.error().message;
      return std::pair(result->locks[0].waitNs, result->locks[1].waitNs);
    };
    const auto [first, second] = waits();
    EXPECT_NEAR(second / first, 1, 1e-6) << threads;
    if (threads == 40) // two locks serve a thread each 150 ns
      EXPECT_NEAR(first / (40 * 150 - 3300), 1, 0.05);
    // A little makes little difference.
    network.sections[1].hold.mean *= 1.001;
    const auto [shorter, longer] = waits();
    EXPECT_NEAR(longer / shorter, 1, 0.1) << threads;
  }
}

} // namespace

} // namespace qdadvise
