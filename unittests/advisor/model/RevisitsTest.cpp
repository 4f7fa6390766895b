// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread comes to a lock next, and which one has a mutex that always has sleepers.
#include "advisor/model/workload/Revisits.h"
#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

Machine twoSockets() {
  Machine machine = *readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  machine.placement = ThreadPlacement::sockets; // as the models were fitted
  return machine;
}

/// Six locks with sections of 400 ns; after a section a thread comes to the same lock again with
/// that probability.
Network staying(double probability) {
  const std::size_t count = 6;
  Network network = networkOf(std::vector<TestLock>(count, {1.0 / count, 400}), 4000);
  for (Transition &transition : network.transitions)
    transition.probability = transition.from == transition.to
                                 ? probability
                                 : (1 - probability) / static_cast<double>(count - 1);
  return network;
}

Network writing(double lines, Network network) {
  for (Section &section : network.sections)
    section.footprint = Footprint{{}, {{0, lines}}};
  return network;
}

TEST(Revisits, AreReadFromTheRouting) {
  Network network = staying(0.75);
  for (Transition &transition : network.transitions)
    transition.local.mean = transition.from == transition.to ? 100 : 900;
  const auto ways = revisitsOf(network, trafficOf(network).front());
  ASSERT_EQ(ways.size(), 6u);
  EXPECT_NEAR(ways[0].visits, 1 / 6.0, 1e-9);
  EXPECT_NEAR(ways[0].again, 0.75, 1e-9);
  EXPECT_NEAR(ways[0].againNs, 100, 1e-9);
  EXPECT_NEAR(ways[0].leavingNs, 900, 1e-9);
}

TEST(Revisits, AtRandomAnyThreadIsAsLikely) {
  // n threads come in a fifth of their steps, each of which takes 1000 ns.
  for (const int threads : {2, 8, 30}) {
    const Revisit way{0.2, 0.2, 1000, 1000, 5000, 0};
    EXPECT_NEAR(followsItself(way, (threads - 1) / 5000.0, {{1, 1}}), 1.0 / threads, 1e-9);
    // An instance is a lock of its own.
    EXPECT_NEAR(followsItself(way, (threads - 1) / 5000.0, {{0.25, 4}}), 1.0 / threads, 1e-9);
  }
}

TEST(Revisits, SeveralInARowAreOfOneThread) {
  const double others = 7 / 5000.0;
  double last = 0;
  for (const double again : {0.2, 0.5, 0.9, 1.0}) {
    const double same = followsItself({0.2, again, 100, 100, 5000, 0}, others, {{1, 1}});
    EXPECT_GT(same, last) << again;
    last = same;
  }
  EXPECT_NEAR(last, 1 / (1 + others * 100), 1e-9);
}

TEST(Revisits, OfSeveralClassesAreMixedByHowOftenTheyCome) {
  // The first makes three cycles while the second makes one, which has twice as many visits.
  const Revisit mean = mixture({{3, {0.25, 1, 100, 0}}, {1, {0.5, 0.5, 400, 900}}, {1, {}}});
  EXPECT_DOUBLE_EQ(mean.visits, 0.25);
  EXPECT_DOUBLE_EQ(mean.again, (3 * 0.25 + 0.25) / 1.25);
  EXPECT_DOUBLE_EQ(mean.againNs, 3 * 0.25 * 100 + 0.25 * 400) << "of one that came again";
  EXPECT_DOUBLE_EQ(mean.leavingNs, 900);
  EXPECT_EQ(mixture({{1, {}}}).visits, 0) << "nobody comes";
}

TEST(Revisits, WhoWaitedElsewhereComesAfterOthers) {
  const double others = 7 / 5000.0;
  const double all = followsItself({0.5, 0, 0, 0, 5000, 0}, others, {{1, 1}});
  EXPECT_NEAR(followsItself({0.5, 0, 0, 0, 5000, 1}, others, {{1, 1}}), all / 2, 1e-9);
}

/// Threads that come to so many locks of a class and choose at random, with computation of 1000 ns.
EffectiveVisitors visitorsOfAlike(double threads, double residenceNs, double count = 1) {
  const std::vector<InstanceGroup> one{{1 / count, count}};
  const std::vector<Revisit> ways{{1, 1, 1000, 0, 0, 0}};
  const double roundsPerNs = threads / (1000 + residenceNs);
  return effectiveVisitorsAt({{1, residenceNs - 100, residenceNs, 0.5, &one}},
                             {{threads, roundsPerNs, &ways}}, roundsPerNs, threads)[0];
}

TEST(Revisits, WhoFindsALockFreeMeetsTheOthersAwayFromIt) {
  // Threads that are away are equally likely to be next, however long all of them are
  // at the lock meanwhile.
  for (const double residenceNs : {100.0, 800.0})
    for (const double threads : {2.0, 8.0})
      EXPECT_NEAR(visitorsOfAlike(threads, residenceNs).visitors, threads, 1e-6)
          << residenceNs << " ns, " << threads << " threads";
  EXPECT_EQ(effectiveVisitorsAt({{}}, {}, 0, 4)[0].visitors, 0) << "nobody";
}

TEST(Revisits, VisitsToOtherInstancesTakeTime) {
  // However long they are, any thread is as likely to be next at one of many locks.
  for (const double residenceNs : {100.0, 1e5})
    for (const double threads : {2.0, 8.0})
      EXPECT_NEAR(visitorsOfAlike(threads, residenceNs, 1e6).visitors / threads, 1, 1e-3)
          << residenceNs << " ns, " << threads << " threads";
}

/// A lock for each vertex of a graph, taken for an addition: hardly anybody waits, and nearly all
/// of the time is that of the locks' lines.
TEST(Revisits, HaveLinesOfManyLocksElsewhere) {
  const Machine machine = twoSockets();
  sim::SimulateOptions options;
  options.precision = 0.02;
  for (const auto &[instances, tolerance] : {std::pair{64.0, 0.25}, std::pair{4096.0, 0.05}}) {
    Network network = networkOf({{1, 1}}, 5);
    network.locks[0].instances = static_cast<std::uint32_t>(instances);
    for (const LockKind kind :
         {LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex})
      for (const int threads : {2, 8})
        EXPECT_NEAR(
            predict(network, {kind}, machine, threads)->throughputPerS /
                sim::simulate(network, {kind}, machine, threads, options)->figures.throughputPerS,
            1, tolerance)
            << nameOf(kind) << ", " << instances << " locks, " << threads << " threads";
  }
}

TEST(Revisits, DecideHowOftenDataMove) {
  // The data are elsewhere 7 times out of 8 if threads come at random, and 5 times if threads stay.
  const Machine machine = twoSockets();
  sim::SimulateOptions options;
  options.precision = 0.05;
  options.waitFloor = 0.2;
  options.mostSteps = 1'000'000;
  options.dataLines = 8;
  const Network random = staying(1.0 / 6), stays = staying(0.9);
  for (const LockKind kind :
       {LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex}) {
    const std::vector<LockKind> kinds(random.locks.size(), kind);
    const auto simulated = [&](const Network &network) {
      return sim::simulate(network, kinds, machine, 8, options)->figures.locks[0].waitNs;
    };
    const auto predicted = [&](const Network &network) {
      return predict(writing(8, network), kinds, machine, 8)->locks[0].waitNs;
    };
    const double less = simulated(random) - simulated(stays);
    EXPECT_GT(less, 40) << nameOf(kind);
    const double predictedLess = predicted(random) - predicted(stays);
    EXPECT_GT(predictedLess, 0.3 * less) << nameOf(kind);
    EXPECT_LT(predictedLess, 1.4 * less) << nameOf(kind);
  }
}

TEST(Mutex, HasWhoIsAwakeWhereSectionsAreLong) {
  // Far fewer than half find the mutex taken: a woken thread finds it taken again, and sleeps.
  const Machine machine = twoSockets();
  sim::SimulateOptions options;
  options.precision = 0.02;
  for (const double holdNs : {4000.0, 10'000.0})
    for (const double away : {0.03, 0.3})
      for (const int threads : {8, 32}) {
        const Network network = networkOf({{1, holdNs}}, away * holdNs);
        const auto simulated =
            sim::simulate(network, {LockKind::pthreadMutex}, machine, threads, options);
        const auto at = predict(network, {LockKind::pthreadMutex}, machine, threads);
        ASSERT_TRUE(simulated && at);
        EXPECT_NEAR(at->locks[0].contentionRate, simulated->figures.locks[0].contentionRate, 0.05)
            << holdNs << ' ' << away << ' ' << threads;
        EXPECT_NEAR(at->throughputPerS / simulated->figures.throughputPerS, 1, 0.1)
            << holdNs << ' ' << away << ' ' << threads;
      }
}

TEST(Mutex, BesideOneWhereNearlyAllSleepOneThreadHasTheData) {
  // In 10 of 25 cases the next section is at the other lock, by the one thread that is awake.
  Network network = networkOf({{0.6, 8000}, {0.4, 400}}, 200);
  const Machine machine = twoSockets();
  sim::SimulateOptions options;
  options.precision = 0.05;
  options.dataLines = 8;
  const std::vector<LockKind> kinds(2, LockKind::pthreadMutex);
  const auto simulated = sim::simulate(network, kinds, machine, 32, options);
  const auto at = predict(writing(8, network), kinds, machine, 32);
  ASSERT_TRUE(simulated && at);
  // All of the data would take more than 500 ns.
  EXPECT_LT(simulated->figures.locks[1].waitNs, 150);
  EXPECT_NEAR(at->locks[1].waitNs, simulated->figures.locks[1].waitNs, 75);
  EXPECT_NEAR(at->throughputPerS / simulated->figures.throughputPerS, 1, 0.1);
}

} // namespace

} // namespace qdadvise
