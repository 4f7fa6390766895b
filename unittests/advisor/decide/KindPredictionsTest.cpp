// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/KindPredictions.h"

#include "unittests/advisor/model/Networks.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

KindPredictions predicted(const Network &network) {
  const auto result =
      predictKind(network, {}, network.locks[0].kind.kind, test::machineOf(16), {1, 2, 8}, {});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : KindPredictions();
}

TEST(KindPredictions, HaveAPointForEachNumberOfThreads) {
  const Network network = test::networkOf({{1, 300}}, 500);
  const KindPredictions found = predicted(network);
  EXPECT_EQ(found.kind, KindChoice(network.locks[0].kind.kind));
  ASSERT_EQ(found.points.size(), 3u);
  for (const PredictedPoint &at : found.points) {
    EXPECT_LE(at.intervals.throughputPerS.low, at.figures.throughputPerS);
    EXPECT_GE(at.intervals.throughputPerS.high, at.figures.throughputPerS);
    EXPECT_FALSE(at.run) << "what else the program does is not known";
    EXPECT_FALSE(at.optimismAt(0)) << "nothing was traced";
  }
  EXPECT_EQ(found.points[2].figures.threads, 8);
}

TEST(KindPredictions, AreOfTodaysLocksWhereThatIsAsked) {
  Network network = test::networkOf({{0.5, 300}, {0.5, 300}}, 500);
  network.locks[0].kind = LockKind::pthreadMutex;
  network.locks[1].kind = LockKind::mcs;
  const auto today = predictKind(network, {}, KindChoice(), test::machineOf(16), {8}, {});
  const auto given = predictAssignment(network, {LockKind::pthreadMutex, LockKind::mcs},
                                       test::machineOf(16), {8}, {});
  ASSERT_TRUE(today) << today.error().message;
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(today->points[0].figures.throughputPerS, given->points[0].figures.throughputPerS);
  const std::vector<LockPrediction> &locks = today->points[0].figures.locks;
  EXPECT_GT(locks[0].waitNs, 1.05 * locks[1].waitNs) << "only the first one's waiters sleep";
}

/// Amdahl's law, what threads lose to each other (RUN14), and no more than there are processors.
TEST(KindPredictions, AreOfTheRunAloneWithoutLocks) {
  qdadvise::Run run;
  run.serialNs = 1e9;
  run.parallelNs = 3e9;
  run.threads = 1;
  run.computing = run.processors = 1;
  run.barrierStretch = 1;
  const KindPredictions found = predictWithoutLocks(run, test::machineOf(4), {1, 2, 4, 8}, {});
  ASSERT_EQ(found.points.size(), 4u);
  const auto expected = [](double threads) {
    return 4 / (1 + 3 / threads * (1 + sharingLoss * (1 - 1 / threads)));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const PredictedPoint &at = found.points[i];
    EXPECT_EQ(at.figures.speedup, at.figures.threads);
    ASSERT_TRUE(at.run);
    EXPECT_NEAR(at.run->figures.speedup, expected(at.figures.threads), 1e-9);
    EXPECT_LE(at.run->speedup.low, 1) << "one thread may do it all";
    EXPECT_GE(at.run->speedup.high, at.run->figures.speedup);
  }
  EXPECT_EQ(found.points[3].figures.speedup, 4) << "four processors";
}

TEST(KindPredictions, KnowTheWholeRunWhereItWasRecorded) {
  Network network = test::networkOf({{1, 300}}, 500);
  network.run.emplace();
  network.run->serialNs = 1e9;
  network.run->parallelNs = 3e9;
  network.run->threads = 1;
  for (const PredictedPoint &at : predicted(network).points) {
    ASSERT_TRUE(at.run);
    EXPECT_LE(at.run->speedup.low, at.run->figures.speedup);
    EXPECT_GE(at.run->speedup.high, at.run->figures.speedup);
    EXPECT_LE(at.run->figures.speedup, 4.0) << "a quarter is serial";
  }
}

TEST(KindPredictions, KnowWhatCopiesOfTheProgramTook) {
  Network network = test::networkOf({{1, 1}}, 1e6);
  network.run.emplace();
  network.run->parallelNs = 3e9;
  network.run->threads = 1;
  network.run->copies = {"a processor", 16, {{2, 1.25, 0.01}}};
  Machine machine = test::machineOf(16);
  const auto on = [&](int threads) {
    return predictKind(network, {}, LockKind::ideal, machine, {threads}, {})->points[0].run;
  };
  EXPECT_NEAR(on(2)->figures.speedup, 2 / 1.1, 1e-3) << "threads share something (RUN14)";
  machine.cpu = "a processor";
  machine.source = "measured";
  EXPECT_NEAR(on(2)->figures.speedup, 2 / 1.25, 1e-3);
  EXPECT_LT(on(2)->speedup.low, 2 / 1.25 * std::exp(-1.96 * 0.25)) << "rounds differ";
  EXPECT_EQ(on(1)->figures.speedup, 1);
  EXPECT_EQ(on(1)->speedup.low, 1);
}

TEST(KindPredictions, DivideARunAmongTheCoresThatWereAskedFor) {
  Network network = test::networkOf({{1, 1}}, 1e6);
  network.run.emplace();
  network.run->parallelNs = 3e9;
  network.run->threads = 1;
  network.run->fixedWork = 0.4;
  network.run->work = network.run->computing = 1.4;
  const auto on = [&](int cores, int asked) {
    const auto found = predictKind(network, {}, LockKind::pthreadMutex, test::machineOf(cores), {2},
                                   {.cores = asked});
    EXPECT_TRUE(found) << found.error().message;
    return found->points[0].run->figures.speedup;
  };
  EXPECT_DOUBLE_EQ(on(16, 2), on(2, 0));
  EXPECT_LT(on(16, 2), 0.9 * on(16, 0));
}

TEST(KindPredictions, LeaveRoomForWhatThreadsShareBesidesLocks) {
  // Nobody waits: the sections are known to scale.
  Network network = test::networkOf({{1, 1}}, 1e6);
  network.run.emplace();
  network.run->parallelNs = 3e9;
  network.run->threads = 1;
  const KindPredictions found = predicted(network);
  const PredictedPoint &one = found.points[0], &two = found.points[1];
  EXPECT_NEAR(one.run->speedup.low, 1, 1e-3) << "one thread has all for itself";
  EXPECT_GT(two.intervals.speedup.low, 1.99);
  EXPECT_NEAR(two.run->figures.speedup, 2 / 1.1, 0.01);
  EXPECT_NEAR(two.run->speedup.low, 2 / 1.1 * std::exp(-1.96 * 0.25), 0.01);
  // They may lose nothing.
  EXPECT_NEAR(two.run->speedup.high, 2 / 1.1 * std::exp(std::hypot(std::log(1.1), 1.96 * 0.12)),
              0.01);
}

TEST(KindPredictions, LeaveRoomForWorkThatDoesNotDivide) {
  Network network = test::networkOf({{1, 1}}, 1e6);
  network.run.emplace();
  network.run->parallelNs = 3e9;
  network.run->longestStretch = 0.25;
  const KindPredictions found = predicted(network);
  const PredictedPoint &one = found.points[0], &two = found.points[1];
  EXPECT_NEAR(one.run->speedup.low, 1, 1e-3);
  EXPECT_NEAR(two.run->figures.speedup, 2 / 1.1, 0.01);
  // One thread may wait for the other's quarter.
  EXPECT_NEAR(two.run->speedup.low,
              2 / 1.1 * std::exp(-std::hypot(std::log(1.25 / 1.1), 1.96 * 0.25)), 0.01);
  EXPECT_NEAR(two.run->speedup.high, 2 / 1.1 * std::exp(std::hypot(std::log(1.1), 1.96 * 0.12)),
              0.01);
}

TEST(KindPredictions, WaitForAFixedThreadOnWhoseWorkTheyGo) {
  Network network = test::networkOf({{1, 1}}, 1e6);
  network.run.emplace();
  network.run->parallelNs = 3e9;
  network.run->fixedWork = 0.8;
  network.run->work = 1.6;
  const KindPredictions found = predicted(network); // on 16 processors
  const PredictedPoint &one = found.points[0], &eight = found.points[2];
  EXPECT_NEAR(one.run->speedup.low, 1, 1e-3);
  EXPECT_NEAR(eight.run->figures.speedup, 1.25, 1e-9);
  // At worst the eight wait whenever it works: 0.8 + 0.8 * 8/9.
  const double most = std::log(1 + 8.0 / 9);
  EXPECT_NEAR(eight.run->speedup.low, 1.25 * std::exp(-std::hypot(most, 1.96 * 0.25)), 1e-9);
  EXPECT_NEAR(eight.run->speedup.high, 1.25 * std::exp(1.96 * 0.12), 1e-9);
}

TEST(KindPredictions, OfSectionsAreNoFasterThanAllThreadsAtOnce) {
  Network network = test::networkOf({{1, 300}}, 6000);
  network.sections[0].hold.samples = network.transitions[0].local.samples = 3; // so it is wide
  network.run.emplace();
  network.run->parallelNs = 3e9;
  const KindPredictions found = predicted(network);
  const PredictedPoint &two = found.points[1];
  ASSERT_EQ(two.intervals.speedup.high, 2);
  const double ofModel = std::log(2 / two.run->figures.speedup);
  EXPECT_NEAR(two.run->speedup.high,
              two.run->figures.speedup * std::exp(std::hypot(ofModel, 1.96 * 0.12)), 0.01);
}

} // namespace
} // namespace qdadvise
