// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections inside others: their holding times, which threads they keep out, and small networks
// against the Markov chain itself.
#include "advisor/model/workload/Nesting.h"

#include "Chain.h"
#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/decomposition/Marie.h"
#include "advisor/model/solver/Solver.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

void addInside(Network &network, std::size_t outer, std::size_t lock, double holdNs,
               double visits = 1) {
  Section inner;
  inner.name = "inner" + std::to_string(network.sections.size());
  inner.lock = lock;
  inner.hold = {holdNs, 1};
  inner.inside = outer;
  inner.visits = visits;
  network.sections.push_back(inner);
}

TEST(NestingTest, OuterSectionsTakeWhatIsInsideThem) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}}, 3000);
  addInside(network, 0, 1, 50, 2.5); // section 2
  addInside(network, 2, 0, 7);       // section 3, of a lock that is held already
  const Nesting nesting(network);
  EXPECT_FALSE(nesting.reentrant(2));
  EXPECT_TRUE(nesting.reentrant(3));
  const auto holds = nesting.holds({0, 0, 20, 1000});
  EXPECT_DOUBLE_EQ(holds[1].mean, 100);
  EXPECT_DOUBLE_EQ(holds[2].mean, 57);
  EXPECT_DOUBLE_EQ(holds[0].mean, 400 + 2.5 * (57 + 20));
  // Two visits, and a third one with probability 1/2.
  const double visit = 50 * 50 + 7 * 7 + 20 * 20;
  EXPECT_DOUBLE_EQ(holds[0].variance, 400 * 400 + 2.5 * visit + 77 * 77 / 4.0);
}

TEST(NestingTest, HoldersOfOneInstanceKeepOthersOut) {
  Network network = networkOf({{0.4, 400}, {0.3, 100}, {0.3, 100}}, 3000);
  network.locks[2].instances = 4;
  addInside(network, 0, 1, 50); // section 3
  addInside(network, 0, 1, 60);
  addInside(network, 2, 1, 70); // section 5
  addInside(network, 2, 1, 80);
  const Nesting nesting(network);
  const std::vector<bool> none(7, false), all(7, true);
  EXPECT_DOUBLE_EQ(nesting.keepsOut(3, 4, none), 1);
  EXPECT_DOUBLE_EQ(nesting.keepsOut(3, 5, none), 0);
  EXPECT_DOUBLE_EQ(nesting.keepsOut(5, 6, none), 0.25);
  EXPECT_DOUBLE_EQ(nesting.keepsOut(1, 3, none), 0);
  EXPECT_DOUBLE_EQ(nesting.sameInstance(2), 0.25);
  EXPECT_DOUBLE_EQ(nesting.mostInside(3, none), 1);
  EXPECT_DOUBLE_EQ(nesting.mostInside(5, none), 4);
  // Readers keep no readers out.
  EXPECT_DOUBLE_EQ(nesting.keepsOut(3, 4, all), 0);
  EXPECT_EQ(nesting.mostInside(3, all), Nesting::unlimited);
}

/// One class comes to the second lock directly, the other only from inside the first lock, where
/// more of its threads wait than can be at the second lock at once.
TEST(NestingTest, NoMoreThreadsWaitInsideThanThereAre) {
  Network network = networkOf({{0.25, 190}, {0.75, 440}}, 2500);
  addInside(network, 0, 1, 200, 0.28);
  addInside(network, 0, 1, 1280, 0.34);
  network.classes.push_back({"others"});
  network.classes.back().scales = false;
  network.classes.back().threads = 37;
  Transition only;
  only.threadClass = 1;
  only.probability = 1;
  only.local = {10600, 0.84};
  network.transitions.push_back(only);
  for (const LockKind kind : {LockKind::ideal, LockKind::spinlock, LockKind::ticket, LockKind::mcs,
                              LockKind::qd, LockKind::pthreadMutex})
    for (const int threads : {1, 4, 8, 16, 64}) {
      const auto at = predict(network, {kind, kind}, machineOf(32), threads, {0, "recursion"});
      ASSERT_TRUE(at) << at.error().message;
      EXPECT_TRUE(std::isfinite(at->throughputPerS)) << nameOf(kind) << " " << threads;
      for (const LockPrediction &lock : at->locks) {
        EXPECT_TRUE(std::isfinite(lock.waitNs)) << nameOf(kind) << " " << threads;
        EXPECT_LE(lock.queueLength, threads + 37 + 1e-6) << nameOf(kind) << " " << threads;
      }
    }
}

TEST(NestingTest, OneThreadPaysForTheInnerLockToo) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}}, 3000);
  addInside(network, 0, 1, 50);
  for (const LockKind kind : {LockKind::spinlock, LockKind::mcs, LockKind::qd}) {
    const double alone = machineOf(8).kinds.at(kind).handoffCurve()(1);
    const double cycleNs = 3000 + 0.5 * (400 + 50 + 2 * alone) + 0.5 * (100 + alone);
    for (const char *model : {"recursion", "norton", "marie"}) {
      const auto at = predict(network, {kind, kind}, machineOf(8), 1, {0, model});
      ASSERT_TRUE(at) << at.error().message;
      EXPECT_NEAR(at->throughputPerS * 1e-9 * cycleNs / 1.5, 1, 1e-6)
          << nameOf(kind) << " " << model;
    }
  }
}

/// An outer lock, and an inner lock that is also taken directly, with exponential times.
struct Nest {
  double localNs, outerShare, outerNs, insideNs, directNs;
};

struct NestState {
  double throughput = 0, outerQueue = 0, innerQueue = 0;
};

NestState solveNest(const Nest &nest, int threads) {
  // How many compute, how many wait for the outer lock, what its holder does (1: its own part,
  // 2: it is at the inner lock), and who is at the inner lock in order (1: from inside).
  using State = std::vector<int>;
  const auto flows = [&](const State &from) {
    Flows<State> result;
    const auto go = [&](double rate, auto change) {
      State to = from;
      change(to);
      result.emplace_back(std::move(to), rate);
    };
    if (from[0] > 0) {
      go(from[0] / nest.localNs * nest.outerShare, [](State &to) {
        --to[0];
        to[2] == 0 ? to[2] = 1 : ++to[1];
      });
      go(from[0] / nest.localNs * (1 - nest.outerShare), [](State &to) {
        --to[0];
        to.push_back(0);
      });
    }
    if (from[2] == 1)
      go(1 / nest.outerNs, [](State &to) {
        to[2] = 2;
        to.push_back(1);
      });
    if (from.size() > 3)
      go(1 / (from[3] == 1 ? nest.insideNs : nest.directNs), [](State &to) {
        if (to[3] == 1) {
          to[2] = to[1] > 0 ? 1 : 0;
          to[1] -= to[2];
        }
        ++to[0];
        to.erase(to.begin() + 3);
      });
    return result;
  };
  NestState result;
  for (const auto &[state, p] : stationary<State>({threads, 0, 0}, flows)) {
    result.throughput += p * state[0] / nest.localNs;
    result.outerQueue += p * (state[1] + (state[2] > 0 ? 1 : 0));
    result.innerQueue += p * static_cast<double>(state.size() - 3);
  }
  return result;
}

const Nest nests[] = {{3700, 0.35, 1200, 470, 1700}, {4000, 0.7, 300, 300, 900},
                      {2000, 0.5, 1000, 1000, 200},  {6000, 0.2, 2500, 100, 1500},
                      {3000, 0.5, 100, 800, 800},    {1000, 0.6, 200, 100, 2000}};

Network networkOfNest(const Nest &nest) {
  Network network = networkOf(
      {{nest.outerShare, nest.outerNs}, {1 - nest.outerShare, nest.directNs}}, nest.localNs);
  addInside(network, 0, 1, nest.insideNs);
  return network;
}

TEST(NestingTest, FollowsTheMarkovChain) {
  double throughput = 0, outer = 0, inner = 0, count = 0;
  for (const Nest &nest : nests)
    for (const int threads : {2, 3, 5, 8}) {
      const NestState chain = solveNest(nest, threads);
      const auto at = predict(networkOfNest(nest), {LockKind::ideal, LockKind::ideal},
                              machineOf(64), threads, {0, "marie"});
      ASSERT_TRUE(at) << at.error().message;
      const double cycles = at->throughputPerS * 1e-9 / (1 + nest.outerShare);
      throughput += std::abs(cycles / chain.throughput - 1);
      outer += std::abs(at->locks[0].queueLength / chain.outerQueue - 1);
      inner += std::abs(at->locks[1].queueLength / chain.innerQueue - 1);
      ++count;
    }
  EXPECT_LT(throughput / count, 0.012);
  EXPECT_LT(outer / count, 0.035);
  EXPECT_LT(inner / count, 0.05);
}

/// A holder's wait inside depends on how many threads are at the outer lock. Its mean is the mean
/// wait (NST6). Locks are solved one by one, and differ in their throughput a little.
TEST(NestingTest, AnOuterLockIsHeldNoLongerThanThereIsTime) {
  const Machine machine = machineOf(64);
  for (const Nest &nest : nests) {
    const Network network = networkOfNest(nest);
    const std::vector<Traffic> traffic = trafficOf(network);
    SolverOptions options;
    options.method = solveMarie;
    options.cores = machine.cores;
    for (const LockKind kind : {LockKind::ideal, LockKind::qd}) {
      const std::vector<LockKind> kinds(2, kind);
      const auto solutions = solveNetwork({network, kinds, machine, traffic}, {8, 16}, options);
      ASSERT_TRUE(solutions) << solutions.error().message;
      for (const Solution &solution : *solutions)
        EXPECT_LE(solution.locks[0].busiestHeld(solution.cyclesPerNs), 1.03)
            << nameOf(kind) << " " << solution.population << " " << nest.localNs;
    }
  }
}

} // namespace

} // namespace qdadvise
