// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of a whole network against exact results.
#include "Chain.h"
#include "Networks.h"
#include "advisor/model/Predict.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

namespace qdadvise {

namespace {

using namespace test;

Prediction solve(const Network &network, LockKind kind, int threads,
                 const std::string &model = "markov", const Machine &machine = machineOf(64)) {
  const std::vector<LockKind> kinds(network.locks.size(), kind);
  const auto result = predict(network, kinds, machine, threads, {0, model});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : Prediction();
}

TEST(Markov, IsMeanValueAnalysisForExponentialTimes) {
  std::mt19937_64 random(5);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 10; ++i)
    for (const int threads : {1, 2, 3, 4}) {
      const double share = between(0.1, 0.9);
      const Network network = networkOf(
          {{share, between(100, 1e4)}, {1 - share, between(100, 1e4)}}, between(100, 1e5));
      const Prediction at = solve(network, LockKind::ideal, threads);
      const Prediction exact = solve(network, LockKind::ideal, threads, "recursion");
      EXPECT_EQ(at.model, "markov");
      EXPECT_NEAR(at.throughputPerS / exact.throughputPerS, 1, 1e-9);
      for (std::size_t lock = 0; lock < 2; ++lock) {
        EXPECT_NEAR(at.locks[lock].residenceNs / exact.locks[lock].residenceNs, 1, 1e-9);
        EXPECT_NEAR(at.locks[lock].contentionRate, exact.locks[lock].contentionRate, 1e-9);
      }
    }
}

/// Rates that are up to 1e9 apart: short sections beside rare and very long ones. Mean value
/// analysis is exact, and knows no states.
TEST(Markov, IsMeanValueAnalysisHoweverFarTimesAreApart) {
  std::mt19937_64 random(11);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 60; ++i) {
    std::vector<TestLock> locks;
    double shares = 0;
    for (int lock = 0; lock < 2 + i % 2; ++lock) {
      locks.push_back({between(1e-7, 1), between(1, 1e9)});
      shares += locks.back().probability;
    }
    for (TestLock &lock : locks)
      lock.probability /= shares;
    const Network network = networkOf(locks, between(1, 1e8));
    for (const int threads : {1, 2, 3, 4}) {
      const Prediction at = solve(network, LockKind::ideal, threads);
      const Prediction exact = solve(network, LockKind::ideal, threads, "recursion");
      EXPECT_NEAR(at.throughputPerS / exact.throughputPerS, 1, 1e-6) << i << " " << threads;
      for (std::size_t lock = 0; lock < locks.size(); ++lock)
        EXPECT_NEAR(at.locks[lock].residenceNs / exact.locks[lock].residenceNs, 1, 1e-6)
            << i << " " << threads << " " << lock;
    }
  }
}

/// A lock of 100 ns, and one of 10 ms that one visit in 10,000 goes to. No lock can serve more than
/// 1 million visits per second. More threads are faster, whatever the lock.
TEST(Markov, KnowsRareLongSections) {
  const Network network = networkOf({{0.9999, 100}, {1e-4, 1e7}}, 1000);
  for (const LockKind kind : {LockKind::ideal, LockKind::mcs, LockKind::ticket, LockKind::qd}) {
    double last = 0;
    for (const int threads : {1, 2, 3, 4}) {
      const double throughput = solve(network, kind, threads).throughputPerS;
      EXPECT_GT(throughput, last) << nameOf(kind) << " " << threads;
      EXPECT_LT(throughput, 1e6) << nameOf(kind) << " " << threads;
      const double close = solve(network, kind, threads, "marie").throughputPerS;
      EXPECT_NEAR(throughput / close, 1, 0.02) << nameOf(kind) << " " << threads;
      last = throughput;
    }
  }
}

/// Three of four visits are to one lock, where all threads are or just were. One in four of those
/// that leave goes to the other lock. They come there less regularly than operations end.
TEST(Marie, HasLocksSeeThreadsLeaveAnotherAsFarAsTheyComeThere) {
  for (const int threads : {3, 4})
    for (const double cv : {0.7, 0.8}) {
      const Network network = networkOf({{0.75, 370, cv}, {0.25, 270, cv}}, 100);
      const double exact = solve(network, LockKind::ideal, threads).locks[1].waitNs;
      const double at = solve(network, LockKind::ideal, threads, "marie").locks[1].waitNs;
      EXPECT_NEAR(at / exact, 1, 0.05);
    }
}

/// Beside a lock with a heavy tail threads come in rows: after a long section there are many short
/// ones.
TEST(Marie, HasLocksSeeTheTailOfAnother) {
  for (const auto &[kind, tolerance] :
       {std::pair{LockKind::ideal, 0.1}, std::pair{LockKind::qd, 0.07}}) {
    const Network network = networkOf({{0.5, 1000, 2}, {0.5, 700}}, 500);
    const double exact = solve(network, kind, 4).locks[1].waitNs;
    const double at = solve(network, kind, 4, "marie").locks[1].waitNs;
    EXPECT_NEAR(at / exact, 1, tolerance) << nameOf(kind);
  }
}

/// The helper and the last thread that it helped leave a QD lock together, and find it free when
/// they come back. So threads wait for it less than its utilisation says.
TEST(Marie, KnowsThatWhoLeavesAQdLockTogetherFindsItFree) {
  for (const double holdNs : {2000.0, 10000.0}) {
    Network network = networkOf({{0.9, holdNs}, {0.1, holdNs}}, 500);
    for (Transition &transition : network.transitions)
      if (transition.from == 1)
        transition.probability = 0.5;
    const LockPrediction exact = solve(network, LockKind::qd, 4).locks[1];
    const LockPrediction at = solve(network, LockKind::qd, 4, "qd-c").locks[1];
    EXPECT_LT(exact.contentionRate, 0.85 * exact.utilization);
    EXPECT_NEAR(at.waitNs / exact.waitNs, 1, 0.15);
    EXPECT_NEAR(at.contentionRate / exact.contentionRate, 1, 0.12);
  }
}

TEST(Marie, IsExactForOneQdLock) {
  for (const double localNs : {300.0, 3000.0})
    for (const int threads : {2, 4}) {
      const Network network = networkOf({{1, 1000}}, localNs);
      EXPECT_NEAR(solve(network, LockKind::qd, threads, "qd-c").locks[0].waitNs /
                      solve(network, LockKind::qd, threads).locks[0].waitNs,
                  1, 1e-3)
          << localNs << " " << threads;
    }
}

/// Two locks without overheads, with which times would not be exponential, and every thread known
/// by its number: for each the lock it computes for (or -1), the queues, with the thread in service
/// or the holder in front, and whether that one helps.
struct Threads {
  std::vector<int> computes;
  std::vector<std::vector<int>> queue;
  std::vector<bool> helps;
  bool operator<(const Threads &other) const {
    return std::tie(computes, queue, helps) < std::tie(other.computes, other.queue, other.helps);
  }
};

struct TwoLocks {
  double holdNs[2], localNs[2], stays;
  bool qd;

  /// The states after these threads leave `lock`, each for one of the two.
  void leave(Flows<Threads> &flows, const Threads &after, const std::vector<int> &leaving, int lock,
             double rate) const {
    for (int way = 0; way < 1 << leaving.size(); ++way) {
      Threads to = after;
      double probability = 1;
      for (std::size_t i = 0; i < leaving.size(); ++i) {
        const bool staying = (way >> i & 1) == 0;
        to.computes[static_cast<std::size_t>(leaving[i])] = staying ? lock : 1 - lock;
        probability *= staying ? stays : 1 - stays;
      }
      flows.emplace_back(to, rate * probability);
    }
  }
  Flows<Threads> flows(const Threads &from) const {
    Flows<Threads> flows;
    for (std::size_t i = 0; i < from.computes.size(); ++i)
      if (const int lock = from.computes[i]; lock >= 0) {
        Threads to = from;
        to.computes[i] = -1;
        to.queue[static_cast<std::size_t>(lock)].push_back(static_cast<int>(i));
        flows.emplace_back(to, 1 / localNs[lock]);
      }
    for (std::size_t lock = 0; lock < 2; ++lock) {
      const std::vector<int> &queue = from.queue[lock];
      if (queue.empty())
        continue;
      const int at = static_cast<int>(lock);
      const double rate = 1 / holdNs[lock];
      Threads to = from;
      if (qd && !from.helps[lock] && queue.size() > 1) {
        to.helps[lock] = true;
        flows.emplace_back(to, rate);
      } else if (qd && from.helps[lock] && queue.size() > 2) {
        to.queue[lock].erase(to.queue[lock].begin() + 1);
        leave(flows, to, {queue[1]}, at, rate);
      } else if (qd && from.helps[lock]) {
        to.queue[lock].clear();
        to.helps[lock] = false;
        leave(flows, to, queue, at, rate);
      } else {
        to.queue[lock].erase(to.queue[lock].begin());
        leave(flows, to, {queue[0]}, at, rate);
      }
    }
    return flows;
  }
};

TEST(Markov, IsTheChainOfThreadsWithNames) {
  Machine machine = machineOf(64);
  for (const LockKind kind : {LockKind::qd, LockKind::spinlock})
    machine.kinds[kind].figures["lock_overhead_ns"].value = 0;
  machine.kinds[LockKind::qd].curves["delegation_overhead_ns"].rows = {{1, 0}};
  machine.kinds[LockKind::spinlock].figures["handover_per_waiter_ns"].value = 0;
  for (const bool qd : {false, true})
    for (const double stays : {0.1, 0.9})
      for (const std::size_t threads : {2u, 3u}) {
        const TwoLocks locks{{300, 700}, {400, 2000}, stays, qd};
        const auto chain =
            stationary<Threads>({std::vector<int>(threads, 0), {{}, {}}, {false, false}},
                                [&](const Threads &at) { return locks.flows(at); });
        double present[2] = {0, 0}, rate[2] = {0, 0};
        for (const auto &[state, p] : chain) {
          for (std::size_t lock = 0; lock < 2; ++lock)
            present[lock] += p * static_cast<double>(state.queue[lock].size());
          for (const int lock : state.computes)
            if (lock >= 0)
              rate[lock] += p / locks.localNs[lock];
        }
        Network network = networkOf({{1, 300}, {1, 700}}, 0);
        for (Transition &transition : network.transitions) {
          transition.probability = transition.from == transition.to ? stays : 1 - stays;
          transition.local.mean = locks.localNs[transition.to];
        }
        const Prediction at = solve(network, qd ? LockKind::qd : LockKind::spinlock,
                                    static_cast<int>(threads), "markov", machine);
        for (std::size_t lock = 0; lock < 2; ++lock) {
          EXPECT_NEAR(at.locks[lock].residenceNs * rate[lock] / present[lock], 1, 1e-9)
              << qd << ' ' << stays << ' ' << threads;
          EXPECT_NEAR(at.locks[lock].throughputPerS * 1e-9 / rate[lock], 1, 1e-9);
        }
      }
}

TEST(Markov, ExtrapolatesToDeterministicHoldingTimes) {
  // M/D/1//N: R = N s / (1 - p0) - Z.
  for (const double local : {300.0, 1000.0, 3000.0})
    for (const int threads : {2, 3, 4}) {
      const double s = 100;
      double b = 1, choose = 1, total = 0;
      for (int n = 0; n < threads; ++n) {
        if (n > 0) {
          b *= std::expm1(n * s / local);
          choose *= (threads - n) / static_cast<double>(n);
        }
        total += choose * b;
      }
      const double p0 = 1 / (1 + threads * s / local * total);
      const double wait = threads * s / (1 - p0) - local - s;
      const Prediction at = solve(networkOf({{1, s, 0}}, local), LockKind::ideal, threads);
      EXPECT_NEAR(at.locks[0].waitNs / wait, 1, 0.002) << local << ' ' << threads;
    }
}

TEST(Markov, StepsThroughWhatIsNotRandom) {
  // D/D/1//K: W = max(0, (K-1) s - Z).
  for (const double local : {0.0, 70.0, 150.0, 1000.0})
    for (const int threads : {1, 2, 3, 4}) {
      const Prediction at = solve(networkOf({{1, 100, 0}}, local, 0), LockKind::ideal, threads);
      EXPECT_NEAR(at.locks[0].waitNs, std::max(0.0, (threads - 1) * 100 - local), 1e-5);
    }
  // Two threads at a QD lock come and leave together: one helps the other.
  const Prediction at = solve(networkOf({{1, 100, 0}}, 1000, 0), LockKind::qd, 2);
  EXPECT_NEAR(at.locks[0].residenceNs, (100 + 12) + (100 + 50), 1e-6);
  // Two locks in turn, the second twice as slow: all threads wait at the second.
  Network turns = networkOf({{0, 100, 0}, {0, 200, 0}}, 50, 0);
  for (Transition &transition : turns.transitions)
    transition.probability = transition.from != transition.to;
  const Prediction both = solve(turns, LockKind::ideal, 4);
  EXPECT_NEAR(both.locks[0].waitNs, 0, 1e-6);
  EXPECT_NEAR(both.locks[1].waitNs, 4 * 200 - 2 * 50 - 100 - 200, 1e-6);
}

TEST(Markov, KnowsTheRhythmOfDeterministicTimes) {
  // Two threads, two locks held for 100, each the next with probability 1/2, and 50 between.
  // A thread that comes e < 100 after the other's service began waits 100 - e with probability 1/2.
  // Then the next e, the other's, is 50, else 150 - e: e is 50 in two of three visits, and 100.
  const std::vector<TestLock> locks{{0.5, 100, 0}, {0.5, 100, 0}};
  for (const double waitNs : {solve(networkOf(locks, 50, 0), LockKind::ideal, 2).locks[0].waitNs,
                              solve(networkOf(locks, 50, 0), LockKind::ideal, 2).locks[1].waitNs})
    EXPECT_NEAR(waitNs, 50.0 / 3, 1e-3);
  // With 100 between, a thread that has once waited never meets the other again.
  EXPECT_NEAR(solve(networkOf(locks, 100, 0), LockKind::ideal, 2).locks[0].waitNs, 0, 1e-3);
}

TEST(Markov, RoundsNoTimeToNothing) {
  // A millionth of the other time, and neither varies.
  const Network network = networkOf({{1, 1, 0}}, 1e6, 0);
  for (const LockKind kind : {LockKind::qd, LockKind::mcs})
    for (const int threads : {1, 2, 3, 4})
      EXPECT_GE(solve(network, kind, threads).locks[0].waitNs, 9) << nameOf(kind) << " " << threads;
}

TEST(Markov, IsWhatFewThreadsArePredictedWith) {
  const Network network = networkOf({{0.5, 100, 0.5}, {0.5, 300, 1.5}}, 500);
  EXPECT_EQ(solve(network, LockKind::qd, 3, "auto").model, "markov");
  EXPECT_EQ(solve(network, LockKind::qd, 5, "auto").model, "qd-c");
  EXPECT_EQ(solve(network, LockKind::pthreadMutex, 3, "auto").model, "sleeping");
}

TEST(Markov, SaysWhatItIsNotFor) {
  const auto refusal = [](const Network &network, int threads) {
    const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
    const auto result = predict(network, kinds, machineOf(64), threads, {0, "markov"});
    return result ? "" : result.error().message;
  };
  EXPECT_EQ(refusal(networkOf({{1, 100}}, 500), 5), "model 'markov' is for up to 4 threads");
  EXPECT_EQ(refusal(networkOf(std::vector<TestLock>(20, {0.05, 100, 0}), 500), 4),
            "model 'markov': too many states with 4 threads and 20 locks");
  Network many = networkOf({{1, 100}}, 500);
  many.locks[0].instances = 1'000'000; // each took memory before the states were too many
  EXPECT_EQ(refusal(many, 1), "model 'markov' is for up to 10000 locks");
  Network nested = networkOf({{1, 100}, {1, 100}}, 500);
  nested.sections[1].inside = 0;
  nested.sections[1].visits = 1;
  nested.transitions.resize(1);
  EXPECT_EQ(refusal(nested, 2), "model 'markov' is for one class of threads, a core for each, and "
                                "no nested sections");
}

} // namespace

} // namespace qdadvise
