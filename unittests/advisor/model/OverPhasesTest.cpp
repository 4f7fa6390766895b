// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/OverPhases.h"

#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/network/Phases.h"
#include "unittests/advisor/model/Networks.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::test;

namespace {

constexpr int threads = 8;

PredictOptions recursion() {
  PredictOptions options;
  options.model = "recursion";
  return options;
}

/// Two locks. Threads take the second one in the second phase only, and the first one for a short
/// time in the first phase.
Network phased() {
  Network network = networkOf({{0.5, 200, 1}, {0.5, 600, 1}}, 1000);
  network.phases = {0.6, 0.4};
  network.sections[0].phases = {{0.25, 1}, {1.5, 1}};
  for (Section &section : network.sections)
    section.hold.samples = 5000;
  for (Transition &transition : network.transitions) {
    transition.samples = transition.local.samples = 2500;
    transition.phases = {{transition.from == 0 && transition.to == 0 ? 1.0 : 0.0, 1.2},
                         {transition.to == 1 ? 0.9 : 0.1, 0.7}};
  }
  return network;
}

Prediction predicted(const Network &network, LockKind kind, int count = threads) {
  const auto prediction =
      predict(network, std::vector(network.locks.size(), kind), machineOf(32), count, recursion());
  EXPECT_TRUE(prediction) << prediction.error().message;
  return *prediction;
}

void expectInside(const Interval &interval, double value) {
  EXPECT_LE(interval.low, value);
  EXPECT_GE(interval.high, value);
}

} // namespace

/// Each section is followed by one stretch, in which its thread is blocked for 1 us.
TEST(OverPhases, ThreadsAreBlockedForTheSameShareOfTheirTimeAsInAll) {
  Network network = phased();
  for (Transition &transition : network.transitions)
    transition.blockedNs = 1000;
  const Prediction whole = predicted(network, LockKind::ideal, 1);
  EXPECT_NEAR(whole.blockedShare, whole.throughputPerS * 1000e-9, 1e-9);
  EXPECT_NE(whole.phases[0].blockedShare, whole.phases[1].blockedShare);
}

/// With one thread and ideal locks the time of a run is a sum.
TEST(OverPhases, OneThreadTakesTheTimeOfAllPhases) {
  const Prediction whole = predicted(phased(), LockKind::ideal, 1);
  const double first = 50 + 1200, second = 0.1 * 300 + 0.9 * 600 + 700;
  EXPECT_NEAR(1e9 / whole.throughputPerS, 0.6 * first + 0.4 * second, 1e-6);
  EXPECT_NEAR(whole.speedup, 1, 1e-9);
  const auto times = timeInPhases(phased(), whole.phases);
  EXPECT_NEAR(times[0], 0.6 * first / (0.6 * first + 0.4 * second), 1e-9);
  EXPECT_NEAR(whole.locks[1].utilization, 0.4 * 0.9 * 600 / (0.6 * first + 0.4 * second), 1e-9);
}

/// A run whose phases are alike is a steady run.
TEST(OverPhases, AlikeAreOne) {
  Network network = networkOf({{0.3, 200, 0.5}, {0.7, 600, 1}}, 3000);
  const Network steady = network;
  network.phases = {0.2, 0.8};
  for (const LockKind kind : {LockKind::ideal, LockKind::pthreadMutex, LockKind::mcs}) {
    const Prediction one = predicted(steady, kind), two = predicted(network, kind);
    EXPECT_NEAR(two.throughputPerS / one.throughputPerS, 1, 1e-9);
    EXPECT_NEAR(two.speedup / one.speedup, 1, 1e-9);
    EXPECT_EQ(two.model, one.model);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(two.locks[i].waitNs / one.locks[i].waitNs, 1, 1e-9);
      EXPECT_NEAR(two.locks[i].queueLength / one.locks[i].queueLength, 1, 1e-9);
      EXPECT_NEAR(two.locks[i].contentionRate / one.locks[i].contentionRate, 1, 1e-9);
    }
    EXPECT_NEAR(two.classes[0].cycleNs / one.classes[0].cycleNs, 1, 1e-9);
    EXPECT_NEAR(two.classes[0].waitNs / one.classes[0].waitNs, 1, 1e-9);
  }
}

TEST(OverPhases, TimesAddUp) {
  const Network network = phased();
  const Prediction whole = predicted(network, LockKind::pthreadMutex);
  ASSERT_EQ(whole.phases.size(), 2u);
  double time = 0, alone = 0; // of a section, on the average
  for (std::size_t i = 0; i < 2; ++i) {
    const Prediction one = predicted(networkOfPhase(network, i), LockKind::pthreadMutex);
    EXPECT_DOUBLE_EQ(whole.phases[i].throughputPerS, one.throughputPerS);
    time += network.phases[i] / one.throughputPerS;
    alone += network.phases[i] / one.throughputPerS * one.speedup;
  }
  EXPECT_NEAR(whole.throughputPerS * time, 1, 1e-9);
  EXPECT_NEAR(whole.speedup, alone / time, 1e-9);
  // Little's law holds over phases, too: nobody is lost.
  double there = 0;
  for (const LockPrediction &lock : whole.locks) {
    EXPECT_NEAR(lock.queueLength, 1e-9 * lock.throughputPerS * lock.residenceNs,
                1e-6 * lock.queueLength);
    there += lock.queueLength;
  }
  EXPECT_LT(there, threads);
}

/// Readers of one phase do not wait for the writers of another.
TEST(OverPhases, ReadersWaitForNobodyInAPhaseOfReaders) {
  Network network = networkOf({{0.9, 500, 1}, {0.1, 500, 1}}, 500);
  network.locks.pop_back();
  network.sections[1].lock = 0;
  network.sections[0].shared = true;
  const Prediction mixture = predicted(network, LockKind::pthreadRwlock);
  network.phases = {0.9, 0.1};
  for (Transition &transition : network.transitions)
    transition.phases = {{transition.from == 0 && transition.to == 0 ? 1.0 : 0.0, 1},
                         {transition.from == 1 && transition.to == 1 ? 1.0 : 0.0, 1}};
  const Prediction phases = predicted(network, LockKind::pthreadRwlock);
  EXPECT_GT(phases.throughputPerS, 1.5 * mixture.throughputPerS);
  EXPECT_GT(phases.phases[0].throughputPerS, 3 * phases.phases[1].throughputPerS);
}

TEST(OverPhases, IntervalsHoldTheFigures) {
  const Network network = phased();
  const std::vector<LockKind> kinds(2, LockKind::pthreadMutex);
  const Prediction whole = predicted(network, LockKind::pthreadMutex);
  const auto intervals = confidenceIntervals(network, kinds, machineOf(32), {whole}, recursion());
  ASSERT_TRUE(intervals) << intervals.error().message;
  const FigureIntervals &around = intervals->front();
  expectInside(around.throughputPerS, whole.throughputPerS);
  EXPECT_LT(around.throughputPerS.low, 0.99 * whole.throughputPerS);
  EXPECT_GT(around.throughputPerS.high, 1.01 * whole.throughputPerS);
  expectInside(around.speedup, whole.speedup);
  for (std::size_t i = 0; i < 2; ++i) {
    expectInside(around.locks[i].waitNs, whole.locks[i].waitNs);
    expectInside(around.locks[i].queueLength, whole.locks[i].queueLength);
    expectInside(around.locks[i].utilization, whole.locks[i].utilization);
    expectInside(around.locks[i].contentionRate, whole.locks[i].contentionRate);
    EXPECT_LE(around.locks[i].utilization.high, 1);
    EXPECT_LE(around.locks[i].queueLength.high, threads);
  }
}

TEST(OverPhases, GainsAreOfTheWholeRun) {
  const Network network = phased();
  const std::vector<LockKind> mutexes(2, LockKind::pthreadMutex), queues(2, LockKind::qd);
  const auto gain = throughputGain(network, mutexes, queues, machineOf(32), threads, recursion());
  ASSERT_TRUE(gain) << gain.error().message;
  EXPECT_NEAR(gain->ratio,
              predicted(network, LockKind::qd).throughputPerS /
                  predicted(network, LockKind::pthreadMutex).throughputPerS,
              1e-9);
  EXPECT_LT(gain->low, gain->lowerQuartile);
  EXPECT_LT(gain->lowerQuartile, gain->ratio);
  EXPECT_LT(gain->ratio, gain->high);
}
