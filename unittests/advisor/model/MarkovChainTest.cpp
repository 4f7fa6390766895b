// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small networks against the Markov chain itself, built state by state and solved as
// a linear system: nothing of queueing theory beyond the definition.
#include "Networks.h"
#include "advisor/model/Prediction.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
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
  std::map<State, std::size_t> index;
  std::vector<State> states;
  const std::function<void(State &, std::size_t, int)> enumerate = [&](State &state, std::size_t at,
                                                                       int left) {
    if (at == locks.size()) {
      state[0] = left;
      index.emplace(state, states.size());
      states.push_back(state);
      return;
    }
    for (int here = 0; here <= left; ++here) {
      state[at + 1] = here;
      enumerate(state, at + 1, left - here);
    }
  };
  State scratch(locks.size() + 1, 0);
  enumerate(scratch, 0, threads);

  // Balance equations, the last of them replaced by the sum of all probabilities.
  const std::size_t count = states.size();
  std::vector<std::vector<double>> a(count, std::vector<double>(count + 1, 0));
  const auto flow = [&](std::size_t from, const State &to, double rate) {
    a[index.at(to)][from] += rate;
    a[from][from] -= rate;
  };
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t lock = 0; lock < locks.size(); ++lock) {
      State to = states[from];
      if (to[0] > 0) {
        --to[0];
        ++to[lock + 1];
        flow(from, to, states[from][0] / localNs * locks[lock].probability);
      }
      to = states[from];
      if (to[lock + 1] > 0) {
        --to[lock + 1];
        ++to[0];
        flow(from, to, 1 / serviceNs(lock, states[from][lock + 1]));
      }
    }
  for (std::size_t i = 0; i <= count; ++i)
    a[count - 1][i] = 1;
  for (std::size_t pivot = 0; pivot < count; ++pivot) {
    std::size_t best = pivot;
    for (std::size_t row = pivot; row < count; ++row)
      if (std::abs(a[row][pivot]) > std::abs(a[best][pivot]))
        best = row;
    std::swap(a[pivot], a[best]);
    for (std::size_t row = 0; row < count; ++row) {
      if (row == pivot || a[row][pivot] == 0)
        continue;
      const double factor = a[row][pivot] / a[pivot][pivot];
      for (std::size_t i = pivot; i <= count; ++i)
        a[row][i] -= factor * a[pivot][i];
    }
  }
  ChainResult result;
  result.queue.assign(locks.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double p = a[i][count] / a[i][i];
    result.throughput += p * states[i][0] / localNs;
    for (std::size_t lock = 0; lock < locks.size(); ++lock)
      result.queue[lock] += p * states[i][lock + 1];
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
    const auto at = predict(networkOf(locks, 700), std::vector<std::string>(locks.size(), "ideal"),
                            machineOf(64), threads);
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_EQ(at->model, "exact");
    EXPECT_NEAR(at->throughputPerS * 1e-9 / chain.throughput, 1, 1e-10);
    for (std::size_t i = 0; i < locks.size(); ++i)
      EXPECT_NEAR(at->locks[i].queueLength, chain.queue[i], 1e-9);
  }
}

TEST(MarkovChain, SpinlocksAndIdealLocksTogether) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 12; ++trial) {
    const auto locks = randomLocks(random, 1 + static_cast<std::size_t>(trial) % 3);
    const int threads = 2 + trial % 3;
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < locks.size(); ++i)
      kinds.push_back((trial + static_cast<int>(i)) % 3 ? "spinlock" : "ideal");
    const auto service = [&](std::size_t lock, int present) {
      return kinds[lock] == "ideal" ? locks[lock].holdNs
                                    : locks[lock].holdNs + 6 + 44 * (present - 1) / 2.0;
    };
    const ChainResult chain = solveChain(threads, 700, locks, service);
    const auto at = predict(networkOf(locks, 700), kinds, machineOf(64), threads);
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_NEAR(at->throughputPerS * 1e-9 / chain.throughput, 1, 1e-10);
    for (std::size_t i = 0; i < locks.size(); ++i)
      EXPECT_NEAR(at->locks[i].queueLength, chain.queue[i], 1e-9);
  }
}

} // namespace

} // namespace qdadvise
