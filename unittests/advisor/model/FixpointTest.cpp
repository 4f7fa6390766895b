// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration comes to rest, also where waiting is steep. Its solution is always a number, and
// it may begin where the iteration of another network came to rest.
#include "advisor/model/numeric/Fixpoint.h"

#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/numeric/Anderson.h"
#include "advisor/model/numeric/LinearSystem.h"
#include "advisor/model/solver/Solver.h"
#include "advisor/model/workload/Workload.h"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Damped, ComesToRestWhereTheTargetFallsSteeply) {
  for (const double slope : {0.5, 5.0, 50.0, 500.0}) {
    Damped x;
    double error = 1;
    for (int round = 0; round < 120 && error > 1e-9; ++round)
      error = x.approach(slope * std::exp(-slope * x.value));
    EXPECT_LE(error, 1e-9) << slope;
  }
}

/// x = exp(1 - a y), y = exp(1 - b z), z = x^c: each falls or rises with the others, the more
/// steeply the larger a, b and c.
std::array<double, 3> circle(const std::array<double, 3> &at, double steepness) {
  const auto [x, y, z] = at;
  return {std::exp(1 - steepness * y), std::exp(1 - steepness * z), std::pow(x, -steepness)};
}

TEST(Broyden, FindsWhereNothingChangesInFewRounds) {
  for (const double steepness : {0.0, 0.3, 1.0, 2.0, 4.0})
    for (const double start : {1e-3, 0.1, 1.0, 10.0}) {
      Broyden<3> unknowns({start, 1, start});
      double error = 1;
      int rounds = 0;
      for (; rounds < 100 && error > 1e-10; ++rounds)
        error = unknowns.approach(circle(unknowns.at(), steepness));
      EXPECT_LE(rounds, 40) << steepness << " from " << start;
      const auto rest = unknowns.at(), then = circle(rest, steepness);
      for (const std::size_t i : {0u, 1u, 2u})
        EXPECT_NEAR(then[i] / rest[i], 1, 1e-9) << steepness << " from " << start;
    }
}

TEST(Broyden, BeginsWithWhatItHasLearned) {
  const auto rounds = [](Broyden<3> &unknowns, double steepness) {
    int count = 0;
    for (double error = 1; count < 100 && error > 1e-8; ++count)
      error = unknowns.approach(circle(unknowns.at(), steepness));
    return count;
  };
  Broyden<3> first({10, 1, 10});
  EXPECT_GE(rounds(first, 1), 8);
  Broyden<3> anew(first.at()), next(first.at(), first.learned());
  EXPECT_LT(rounds(next, 1.01), rounds(anew, 1.01));
}

TEST(LinearSystem, IsSolved) {
  const auto found = solveLinear({{0, 2, 1}, {1, 1, 0}, {3, 0, -1}}, {7, 3, 0});
  ASSERT_TRUE(found);
  for (const std::size_t i : {0u, 1u, 2u})
    EXPECT_NEAR((*found)[i], static_cast<double>(i + 1), 1e-12);
  EXPECT_FALSE(solveLinear({{1, 2}, {2, 4}}, {1, 2})) << "it has several solutions";
  EXPECT_EQ(solveLinear({}, {}), std::vector<double>());
}

/// Each of 30 unknowns is the mean of its neighbours and 1: plain iteration needs thousands of
/// rounds.
std::vector<double> neighbours(const std::vector<double> &at) {
  std::vector<double> next(at.size());
  for (std::size_t i = 0; i < at.size(); ++i)
    next[i] = 0.48 * (at[(i + 1) % at.size()] + at[(i + at.size() - 1) % at.size()]) +
              (i == 0 ? 0.4 : 0.02);
  return next;
}

TEST(Anderson, FindsWhereUnknownsThatHangTogetherRest) {
  std::vector<double> at(30, 0);
  Anderson anderson;
  double error = 1;
  int rounds = 0;
  for (; rounds < 1000 && error > 1e-9; ++rounds) {
    const std::vector<double> targets = neighbours(at);
    error = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      error = std::max(error, std::abs(targets[i] - at[i]));
    at = anderson.next(at, targets).value_or(targets);
  }
  EXPECT_LE(rounds, 100);
}

TEST(Anderson, KnowsNothingAtFirst) {
  Anderson anderson;
  EXPECT_FALSE(anderson.next({1, 2}, {2, 1}));
  EXPECT_TRUE(anderson.next({2, 1}, {1, 2}));
  anderson.forget();
  EXPECT_FALSE(anderson.next({1, 2}, {2, 1}));
}

/// Nothing changes, or everything in the same way: the least squares have no one solution.
TEST(Anderson, TakesWhatItCannotImprove) {
  Anderson anderson;
  for (int round = 0; round < 9; ++round) {
    const auto next = anderson.next({0, 3, 3}, {0, 3, 3});
    EXPECT_EQ(next.value_or(std::vector<double>{0, 3, 3}), (std::vector<double>{0, 3, 3}));
  }
}

/// Workers at a lock, and a crawler at another, which takes a third one for each of 255 entries.
/// The third one is sometimes held for long, also by a worker that holds its own lock.
Network crawled() {
  Network network = networkOf({{1, 300}}, 3000);
  network.locks.emplace_back().name = "entries";
  network.locks.emplace_back().name = "crawl";
  network.classes.emplace_back().name = "crawler";
  network.classes.back().scales = false;
  network.classes.back().threads = 1;
  const auto add = [&](const char *name, std::size_t lock, const Duration &hold) {
    Section section;
    section.name = name;
    section.lock = lock;
    section.hold = hold;
    network.sections.push_back(section);
    return network.sections.size() - 1;
  };
  const std::size_t crawl = add("crawl", 2, {500, 1});
  Section &count = network.sections[add("count", 1, {38, 44})];
  count.inside = crawl;
  count.visits = 255;
  Section &begin = network.sections[add("begin", 1, {71000, 1})];
  begin.inside = 0;
  begin.visits = 1e-5;
  Transition only;
  only.threadClass = 1;
  only.from = only.to = crawl;
  only.probability = 1;
  only.local = {2000, 1};
  network.transitions.push_back(only);
  return network;
}

TEST(Fixpoint, SettlesWhereRareSectionsAreLong) {
  const Network network = crawled();
  for (const LockKind kind : {LockKind::ideal, LockKind::spinlock, LockKind::ticket, LockKind::mcs,
                              LockKind::qd, LockKind::pthreadMutex})
    for (const int cores : {16, 64})
      for (const int threads : {1, 2, 4, 8, 16, 24, 48}) {
        const auto at =
            predict(network, {kind, kind, kind}, machineOf(cores), threads, {0, "recursion"});
        ASSERT_TRUE(at) << at.error().message;
        EXPECT_GT(at->throughputPerS, 0) << nameOf(kind) << " " << threads << " on " << cores;
        // Other locks may swing, and so may more threads than cores. A note says so.
        const bool settles =
            kind == LockKind::ideal || kind == LockKind::spinlock || kind == LockKind::ticket;
        if (settles && threads < cores)
          EXPECT_THAT(at->notes, Not(Contains(HasSubstr("did not settle"))))
              << nameOf(kind) << " " << threads << " on " << cores;
        for (const LockPrediction &lock : at->locks)
          EXPECT_TRUE(std::isfinite(lock.waitNs))
              << nameOf(kind) << " " << threads << " on " << cores;
      }
}

/// A section of length S keeps at most n - 1 others waiting for S, however much S varies.
TEST(Fixpoint, NobodyWaitsLongerThanThereIsWork) {
  for (const LockKind kind : {LockKind::ideal, LockKind::ticket, LockKind::mcs, LockKind::qd})
    for (const double cv : {1.0, 5.0, 50.0})
      for (const double localNs : {1.0, 100.0, 10'000.0})
        for (const int threads : {2, 3, 8, 32}) {
          Network network = networkOf({{1, 100}}, localNs);
          network.sections[0].hold.cv = cv;
          const Machine machine = machineOf(64);
          const auto at = predict(network, {kind}, machine, threads, {0, "recursion"});
          ASSERT_TRUE(at) << at.error().message;
          const double handoffNs =
              kind == LockKind::ideal ? 0 : machine.kinds.at(kind).handoffCurve()(threads) + 1000;
          EXPECT_LE(at->locks[0].waitNs, (threads - 1) * (100 + handoffNs) + handoffNs + 1e-6)
              << nameOf(kind) << " " << cv << " " << localNs << " " << threads;
        }
}

/// The queue at a lock whose sections take much less than its overhead.
TEST(Fixpoint, NoMoreThreadsAreAtALockThanThereAre) {
  Network network = crawled();
  network.sections[0].hold.mean = 0.5;
  const Machine machine = machineOf(64);
  const std::vector<Traffic> traffic = trafficOf(network);
  for (const LockKind kind :
       {LockKind::spinlock, LockKind::ticket, LockKind::mcs, LockKind::pthreadMutex}) {
    SolverOptions options;
    options.method = solveMva;
    options.cores = 64;
    const std::vector<LockKind> kinds(3, kind);
    const auto solutions = solveNetwork({network, kinds, machine, traffic}, {1, 8}, options);
    ASSERT_TRUE(solutions);
    for (const Solution &solution : *solutions)
      for (const LockSolution &lock : solution.locks)
        EXPECT_LE(lock.queueLengthWhenBusy, solution.population) << nameOf(kind);
  }
}

/// A number of threads costs no more, and says the same, because others stand before it.
TEST(Fixpoint, ComesToTheSameInAList) {
  const Network network = crawled();
  const Machine machine = machineOf(64);
  Network single = network; // several classes are solved for one number at a time in any case
  single.classes.resize(1);
  std::erase_if(single.transitions, [](const Transition &at) { return at.threadClass == 1; });
  SolverOptions options;
  options.method = solveMva;
  options.cores = 8;
  for (const Network &one : {network, single}) {
    const std::vector<Traffic> ofOne = trafficOf(one);
    for (const LockKind kind : {LockKind::spinlock, LockKind::pthreadMutex, LockKind::mcs}) {
      const std::vector<LockKind> kinds(3, kind);
      const SolverProblem problem{one, kinds, machine, ofOne};
      const auto together = solveNetwork(problem, {1, 4, 15, 16}, options);
      ASSERT_TRUE(together);
      for (const auto &[count, at] : {std::pair(4, 1), std::pair(16, 3)}) {
        const auto alone = solveNetwork(problem, {count}, options);
        ASSERT_TRUE(alone);
        const Solution &inList = (*together)[static_cast<std::size_t>(at)];
        EXPECT_EQ(inList.summary.rounds, alone->front().summary.rounds) << nameOf(kind);
        EXPECT_EQ(inList.cyclesPerNs, alone->front().cyclesPerNs) << nameOf(kind);
      }
    }
  }
}

TEST(Fixpoint, ComesToTheSameFromAnotherStart) {
  const Network network = crawled();
  const Machine machine = machineOf(64);
  const std::vector<Traffic> traffic = trafficOf(network);
  Network changed = network;
  changed.sections[0].hold.mean *= 1.01;
  for (const LockKind kind :
       {LockKind::ideal, LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex}) {
    const std::vector<LockKind> kinds(3, kind);
    PredictOptions options{1 << 20, "recursion"};
    const auto byItself = predictTraffic(changed, traffic, kinds, machine, {4, 16}, options);
    options.startingPoints = makeStartingPoints();
    const auto first = predictTraffic(network, traffic, kinds, machine, {4, 16}, options);
    const auto then = predictTraffic(changed, traffic, kinds, machine, {4, 16}, options);
    ASSERT_TRUE(byItself && first && then);
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_NE((*first)[i].throughputPerS, (*then)[i].throughputPerS) << nameOf(kind);
      EXPECT_NEAR((*then)[i].throughputPerS / (*byItself)[i].throughputPerS, 1, 2e-6)
          << nameOf(kind);
      for (const std::size_t lock : {0u, 1u})
        EXPECT_NEAR((*then)[i].locks[lock].waitNs, (*byItself)[i].locks[lock].waitNs,
                    1e-4 * (*byItself)[i].locks[lock].residenceNs)
            << nameOf(kind) << " " << lock;
    }
  }
}

} // namespace

} // namespace qdadvise
