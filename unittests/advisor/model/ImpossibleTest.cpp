// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate behind every prediction: solutions of a solver, and what no machine could do.
#include "advisor/model/solver/Impossible.h"

#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/mva/Capacity.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/solver/Progress.h"
#include "advisor/model/workload/Workload.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

namespace qdadvise {

namespace {

using namespace test;
using ::testing::HasSubstr;

/// 8 threads at two locks of this algorithm.
struct Solved {
  const Network network = networkOf({{0.5, 400}, {0.5, 100}}, 1000);
  const std::vector<LockKind> kinds;
  const Machine machine = machineOf(32);
  const std::vector<Traffic> traffic = trafficOf(network);
  const SolverProblem problem{network, kinds, machine, traffic};
  Solution solution;

  explicit Solved(LockKind kind) : kinds(2, kind) {
    SolverOptions options;
    options.method = solveMva;
    options.cores = machine.cores;
    auto solutions = solveNetwork(problem, {8}, options);
    EXPECT_TRUE(solutions);
    solution = std::move(solutions->front());
  }
  Solved(const Solved &) = delete; // `problem` refers to the others
  Solved &operator=(const Solved &) = delete;
};

/// Returns what the gate says of the solution after a change.
std::string saysOf(LockKind kind, const std::function<void(Solution &)> &change) {
  Solved solved(kind);
  change(solved.solution);
  return impossibility(solved.problem, solved.solution, solved.machine.cores);
}

void scale(Solution &solution, double factor) {
  solution.cyclesPerNs *= factor;
  for (ClassSolution &one : solution.classes)
    one.cyclesPerNs *= factor;
}

TEST(Impossible, IsNothingThatTheModelsSayOfAPlainNetwork) {
  for (const LockKind kind :
       {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd, LockKind::mcs})
    EXPECT_EQ(saysOf(kind, [](Solution &) {}), "") << nameOf(kind);
}

TEST(Impossible, IsWhatBreaksABound) {
  const LockKind kind = LockKind::pthreadMutex;
  // 8 threads without any waiting do a cycle each 1250 ns. The first lock allows one each 200 ns.
  const auto at = [](double cyclesPerNs) {
    return [=](Solution &solution) { scale(solution, cyclesPerNs / solution.cyclesPerNs); };
  };
  EXPECT_THAT(saysOf(kind, at(1.1 * 8 / 1250.0)), HasSubstr("1.1 times as fast as without any"));
  EXPECT_THAT(saysOf(kind, at(1.1 / 200)), HasSubstr("lock lock0 would be held for 1.1 times"));
  EXPECT_THAT(saysOf(kind, [](Solution &solution) { solution.classes[0].waitNs *= 10; }),
              HasSubstr("8 threads would be"));
  EXPECT_THAT(saysOf(kind,
                     [](Solution &solution) {
                       scale(solution, 1e-6);
                       solution.classes[0].waitNs = 8 / solution.cyclesPerNs;
                     }),
              HasSubstr("times as slow as with one thread at a time"));
  EXPECT_THAT(saysOf(kind, [](Solution &solution) { solution.locks[1].residenceNs += 4e6; }),
              HasSubstr("wait for lock lock1 "));
  for (const double value :
       {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(saysOf(kind, [=](Solution &solution) { solution.cyclesPerNs = value; }),
              "it is no number");
}

/// Waits that leave nobody going on become as long as leaves one thread, and so do cycles.
TEST(Progress, BoundsWaits) {
  Solved solved(LockKind::ideal);
  const SolverProblem &problem = solved.problem;
  const Machine &machine = solved.machine;
  Solution &solution = solved.solution;
  const double before = solution.cyclesPerNs;
  boundByProgress(problem, machine.cores, solution);
  EXPECT_EQ(solution.cyclesPerNs, before) << "several go on";

  scale(solution, 1e-3);
  ClassSolution &one = solution.classes[0];
  one.waitNs = 8 / solution.cyclesPerNs - 1250;
  boundByProgress(problem, machine.cores, solution);
  EXPECT_NEAR(threadsGoingOn(problem, solution, machine.cores), 1, 1e-9);
  EXPECT_NEAR(solution.cyclesPerNs, 1 / 1250.0, 1e-9);
  EXPECT_NEAR(one.waitNs, 7 * 1250, 1e-6);
}

/// Locks of a nesting cycle are one lock: who wants the short one waits while the long one is held.
TEST(Impossible, IsNoWaitForAnotherLockOfACycle) {
  Network network = networkOf({{0.5, 1e6}, {0.5, 100}}, 1000);
  for (std::size_t i = 0; i < 2; ++i) {
    Section inner = network.sections[1 - i];
    inner.name += " inside";
    inner.inside = i;
    inner.visits = 1;
    inner.hold.mean = 10;
    network.sections.push_back(inner);
  }
  const auto at = predict(network, {LockKind::ideal, LockKind::ideal}, machineOf(8), 4);
  ASSERT_TRUE(at) << at.error().message;
  EXPECT_EQ(at->impossible, "");
  EXPECT_GT(at->locks[1].waitNs, 10 * 3 * 110);
}

/// A method that takes each lock by itself may let one serve more than it can.
TEST(Capacity, MakesUpForWhatAQueueLacks) {
  const Machine machine = machineOf(32);
  ClosedNetwork network{machine, 0, 1000, {}};
  LockStation station;
  station.kind = LockKind::ideal;
  station.load.holdNs = 400;
  station.visits = station.directVisits = 1;
  network.stations = {station, station};
  network.stations[1].load.holdNs = 100;
  NetworkState state{8, 8 / 2000.0, {{700, 0.5}, {300, 0.5}}};
  boundByCapacity(network, state);
  EXPECT_DOUBLE_EQ(state.cyclesPerNs, 1 / 400.0);
  EXPECT_DOUBLE_EQ(state.stations[0].residenceNs, 700 + 3200 - 2000);
  EXPECT_DOUBLE_EQ(state.stations[1].residenceNs, 300);

  // Of two classes, the one that comes more often loses more.
  ClassNetwork classes{{{}, {}}, {}};
  for (const double visits : {1.0, 0.25})
    classes.classes.push_back({4, 0, 1000, {{visits, visits, 400, 1, 0}, {1, 1, 100, 1, 0}}});
  std::vector<ClassState> states;
  for (const ClassLoad &load : classes.classes)
    states.push_back({cyclesPerNs(classes, load, 4, {0, 0}), {0, 0}});
  boundByCapacity(network, classes, states);
  const double held = 400 * (states[0].cyclesPerNs + 0.25 * states[1].cyclesPerNs);
  EXPECT_NEAR(held, 1, 1e-9);
  EXPECT_EQ(states[0].waitNs[0], states[1].waitNs[0]);
  EXPECT_GT(states[0].waitNs[0], 0);
  EXPECT_EQ(states[0].waitNs[1], 0);
}

/// Two classes that share one thread do not meet.
TEST(Impossible, IsAWaitOfOneThread) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}}, 1000);
  network.sections[1].hold.cv = 100;
  network.classes.push_back({"other"});
  for (std::size_t i = 0; i < 4; ++i) {
    Transition transition = network.transitions[i];
    transition.threadClass = 1;
    network.transitions.push_back(transition);
  }
  const auto at = predict(network, {LockKind::ideal, LockKind::ideal}, machineOf(8), 1);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->throughputPerS, 1e9 / 1250, 1);
}

} // namespace

} // namespace qdadvise
