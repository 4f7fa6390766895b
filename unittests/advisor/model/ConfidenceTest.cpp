// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/Confidence.h"

#include "advisor/model/uncertainty/ModelError.h"
#include "runtime/abi/lock_algorithms.h"
#include "unittests/advisor/model/Networks.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;

Network sampled(std::uint64_t samples, double cv = 1) {
  Network network = networkOf({{0.5, 300, cv}, {0.5, 600, cv}}, 1000);
  for (Section &section : network.sections)
    section.hold.samples = samples;
  for (Transition &transition : network.transitions)
    transition.samples = transition.local.samples = samples / 2;
  return network;
}

struct Predicted {
  std::vector<Prediction> sweep;
  std::vector<FigureIntervals> intervals;
};

Predicted predicted(const Network &network, LockKind kind, const std::vector<int> &threads,
                    int cores = 1024) {
  const auto sweep = predictSweep(network, kind, machineOf(cores), threads);
  EXPECT_TRUE(sweep) << sweep.error().message;
  const std::vector<LockKind> kinds(network.locks.size(), kind);
  const auto intervals = confidenceIntervals(network, kinds, machineOf(cores), *sweep);
  EXPECT_TRUE(intervals) << intervals.error().message;
  return {*sweep, *intervals};
}

double width(const Interval &interval) { return std::log(interval.high / interval.low); }

TEST(Confidence, EveryFigureLiesInItsInterval) {
  for (const LockKind kind :
       {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd, LockKind::mcs}) {
    const auto [sweep, intervals] = predicted(sampled(500), kind, {1, 2, 7, 40});
    for (std::size_t i = 0; i < sweep.size(); ++i) {
      const auto contains = [&](const Interval &interval, double value) {
        return interval.low <= value && value <= interval.high && interval.low >= 0;
      };
      EXPECT_TRUE(contains(intervals[i].throughputPerS, sweep[i].throughputPerS)) << nameOf(kind);
      EXPECT_TRUE(contains(intervals[i].speedup, sweep[i].speedup)) << nameOf(kind);
      for (std::size_t lock = 0; lock < sweep[i].locks.size(); ++lock) {
        const LockIntervals &at = intervals[i].locks[lock];
        const LockPrediction &figures = sweep[i].locks[lock];
        EXPECT_TRUE(contains(at.waitNs, figures.waitNs)) << nameOf(kind);
        EXPECT_TRUE(contains(at.queueLength, figures.queueLength)) << nameOf(kind);
        EXPECT_TRUE(contains(at.utilization, figures.utilization)) << nameOf(kind);
        EXPECT_TRUE(contains(at.contentionRate, figures.contentionRate)) << nameOf(kind);
        EXPECT_LE(at.utilization.high, 1) << nameOf(kind);
        EXPECT_LE(at.contentionRate.high, 1) << nameOf(kind);
      }
    }
  }
}

TEST(Confidence, OfAnExactModelIsTheSamplingErrorAlone) {
  // Without samples there is no error.
  const auto certain = predicted(sampled(0), LockKind::ideal, {1, 8}).intervals[1];
  EXPECT_EQ(certain.throughputPerS.low, certain.throughputPerS.high);
  EXPECT_EQ(certain.locks[0].waitNs.low, certain.locks[0].waitNs.high);
  // A hundred times the samples give a tenth of the width.
  const auto few = predicted(sampled(400), LockKind::ideal, {1, 8}).intervals[1];
  const auto many = predicted(sampled(40'000), LockKind::ideal, {1, 8}).intervals[1];
  EXPECT_NEAR(width(few.locks[1].waitNs), 10 * width(many.locks[1].waitNs), 1e-6);
  EXPECT_GT(width(few.locks[1].waitNs), width(few.throughputPerS));
}

TEST(Confidence, NeverFallsBelowTheModelsError) {
  const double at =
      width(predicted(sampled(1'000'000'000), LockKind::qd, {8}).intervals[0].locks[0].waitNs);
  EXPECT_NEAR(at, 2 * 1.96 * algorithmOf(LockKind::qd).waitError, 1e-3);
}

TEST(Confidence, OfOneThreadHasNoModelInIt) {
  // No thread waits. The waiting time is the lock's overhead, which is measured.
  const auto alone = predicted(sampled(0), LockKind::qd, {1}).intervals[0];
  EXPECT_EQ(width(alone.throughputPerS), 0);
  EXPECT_EQ(width(alone.locks[0].waitNs), 0);
  EXPECT_EQ(alone.locks[0].contentionRate.high, 0);
}

TEST(Confidence, OfASpeedUpOverOneThreadCountsWhatBothShareOnce) {
  // With few visits throughput is as uncertain as local computation, but its ratio is not.
  Network network = networkOf({{1, 1}}, 100'000);
  network.transitions[0].local.samples = 100;
  const auto at = predicted(network, LockKind::ideal, {4}).intervals[0];
  EXPECT_NEAR(width(at.throughputPerS), 2 * 1.96 * 0.1, 0.01);
  EXPECT_LT(width(at.speedup), 1e-3);
}

TEST(Confidence, KnowsThatNoLockIsHeldMoreThanAlways) {
  const auto [sweep, intervals] = predicted(networkOf({{1, 1000}}, 10), LockKind::qd, {16});
  EXPECT_NEAR(intervals[0].throughputPerS.high,
              sweep[0].throughputPerS / sweep[0].locks[0].utilization,
              1e-9 * sweep[0].throughputPerS);
}

/// A section of which a single visit was seen may be visited any number of times. Figures that are
/// next to nothing have relative errors without end.
TEST(Confidence, KnowsThatNoMoreThanAllThreadsWait) {
  Network network = networkOf({{1 - 1e-9, 1}, {1e-9, 1000}}, 1e6);
  for (Section &section : network.sections)
    section.hold.samples = 1;
  for (Transition &transition : network.transitions)
    transition.samples = transition.local.samples = 1;
  const auto [sweep, intervals] = predicted(network, LockKind::ideal, {2});
  for (std::size_t lock = 0; lock < 2; ++lock) {
    EXPECT_LE(intervals[0].locks[lock].queueLength.high, 2);
    EXPECT_LE(intervals[0].locks[lock].waitNs.high,
              2e9 / sweep[0].locks[lock].throughputPerS * sweep[0].throughputPerS /
                  intervals[0].throughputPerS.low * (1 + 1e-9));
    EXPECT_GE(intervals[0].locks[lock].waitNs.high, sweep[0].locks[lock].waitNs);
  }
}

TEST(Confidence, IsWiderInTheRegionsWhereModelsErrMore) {
  const Network plain = sampled(0);
  const auto at = [](const Network &network, int cores) {
    return width(predicted(network, LockKind::spinlock, {12}, cores).intervals[0].locks[1].waitNs);
  };
  EXPECT_GT(at(plain, 4), at(plain, 64));
  Network heavy = plain, classes = plain, nested = plain;
  heavy.sections[0].hold.cv = 2;
  EXPECT_GT(at(heavy, 64), at(plain, 64));
  classes.classes.push_back({"main", false, 1, 1});
  Transition round = classes.transitions[0];
  round.threadClass = 1;
  round.probability = 1;
  classes.transitions.push_back(round);
  EXPECT_GT(at(classes, 64), at(plain, 64));
  nested.sections.push_back({"inner", 1, {50, 1}, false, 0, 1, {}, {}});
  EXPECT_GT(at(nested, 64), at(plain, 64));
}

/// How often a lock's cache line moves where threads do nothing else is not known: of three
/// machines each had a different answer. One thread alone waits for nobody.
TEST(Confidence, IsAFactorOfThreeWhereRoundsAreShorterThanAFetch) {
  const Network tight = networkOf({{1, 0.5}}, 3), usual = networkOf({{1, 100}}, 300);
  const auto [sweep, intervals] = predicted(tight, LockKind::pthreadMutex, {1, 2}, 2);
  EXPECT_LT(intervals[0].throughputPerS.high, 1.01 * sweep[0].throughputPerS);
  EXPECT_GT(intervals[1].throughputPerS.high, 2.5 * sweep[1].throughputPerS);
  EXPECT_LT(intervals[1].throughputPerS.low, sweep[1].throughputPerS / 2.5);
  EXPECT_LT(width(predicted(usual, LockKind::pthreadMutex, {2}, 2).intervals[0].throughputPerS),
            width(intervals[1].throughputPerS) / 3);
}

/// Where no model knows how many stay (MX40).
TEST(Confidence, IsWiderWhereThreadsStayAtOneOfSeveralLocks) {
  const auto widthOf = [](LockKind kind, double again, bool hasMain) {
    Network network = networkOf({{0.5, 3000, 0}, {0.5, 3000, 1}}, 1000);
    for (Transition &step : network.transitions)
      step.probability = step.to == step.from ? again : 1 - again;
    if (hasMain) {
      network.classes.push_back({"main", false, 1, 1});
      for (std::size_t i = 0; i < 4; ++i) {
        network.transitions.push_back(network.transitions[i]);
        network.transitions.back().threadClass = 1;
      }
    }
    return width(predicted(network, kind, {8}).intervals[0].throughputPerS);
  };
  EXPECT_GT(widthOf(LockKind::pthreadMutex, 0.8, true),
            1.3 * widthOf(LockKind::pthreadMutex, 0.4, true));
  EXPECT_LT(widthOf(LockKind::qd, 0.8, true), 1.2 * widthOf(LockKind::qd, 0.4, true));
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::pthreadRwlock, LockKind::qd})
    EXPECT_LT(widthOf(kind, 0.8, false), 1.2 * widthOf(kind, 0.4, false)) << nameOf(kind);
}

TEST(Confidence, OfALongSweepIsThatOfItsParts) {
  const Network network = sampled(300);
  std::vector<int> many(64);
  for (int i = 0; i < 64; ++i)
    many[static_cast<std::size_t>(i)] = i + 1;
  const auto together = predicted(network, LockKind::ideal, many);
  for (const int threads : {2, 5, 8, 23, 64}) {
    const auto one = predicted(network, LockKind::ideal, {threads}).intervals[0];
    const auto &other = together.intervals[static_cast<std::size_t>(threads - 1)];
    // Between the numbers that are computed it is interpolated.
    EXPECT_NEAR(width(other.throughputPerS), width(one.throughputPerS),
                0.05 * width(one.throughputPerS))
        << threads;
    EXPECT_NEAR(width(other.locks[1].waitNs), width(one.locks[1].waitNs),
                0.05 * width(one.locks[1].waitNs))
        << threads;
  }
}

/// A thread alone does not tell whether another one takes the same ones of many locks.
TEST(Confidence, LeavesOpenWhereFreeLocksWereLeftIfOneThreadWasRecorded) {
  Network network = networkOf({{1, 5}}, 50);
  network.locks[0].instances = 2048;
  Machine machine = machineOf(2);
  machine.line["transfer_same_socket_ns"].value = 100;
  const auto intervalsOf = [&](const Network &of) {
    const auto sweep = predictSweep(of, LockKind::pthreadMutex, machine, {2});
    EXPECT_TRUE(sweep);
    return (*confidenceIntervals(of, {LockKind::pthreadMutex}, machine, *sweep, {}))[0];
  };
  const FigureIntervals known = intervalsOf(network);
  network.run.emplace();
  network.run->parallelNs = 1e9;
  network.run->threads = 2;
  EXPECT_DOUBLE_EQ(intervalsOf(network).throughputPerS.high, known.throughputPerS.high);
  network.run->threads = 1;
  const FigureIntervals open = intervalsOf(network);
  EXPECT_GT(open.throughputPerS.high, 1.3 * known.throughputPerS.high);
  EXPECT_EQ(open.speedup.high, 2) << "no more than the threads";
  EXPECT_LT(open.locks[0].waitNs.low, known.locks[0].waitNs.low / 1.3);
  EXPECT_DOUBLE_EQ(open.speedup.low, known.speedup.low);
  EXPECT_DOUBLE_EQ(open.locks[0].waitNs.high, known.locks[0].waitNs.high);
}

/// One thread that made its locks does not tell whether another one would make some (UNC16).
TEST(Confidence, OfAGuessReachesToWhereAllShareTheLock) {
  Network network = networkOf({{1, 300}}, 100);
  network.locks[0].perThread = true;
  const auto intervalsOf = [](const Network &of) {
    return predicted(of, LockKind::pthreadMutex, {2}).intervals[0];
  };
  const FigureIntervals told = intervalsOf(network);
  network.locks[0].guessed = true;
  const FigureIntervals guess = intervalsOf(network);
  network.locks[0].perThread = false;
  const auto shared = predicted(network, LockKind::pthreadMutex, {2}).sweep[0];
  EXPECT_GT(told.speedup.low, 1.5 * shared.speedup);
  EXPECT_LE(guess.speedup.low, shared.speedup);
  EXPECT_DOUBLE_EQ(guess.speedup.high, told.speedup.high);
  EXPECT_EQ(told.locks[0].waitNs.high, told.locks[0].waitNs.low) << "nobody waits for another";
  EXPECT_GE(guess.locks[0].waitNs.high, shared.locks[0].waitNs / 2);
}

/// Nobody knows which locks of the class threads meet at.
TEST(Confidence, OfABoundReachesToWhereNobodyWaits) {
  Network network = networkOf({{1, 350}}, 10);
  network.locks[0].instances = 6;
  network.locks[0].shares = {0.97};
  network.sections.push_back(network.sections[0]);
  network.sections.back().name = "inner";
  network.sections.back().inside = 0;
  network.sections.back().visits = 0.02;
  for (const int cores : {2, 1024}) {
    const auto [sweep, intervals] = predicted(network, LockKind::pthreadMutex, {1, 2, 8}, cores);
    EXPECT_FALSE(sweep[0].worstCase);
    EXPECT_DOUBLE_EQ(intervals[0].speedup.high, 1);
    for (const std::size_t i : {1u, 2u}) {
      ASSERT_TRUE(sweep[i].worstCase);
      EXPECT_LT(sweep[i].speedup, 1.2);
      EXPECT_LE(intervals[i].speedup.low, sweep[i].speedup);
      EXPECT_GE(intervals[i].speedup.high, std::min<double>(sweep[i].threads, cores));
    }
  }
}

} // namespace
} // namespace qdadvise
