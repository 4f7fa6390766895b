// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods that go by normalising constants, against mean value analysis.
#include "advisor/model/decomposition/Convolution.h"
#include "Networks.h"
#include "advisor/model/Predict.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

using namespace test;

Prediction solved(const Network &network, LockKind kind, int threads, const std::string &model) {
  PredictOptions options;
  options.model = model;
  const auto result = predict(network, std::vector<LockKind>(network.locks.size(), kind),
                              machineOf(1 << 20), threads, options);
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

/// Locks from 1 ns to a thousand microseconds.
Network randomNetwork(std::mt19937_64 &random, std::size_t count) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<TestLock> locks(count);
  double sum = 0;
  for (TestLock &lock : locks) {
    sum += lock.probability = 0.01 + uniform(random);
    lock.holdNs = std::pow(1e6, uniform(random));
  }
  for (TestLock &lock : locks)
    lock.probability /= sum;
  return networkOf(locks, 1e7 * std::pow(uniform(random), 4));
}

void expectAlike(const Network &network, LockKind kind, int threads, const std::string &model,
                 const std::string &other, double tolerance) {
  const Prediction one = solved(network, kind, threads, model);
  const Prediction two = solved(network, kind, threads, other);
  EXPECT_EQ(one.model, model);
  EXPECT_NEAR(one.throughputPerS / two.throughputPerS, 1, tolerance)
      << nameOf(kind) << ' ' << threads;
  for (std::size_t i = 0; i < network.locks.size(); ++i) {
    EXPECT_NEAR(one.locks[i].residenceNs / two.locks[i].residenceNs, 1, tolerance)
        << nameOf(kind) << ' ' << threads << " threads, lock " << i;
    EXPECT_NEAR(one.locks[i].contentionRate, two.locks[i].contentionRate, tolerance)
        << nameOf(kind);
  }
}

TEST(Convolution, IsMeanValueAnalysis) {
  std::mt19937_64 random(1);
  for (const int threads : {1, 2, 7, 64, 256})
    for (const std::size_t locks : {1u, 2u, 5u, 20u}) {
      const Network network = randomNetwork(random, locks);
      expectAlike(network, LockKind::ideal, threads, "convolution", "exact", 1e-9);
      expectAlike(network, LockKind::spinlock, threads, "convolution", "load-dependent", 1e-9);
    }
}

TEST(Convolution, IsMeanValueAnalysisFor4096Threads) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 2; ++trial)
    expectAlike(randomNetwork(random, 4), LockKind::ideal, 4096, "convolution", "exact", 1e-6);
}

TEST(Convolution, CountsAlikeLocksOnce) {
  Network grouped = networkOf({{1, 300}}, 2000);
  grouped.locks[0].instances = 11;
  const Network written = networkOf(std::vector<TestLock>(11, {1.0 / 11, 300}), 2000);
  for (const char *model : {"convolution", "marie", "norton"})
    EXPECT_NEAR(solved(grouped, LockKind::ideal, 30, model).throughputPerS /
                    solved(written, LockKind::ideal, 30, model).throughputPerS,
                1, 1e-9)
        << model;
}

TEST(Convolution, KeepsWhatIsBeyondTheRangeOfDoubles) {
  // G(n) of two like stations is (n + 1) F(n).
  for (const double logDemand : {-30.0, 0.0, 30.0}) {
    LogConstants station(2000);
    for (std::size_t n = 0; n < station.size(); ++n)
      station[n] = logDemand * static_cast<double>(n);
    const LogConstants both = convolve(station, station);
    for (std::size_t n = 0; n < both.size(); n += 37)
      EXPECT_NEAR(both[n], station[n] + std::log(static_cast<double>(n) + 1), 1e-9 * 6e4) << n;
  }
}

// Where all service is exponential, Marie's fixpoint is the exact answer, and so is Norton's.
TEST(Marie, IsExactForExponentialService) {
  std::mt19937_64 random(3);
  for (const int threads : {1, 3, 17})
    for (const std::size_t locks : {1u, 2u, 4u}) {
      const Network network = randomNetwork(random, locks);
      for (const char *model : {"marie", "norton"}) {
        expectAlike(network, LockKind::ideal, threads, "exact", model, 1e-5);
      }
    }
}

} // namespace

} // namespace qdadvise
