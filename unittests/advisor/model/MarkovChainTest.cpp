// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small networks against the Markov chain itself.
#include "Chain.h"
#include "Networks.h"
#include "advisor/model/Predict.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

using namespace test;

/// How many threads compute (first) and are at each lock.
using State = std::vector<int>;

struct ChainResult {
  double throughput = 0;     ///< completions per nanosecond
  std::vector<double> queue; ///< by lock
};

ChainResult solveChain(int threads, double localNs, const std::vector<TestLock> &locks,
                       const std::function<double(std::size_t, int)> &serviceNs) {
  State first(locks.size() + 1, 0);
  first[0] = threads;
  const auto flows = [&](const State &from) {
    Flows<State> result;
    for (std::size_t lock = 0; lock < locks.size(); ++lock) {
      State to = from;
      if (to[0] > 0) {
        --to[0];
        ++to[lock + 1];
        result.emplace_back(to, from[0] / localNs * locks[lock].probability);
      }
      to = from;
      if (to[lock + 1] > 0) {
        --to[lock + 1];
        ++to[0];
        result.emplace_back(to, 1 / serviceNs(lock, from[lock + 1]));
      }
    }
    return result;
  };
  ChainResult result;
  result.queue.assign(locks.size(), 0);
  for (const auto &[state, p] : stationary<State>(first, flows)) {
    result.throughput += p * state[0] / localNs;
    for (std::size_t lock = 0; lock < locks.size(); ++lock)
      result.queue[lock] += p * state[lock + 1];
  }
  return result;
}

std::vector<TestLock> randomLocks(std::mt19937_64 &random, std::size_t count) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<TestLock> locks(count);
  double sum = 0;
  for (TestLock &lock : locks) {
    sum += lock.probability = 0.1 + uniform(random);
    lock.holdNs = 50 * std::pow(100, uniform(random));
  }
  for (TestLock &lock : locks)
    lock.probability /= sum;
  return locks;
}

TEST(MarkovChain, ExactMeanValueAnalysis) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const auto locks = randomLocks(random, 1 + static_cast<std::size_t>(trial) % 3);
    const int threads = 1 + trial % 4;
    const ChainResult chain =
        solveChain(threads, 700, locks, [&](std::size_t lock, int) { return locks[lock].holdNs; });
    const auto at =
        predict(networkOf(locks, 700), std::vector<LockKind>(locks.size(), LockKind::ideal),
                machineOf(64), threads);
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_EQ(at->model, "exact");
    EXPECT_NEAR(at->throughputPerS * 1e-9 / chain.throughput, 1, 1e-10);
    for (std::size_t i = 0; i < locks.size(); ++i)
      EXPECT_NEAR(at->locks[i].queueLength, chain.queue[i], 1e-9);
  }
}

TEST(MarkovChain, TicketsAndIdealLocksTogether) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 12; ++trial) {
    const auto locks = randomLocks(random, 1 + static_cast<std::size_t>(trial) % 3);
    const int threads = 2 + trial % 3;
    std::vector<LockKind> kinds;
    for (std::size_t i = 0; i < locks.size(); ++i)
      kinds.push_back((trial + static_cast<int>(i)) % 3 ? LockKind::ticket : LockKind::ideal);
    const auto service = [&](std::size_t lock, int present) {
      return kinds[lock] == LockKind::ideal ? locks[lock].holdNs
                                            : locks[lock].holdNs + 6 + 44 * (present - 1) / 2.0;
    };
    const ChainResult chain = solveChain(threads, 700, locks, service);
    const auto at = predict(networkOf(locks, 700), kinds, withEvenTickets(machineOf(64)), threads,
                            {.model = "recursion"});
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_NEAR(at->throughputPerS * 1e-9 / chain.throughput, 1, 1e-10);
    for (std::size_t i = 0; i < locks.size(); ++i)
      EXPECT_NEAR(at->locks[i].queueLength, chain.queue[i], 1e-9);
  }
}

} // namespace

} // namespace qdadvise
