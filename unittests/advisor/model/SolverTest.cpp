// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver's contract: what it refuses, and what its summaries say of solutions.
#include "advisor/model/solver/Solver.h"

#include "Networks.h"
#include "advisor/model/markov/Markov.h"
#include "advisor/model/mva/Mva.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>

namespace qdadvise {

namespace {

using namespace test;
using ::testing::HasSubstr;

/// A problem that owns everything, and options for it.
struct Solving {
  Solving(Network of, LockKind kind)
      : network(std::move(of)), kinds(network.locks.size(), kind), machine(machineOf(64)),
        traffic(trafficOf(network)) {
    options.method = solveMva;
    options.cores = 64;
  }
  Expected<std::vector<Solution>> operator()(const std::vector<int> &threads) const {
    return solveNetwork({network, kinds, machine, traffic}, threads, options);
  }

  Network network;
  std::vector<LockKind> kinds;
  Machine machine;
  std::vector<Traffic> traffic;
  SolverOptions options;
};

/// A lock that is taken twice inside another one, which is `instances` locks, and is `inner`.
Network nestedIn(std::size_t inner, std::uint32_t instances) {
  Network network = networkOf({{1, 300}, {0, 100}}, 3000);
  network.locks[0].instances = instances;
  Section &section = network.sections[1];
  section.lock = inner;
  section.inside = 0;
  section.visits = 2;
  return network;
}

TEST(SolverOptions, SayWhatIsWrongWithThem) {
  const Solving usual(networkOf({{1, 100}}, 1000), LockKind::ideal);
  EXPECT_FALSE(usual.options.validate());
  const std::pair<const char *, std::function<void(SolverOptions &)>> faults[] = {
      {"no method", [](SolverOptions &o) { o.method = nullptr; }},
      {"cores", [](SolverOptions &o) { o.cores = 0; }},
      {"restTolerance", [](SolverOptions &o) { o.restTolerance = 0; }},
      {"restToleranceFromStart", [](SolverOptions &o) { o.restToleranceFromStart = -1; }},
      {"convergedTolerance", [](SolverOptions &o) { o.convergedTolerance = 1e-9; }},
      {"convergedTolerance", [](SolverOptions &o) { o.convergedTolerance = std::nan(""); }},
      {"maxRounds", [](SolverOptions &o) { o.maxRounds = 0; }},
      {"stagnationRounds", [](SolverOptions &o) { o.stagnationRounds = 0; }},
      {"nearTolerance", [](SolverOptions &o) { o.nearTolerance = 0; }},
      {"stagnationRoundsNear", [](SolverOptions &o) { o.stagnationRoundsNear = 0; }},
      {"calmStep", [](SolverOptions &o) { o.calmStep = 0; }},
      {"visitorsTolerance", [](SolverOptions &o) { o.visitorsTolerance = -1; }},
      {"innerDelayTolerance", [](SolverOptions &o) { o.innerDelayTolerance = 0; }},
      {"maxInnerDelaySteps", [](SolverOptions &o) { o.maxInnerDelaySteps = 0; }},
      {"plentyInstances", [](SolverOptions &o) { o.plentyInstances = 1; }},
      {"tightBound", [](SolverOptions &o) { o.tightBound = 1.5; }},
  };
  for (const auto &[what, spoil] : faults) {
    Solving spoilt = usual;
    spoil(spoilt.options);
    const auto fault = spoilt.options.validate();
    ASSERT_TRUE(fault) << what;
    EXPECT_THAT(fault->message, HasSubstr(what));
    const auto refused = spoilt({2});
    ASSERT_FALSE(refused) << what;
    EXPECT_EQ(refused.error().message, fault->message);
  }
}

TEST(Solver, RefusesAMachineWithoutTheFigures) {
  Solving solving(networkOf({{1, 100}}, 1000), LockKind::spinlock);
  solving.machine.kinds.erase(LockKind::spinlock);
  const auto refused = solving({2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("spinlock"));
}

TEST(Solver, RefusesWhatItsMethodCannotSolve) {
  Solving solving(networkOf({{1, 100}}, 1000), LockKind::pthreadMutex);
  solving.options.method = solveMarkov;
  const auto refused = solving({2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("markov"));
}

TEST(Solver, CallsItsMethodOnceIfNothingDependsOnTheSolution) {
  const auto solutions = Solving(networkOf({{1, 100}}, 1000), LockKind::spinlock)({1, 8});
  ASSERT_TRUE(solutions);
  ASSERT_EQ(solutions->size(), 2u);
  for (const Solution &solution : *solutions) {
    EXPECT_TRUE(solution.summary.converged());
    EXPECT_EQ(solution.summary.stop, SolverStop::noIteration);
    EXPECT_EQ(solution.summary.bound, SolverBound::none);
    EXPECT_EQ(solution.summary.method, solveMva);
    EXPECT_EQ(solution.summary.rounds, 0);
    EXPECT_EQ(solution.summary.closestChange, 0);
  }
}

TEST(Solver, IteratesToRestOverNestedSections) {
  const Solving solving(nestedIn(1, 4), LockKind::spinlock);
  const auto solutions = solving({8});
  ASSERT_TRUE(solutions);
  const SolverSummary &summary = solutions->front().summary;
  EXPECT_EQ(summary.status, SolverStatus::converged);
  EXPECT_EQ(summary.stop, SolverStop::atRest);
  EXPECT_EQ(summary.bound, SolverBound::none);
  EXPECT_EQ(summary.method, solveMva);
  EXPECT_GT(summary.rounds, 1);
  EXPECT_LE(summary.closestChange, solving.options.restTolerance);
}

/// Where nobody waits, 4000 threads on 32 cores would hold locks 125 times as long: the first
/// solution has waits that are up to thousands of times too long.
TEST(Solver, ComesToRestInFewRoundsOnSharedCores) {
  for (const LockKind kind :
       {LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex}) {
    Solving solving(networkOf({{0.7, 300}, {0.2, 500}, {0.1, 700}}, 5000), kind);
    solving.options.cores = 32;
    const auto solutions = solving({4000});
    ASSERT_TRUE(solutions);
    const SolverSummary &summary = solutions->front().summary;
    EXPECT_TRUE(summary.converged()) << nameOf(kind);
    EXPECT_EQ(summary.stop, SolverStop::atRest) << nameOf(kind);
    EXPECT_LE(summary.rounds, 14) << nameOf(kind);
  }
}

/// A chain of sections inside each other's locks: what one waits for, all before it wait for, and
/// times in between become a million times too long.
TEST(Solver, ComesToRestOverAChainOfNestedSections) {
  constexpr std::size_t locks = 12;
  Network network = networkOf(std::vector<TestLock>(locks, {1.0 / locks, 200}), 5000);
  for (std::size_t i = 0; i + 1 < locks; ++i) {
    Section inner = network.sections[i + 1];
    inner.name += " inside";
    inner.inside = i;
    inner.visits = 1;
    inner.shared = i % 3 != 0;
    network.sections.push_back(inner);
  }
  for (const LockKind kind : {LockKind::pthreadRwlock, LockKind::pthreadMutex, LockKind::mcs}) {
    const auto solutions = Solving(network, kind)({16});
    ASSERT_TRUE(solutions);
    EXPECT_TRUE(solutions->front().summary.converged()) << nameOf(kind);
  }
}

TEST(Solver, StopsAtTheLimitOfRounds) {
  Solving solving(nestedIn(1, 4), LockKind::spinlock);
  solving.options.maxRounds = 2;
  solving.options.convergedTolerance = solving.options.restTolerance;
  const auto solutions = solving({8});
  ASSERT_TRUE(solutions);
  const Solution &solution = solutions->front();
  EXPECT_EQ(solution.summary.status, SolverStatus::notConverged);
  EXPECT_EQ(solution.summary.stop, SolverStop::roundLimit);
  EXPECT_EQ(solution.summary.rounds, 2);
  EXPECT_GT(solution.summary.closestChange, solving.options.restTolerance);
  EXPECT_GT(solution.cyclesPerNs, 0);
}

TEST(Solver, StopsIfNoRoundComesCloser) {
  Solving solving(nestedIn(1, 4), LockKind::spinlock);
  solving.options.stagnationRounds = solving.options.stagnationRoundsNear = 1;
  const auto solutions = solving({8});
  ASSERT_TRUE(solutions);
  EXPECT_EQ(solutions->front().summary.stop, SolverStop::stagnated);
  EXPECT_EQ(solutions->front().summary.rounds, 2) << "it is tried once more in short steps";
}

TEST(Solver, BoundsClassesThatAreTakenInsideThemselves) {
  const Solving many(nestedIn(0, 16), LockKind::spinlock), one(nestedIn(0, 1), LockKind::spinlock);
  const std::vector<int> threads{1, 64};
  const auto bounded = many(threads), worst = one(threads);
  ASSERT_TRUE(bounded && worst);
  EXPECT_EQ((*bounded)[0].summary.bound, SolverBound::none) << "one thread waits for nobody";
  EXPECT_NE((*bounded)[1].summary.bound, SolverBound::none);
  EXPECT_GE((*bounded)[1].cyclesPerNs, (*worst)[1].cyclesPerNs);
}

/// From one thread to the next a bound is no other world: up to five times less was predicted.
TEST(Solver, HasNoJumpWhereABoundBegins) {
  const Solving many(nestedIn(0, 16), LockKind::spinlock);
  std::vector<int> threads(64);
  std::iota(threads.begin(), threads.end(), 1);
  const auto all = many(threads);
  ASSERT_TRUE(all);
  const auto isBound = [](const Solution &at) { return at.summary.bound != SolverBound::none; };
  const auto first = std::ranges::find_if(*all, isBound);
  ASSERT_TRUE(first != all->begin() && first != all->end());
  for (auto at = first; at != all->end(); ++at) {
    EXPECT_TRUE(isBound(*at)) << at->population;
    EXPECT_NEAR(at->cyclesPerNs / std::prev(first)->cyclesPerNs, 1, 1e-6) << at->population;
    double waitNs = 0; // Little's law: all threads are somewhere
    for (const ClassSolution &one : at->classes)
      waitNs += one.waitNs;
    EXPECT_NEAR(waitNs - std::prev(first)->classes.front().waitNs,
                (at->population - std::prev(first)->population) / at->cyclesPerNs, 1e-5 * waitNs);
    // What else is asked for makes no difference.
    EXPECT_NEAR(many({at->population})->front().cyclesPerNs / at->cyclesPerNs, 1, 1e-3)
        << at->population;
  }
}

TEST(Solver, CallsABoundTightByItsOptions) {
  Solving solving(nestedIn(0, 16), LockKind::spinlock);
  const auto boundWith = [&](double share) {
    solving.options.tightBound = share;
    const auto solutions = solving({64});
    return solutions ? solutions->front().summary.bound : SolverBound::none;
  };
  EXPECT_EQ(boundWith(0), SolverBound::tight);
  EXPECT_EQ(boundWith(1), SolverBound::loose);
}

} // namespace

} // namespace qdadvise
