// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances, mixtures of algorithms, nested sections, thread classes, what is refused
// and what is noted; intervals of gains.
#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/model/workload/Workload.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

using namespace test;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Prediction solved(const Network &network, const std::vector<LockKind> &kinds, int threads,
                  const Machine &machine = machineOf(64)) {
  const auto result = predict(network, kinds, machine, threads);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : Prediction();
}

std::string refusal(const Network &network, const std::vector<LockKind> &kinds, int threads,
                    const PredictOptions &options = {}, const Machine &machine = machineOf(64)) {
  const auto result = predict(network, kinds, machine, threads, options);
  return result ? "" : result.error().message;
}

TEST(Instances, AlikeOnesEqualTheUngroupedNetwork) {
  Network grouped = networkOf({{0.6, 500}, {0.4, 200}}, 2000);
  grouped.locks[0].instances = 4;
  const Network ungrouped =
      networkOf({{0.15, 500}, {0.15, 500}, {0.15, 500}, {0.15, 500}, {0.4, 200}}, 2000);
  for (const LockAlgorithm &row : lockAlgorithms)
    for (const int threads : {1, 5, 30}) {
      const Prediction one = solved(grouped, {2, row.kind}, threads);
      const Prediction many = solved(ungrouped, {5, row.kind}, threads);
      EXPECT_NEAR(one.throughputPerS / many.throughputPerS, 1, 1e-9) << row.name;
      EXPECT_NEAR(one.locks[0].waitNs, many.locks[2].waitNs, 1e-6 * many.locks[2].waitNs)
          << row.name;
      EXPECT_NEAR(one.locks[0].queueLength, 4 * many.locks[0].queueLength, 1e-6 * threads);
      EXPECT_NEAR(one.locks[0].utilization, many.locks[0].utilization, 1e-9);
    }
}

TEST(Instances, UnevenSharesEqualTheUngroupedNetwork) {
  Network grouped = networkOf({{1, 500}}, 2000);
  grouped.locks[0].instances = 3;
  grouped.locks[0].shares = {0.1, 0.7};
  const Network ungrouped = networkOf({{0.7, 500}, {0.1, 500}, {0.2, 500}}, 2000);
  for (const LockAlgorithm &row : lockAlgorithms) {
    const Prediction one = solved(grouped, {row.kind}, 12);
    const Prediction many = solved(ungrouped, {3, row.kind}, 12);
    EXPECT_NEAR(one.throughputPerS / many.throughputPerS, 1, 1e-9) << row.name;
    EXPECT_NEAR(one.locks[0].utilization, many.locks[0].utilization, 1e-9) << row.name;
  }
}

TEST(Mixed, AlgorithmsAtUnusedLocksDoNotMatter) {
  Network network = networkOf({{1, 500}}, 2000);
  network.locks.push_back({"unused", LockKind::spinlock, 1, {}});
  for (const LockAlgorithm &row : lockAlgorithms) {
    const Prediction pure = solved(network, {row.kind, row.kind}, 9);
    for (const LockAlgorithm &other : lockAlgorithms) {
      const Prediction mixed = solved(network, {row.kind, other.kind}, 9);
      EXPECT_EQ(mixed.throughputPerS, pure.throughputPerS);
      EXPECT_EQ(mixed.model, pure.model);
      EXPECT_EQ(mixed.locks[1].throughputPerS, 0);
    }
  }
}

TEST(Mixed, ABetterLockHelpsEachByItself) {
  const Network network = networkOf({{0.5, 300}, {0.5, 300}}, 1000);
  const double none = solved(network, {LockKind::qd, LockKind::qd}, 24).throughputPerS;
  const double one = solved(network, {LockKind::ideal, LockKind::qd}, 24).throughputPerS;
  const double both = solved(network, {LockKind::ideal, LockKind::ideal}, 24).throughputPerS;
  EXPECT_LT(none, one);
  EXPECT_LT(one, both);
  EXPECT_EQ(solved(network, {LockKind::ideal, LockKind::qd}, 24).model, "mixed");
}

TEST(Mixed, TheOrderOfTheLocksDoesNotMatter) {
  const std::vector<LockKind> kinds{LockKind::ideal, LockKind::qd, LockKind::mcs,
                                    LockKind::pthreadMutex};
  std::vector<TestLock> byKind, inTurn;
  std::vector<LockKind> kindsByKind, kindsInTurn;
  for (std::size_t i = 0; i < 12; ++i) {
    const auto lock = [](std::size_t kind, std::size_t one) {
      return TestLock{(1.0 + static_cast<double>(one)) / 24, 100.0 * static_cast<double>(1 + kind),
                      0.5 + static_cast<double>(one)};
    };
    byKind.push_back(lock(i / 3, i % 3));
    kindsByKind.push_back(kinds[i / 3]);
    inTurn.push_back(lock(i % 4, i / 4));
    kindsInTurn.push_back(kinds[i % 4]);
  }
  const PredictOptions options{0, "recursion"};
  const auto one = predict(networkOf(byKind, 1000), kindsByKind, machineOf(64), 40, options);
  const auto other = predict(networkOf(inTurn, 1000), kindsInTurn, machineOf(64), 40, options);
  ASSERT_TRUE(one && other);
  EXPECT_NEAR(one->throughputPerS, other->throughputPerS, 1e-9 * one->throughputPerS);
  for (std::size_t i = 0; i < 12; ++i) {
    const double wait = one->locks[i].waitNs;
    EXPECT_NEAR(other->locks[i % 3 * 4 + i / 3].waitNs, wait, 1e-9 * wait) << i;
  }
}

/// Section 0 at lock 0 has `visits` executions of section 1, at lock 1, inside.
Network nested(double visits) {
  Network network = networkOf({{1, 400}}, 3000);
  network.locks.push_back({"inner", LockKind::pthreadMutex, 1, {}});
  Section inner;
  inner.name = "inner";
  inner.lock = 1;
  inner.hold = {100, 1};
  inner.inside = 0;
  inner.visits = visits;
  network.sections.push_back(inner);
  return network;
}

TEST(Nesting, InnerLockOfOneOuterLockIsNeverWaitedFor) {
  // The holder of the outer lock is alone. The outer holding time is just longer.
  for (const int threads : {1, 4, 20}) {
    const Prediction at = solved(nested(2), {LockKind::ideal, LockKind::ideal}, threads);
    const Prediction flat = solved(networkOf({{1, 600, 0.73}}, 3000), {LockKind::ideal}, threads);
    EXPECT_NEAR(at.locks[1].waitNs, 0, 1e-9);
    EXPECT_NEAR(at.locks[0].throughputPerS / flat.throughputPerS, 1, 0.01);
    EXPECT_NEAR(at.locks[1].throughputPerS, 2 * at.locks[0].throughputPerS, 1e-3);
    EXPECT_NEAR(at.throughputPerS, 3 * at.locks[0].throughputPerS, 1e-3);
  }
}

TEST(Nesting, InnerLockOfManyOuterLocksIsWaitedFor) {
  Network network = nested(1);
  network.locks[0].instances = 64;
  const Prediction few = solved(network, {LockKind::ideal, LockKind::ideal}, 1);
  const Prediction many = solved(network, {LockKind::ideal, LockKind::ideal}, 64);
  EXPECT_NEAR(few.locks[1].waitNs, 0, 1e-9);
  EXPECT_GT(many.locks[1].waitNs, 100);
  // The inner lock is the bottleneck, whatever the outer ones do.
  EXPECT_LE(many.locks[1].throughputPerS, 1e9 / 100 * (1 + 1e-6));
  EXPECT_GT(many.locks[1].throughputPerS, 0.9 * 1e9 / 100);
  for (const LockAlgorithm &row : lockAlgorithms)
    EXPECT_TRUE(std::isfinite(solved(network, {row.kind, row.kind}, 64).throughputPerS))
        << row.name;
}

TEST(Nesting, LockTakenAloneToo) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}}, 3000);
  Section inner;
  inner.name = "inner";
  inner.lock = 1;
  inner.hold = {100, 1};
  inner.inside = 0;
  inner.visits = 1;
  network.sections.push_back(inner);
  for (const LockAlgorithm &row : lockAlgorithms) {
    const Prediction one = solved(network, {row.kind, row.kind}, 1);
    const Prediction many = solved(network, {row.kind, row.kind}, 32);
    EXPECT_GT(many.locks[1].waitNs, one.locks[1].waitNs) << row.name;
    EXPECT_LE(many.locks[0].throughputPerS, 1e9 / 500 * (1 + 1e-6)) << row.name;
    EXPECT_GT(many.throughputPerS, one.throughputPerS) << row.name;
  }
}

TEST(Nesting, ThreadsByThemselvesTakeWhatTheirOwnSectionsTake) {
  // A lock whose sections inside others are much shorter than those by themselves.
  Network network = networkOf({{0.4, 1200}, {0.6, 1700}}, 3900);
  Section inner;
  inner.name = "inner";
  inner.lock = 1;
  inner.hold = {100, 1};
  inner.inside = 0;
  inner.visits = 1.5;
  network.sections.push_back(inner);
  const double cycleNs = 3900 + 0.4 * (1200 + 1.5 * 100) + 0.6 * 1700;
  for (const char *model : {"recursion", "norton", "marie"}) {
    const auto at =
        predict(network, {LockKind::ideal, LockKind::ideal}, machineOf(4), 1, {0, model});
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_NEAR(at->throughputPerS, 1e9 * (1 + 0.4 * 1.5) / cycleNs, 1) << model;
    double inside = at->locks[0].throughputPerS * 1e-9 * 1200 + at->locks[1].queueLength;
    inside += at->locks[0].throughputPerS / 0.4 * 1e-9 * 3900;
    EXPECT_NEAR(inside, 1, 1e-6) << model;
  }
}

TEST(Nesting, ReentryOfTheSameLockWaitsForNobody) {
  Network network = nested(1);
  network.sections[1].lock = 0;
  const Prediction at = solved(network, {LockKind::ideal, LockKind::ideal}, 8);
  const Prediction flat = solved(networkOf({{1, 500, 0.8246}}, 3000), {LockKind::ideal}, 8);
  EXPECT_NEAR(at.locks[0].throughputPerS / flat.throughputPerS, 1, 1e-3);
}

TEST(Nesting, ClassTakenInsideItselfIsNeverWorseThanOneLock) {
  Network one = nested(1);
  one.sections[1].lock = 0;
  Network many = one;
  many.locks[0].instances = 16;
  bool wasWorst = false;
  for (const LockAlgorithm &row : lockAlgorithms)
    for (const int threads : {1, 2, 6, 16, 64}) {
      const Prediction at = solved(many, {row.kind, row.kind}, threads);
      const Prediction worst = solved(one, {row.kind, row.kind}, threads);
      EXPECT_GE(at.throughputPerS, worst.throughputPerS * (1 - 1e-9))
          << row.name << ", " << threads << " threads";
      wasWorst |= std::any_of(at.notes.begin(), at.notes.end(), [](const std::string &note) {
        return note.find("taken inside itself") != std::string::npos;
      });
    }
  EXPECT_TRUE(wasWorst);
}

TEST(Classes, FixedThreadsComeOnTop) {
  const Network one = networkOf({{1, 300}}, 2000);
  Network two = one;
  two.classes.push_back({"main", false, 1, 2});
  two.transitions.push_back(one.transitions[0]);
  two.transitions.back().threadClass = 1;
  EXPECT_NEAR(solved(two, {LockKind::ideal}, 6).throughputPerS,
              solved(one, {LockKind::ideal}, 8).throughputPerS, 1e-3);
  const auto sweep = predictSweep(two, LockKind::spinlock, machineOf(64), {1, 6});
  ASSERT_TRUE(sweep);
  EXPECT_EQ((*sweep)[0].speedup, 1);
  EXPECT_NEAR((*sweep)[1].throughputPerS, solved(two, {LockKind::spinlock}, 6).throughputPerS,
              1e-3);
}

TEST(Classes, SpeedUpIsOfThoseThatTakeTheThreads) {
  // A main thread polls at a lock of its own, a hundred times as often as workers take theirs.
  Network network = networkOf({{0.5, 100}, {0.5, 100}}, 100'000);
  network.transitions.clear();
  network.classes.push_back({"main", false, 1, 1});
  for (const std::size_t one : {0u, 1u}) {
    Transition &again = network.transitions.emplace_back();
    again.threadClass = again.from = again.to = one;
    again.probability = 1;
    again.local = {one == 0 ? 100'000.0 : 1000.0, 1};
  }
  const auto sweep = predictSweep(network, LockKind::pthreadMutex, machineOf(8), {1, 2, 4});
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_EQ((*sweep)[0].speedup, 1);
  EXPECT_NEAR((*sweep)[1].speedup, 2, 0.02);
  EXPECT_NEAR((*sweep)[2].speedup, 4, 0.04);
}

TEST(Classes, SpeedUpIsNoMoreThanTheThreads) {
  // Two fixed threads hold the lock for long, and those that scale for a short time.
  Network network = networkOf({{0.5, 17'000}, {0.5, 59}}, 2000);
  network.sections[1].lock = 0;
  network.transitions.clear();
  network.classes.push_back({"fixed", false, 1, 2});
  for (const std::size_t one : {0u, 1u}) {
    Transition &again = network.transitions.emplace_back();
    again.threadClass = one;
    again.from = again.to = 1 - one;
    again.probability = 1;
    again.local = {one == 0 ? 1700.0 : 11'000.0, one == 0 ? 0.0 : 1.0};
  }
  const Machine machine = machineOf(16);
  for (const LockAlgorithm &row : lockAlgorithms) {
    const std::vector<LockKind> kinds(2, row.kind);
    const auto sweep = predictSweep(network, row.kind, machine, {1, 2, 3, 8});
    ASSERT_TRUE(sweep) << sweep.error().message;
    const auto intervals = confidenceIntervals(network, kinds, machine, *sweep);
    ASSERT_TRUE(intervals) << intervals.error().message;
    for (std::size_t i = 0; i < sweep->size(); ++i) {
      EXPECT_LE((*sweep)[i].speedup, (*sweep)[i].threads) << nameOf(row.kind);
      EXPECT_LE((*intervals)[i].speedup.high, (*sweep)[i].threads) << nameOf(row.kind);
    }
  }
}

TEST(Classes, UncontendedMixtureCompletesWhatTheClassesWould) {
  // Short cycles at lock 0, long ones at lock 1, locks hardly used.
  Network network = networkOf({{1, 1}}, 1000);
  network.locks.push_back({"slow", LockKind::spinlock, 1, {}});
  Section section;
  section.name = "slow";
  section.lock = 1;
  section.hold = {2, 1};
  network.sections.push_back(section);
  network.classes.push_back({"slow", true, 3, 0});
  Transition transition;
  transition.threadClass = 1;
  transition.from = transition.to = 1;
  transition.probability = 1;
  transition.local = {50'000, 1};
  network.transitions.push_back(transition);
  const Prediction at = solved(network, {2, LockKind::ideal}, 4);
  EXPECT_NEAR(at.locks[0].throughputPerS / (1e9 / 1001), 1, 1e-2);
  EXPECT_NEAR(at.locks[1].throughputPerS / (3e9 / 50'002), 1, 1e-2);
}

TEST(Sweep, EqualsSinglePredictions) {
  const Network network = networkOf({{0.4, 300}, {0.6, 700, 0.3}}, 2000);
  const std::vector<int> threads{64, 3, 9}; // not in order
  for (const LockAlgorithm &row : lockAlgorithms) {
    const auto sweep = predictSweep(network, row.kind, machineOf(8), threads);
    ASSERT_TRUE(sweep) << sweep.error().message;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const Prediction at = solved(network, {2, row.kind}, threads[i], machineOf(8));
      EXPECT_EQ((*sweep)[i].threads, threads[i]);
      EXPECT_NEAR((*sweep)[i].throughputPerS / at.throughputPerS, 1, 1e-9);
      EXPECT_NEAR((*sweep)[i].speedup / at.speedup, 1, 1e-9);
    }
  }
}

TEST(Notes, TellWhereTheModelEnds) {
  Network network = networkOf({{1, 300}}, 1000);
  network.transitions[0].blockedNs = 50'000;
  network.sections.push_back(network.sections[0]);
  network.sections[1].name = "never";
  const Prediction at = solved(network, {LockKind::qd}, 4, machineOf(2));
  EXPECT_THAT(at.notes, Contains(HasSubstr("blocked for")));
  EXPECT_THAT(at.notes, Contains(HasSubstr("enters never")));
  EXPECT_THAT(at.notes, Contains("threads share 2 cores"));
}

TEST(Sections, OfNextToNothingHaveFigures) {
  Machine machine = machineOf(8);
  machine.line.clear();
  for (auto &[kind, costs] : machine.kinds)
    costs.figures["lock_overhead_ns"].value = 0;
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd})
    for (const int threads : {2, 3, 8}) {
      const auto found = predict(networkOf({{1, 1e-3}}, 10), {kind}, machine, threads);
      ASSERT_TRUE(found) << nameOf(kind);
      EXPECT_GT(found->throughputPerS, 0) << nameOf(kind) << " " << threads;
      EXPECT_TRUE(std::isfinite(found->throughputPerS)) << nameOf(kind) << " " << threads;
    }
}

TEST(Refusals, SayWhatToDo) {
  const Network network = networkOf({{1, 300}}, 1000);
  EXPECT_THAT(refusal(network, {LockKind::ideal}, 0), HasSubstr("cannot predict for 0 threads"));
  EXPECT_THAT(refusal(network, {LockKind::ideal}, -3), HasSubstr("cannot predict for -3 threads"));
  EXPECT_THAT(refusal(network, {LockKind::unknown}, 2),
              HasSubstr("known are ideal, pthread_mutex, spinlock, qd, ticket, mcs, clh"));
  EXPECT_THAT(refusal(network, {}, 2), HasSubstr("0 lock algorithms for 1 locks"));
  EXPECT_THAT(
      refusal(network, {LockKind::qd}, 2, {.cores = 0, .model = "magic"}),
      HasSubstr("known are auto, exact, residual, load-dependent, sleeping, qd-a, qd-b, qd-c"));
  EXPECT_THAT(refusal(network, {LockKind::qd}, 2, {.cores = 0, .model = "exact"}),
              HasSubstr("model 'exact' is for lock algorithm 'ideal'"));
  Machine machine = machineOf(2);
  machine.kinds[LockKind::spinlock].figures.erase("handover_per_waiter_ns");
  EXPECT_THAT(refusal(network, {LockKind::spinlock}, 2, {}, machine),
              HasSubstr("kind.spinlock.handover_ns"));
  EXPECT_EQ(refusal(network, {LockKind::qd}, 2, {}, machine), "");
  Network broken = network;
  broken.transitions[0].probability = 0.5;
  EXPECT_THAT(refusal(broken, {LockKind::qd}, 2), HasSubstr("sum to 0.5"));
}

TEST(Models, AutoTakesTheMostAccurateThatIsFastEnough) {
  const auto chosen = [](const std::vector<TestLock> &locks, LockKind kind, int threads) {
    return solved(networkOf(locks, 1000), std::vector<LockKind>(locks.size(), kind), threads).model;
  };
  EXPECT_EQ(chosen({{1, 300}}, LockKind::qd, 16), "qd-c");
  EXPECT_EQ(chosen({{1, 300}}, LockKind::qd, 4096), "qd-b");
  EXPECT_EQ(chosen(std::vector<TestLock>(1000, {1e-3, 300}), LockKind::qd, 1000), "qd-a");
  EXPECT_EQ(chosen({{1, 300, 0.5}}, LockKind::ideal, 16), "marie");
  EXPECT_EQ(chosen({{1, 300}}, LockKind::spinlock, 16), "marie");
  // Networks that mean value analysis solves exactly, or that nothing else solves.
  EXPECT_EQ(chosen({{1, 300}}, LockKind::ideal, 16), "exact");
  EXPECT_EQ(chosen({{1, 300}}, LockKind::pthreadMutex, 16), "sleeping");
}

TEST(Models, LocksThatNoMethodTakesApartAreTheRecursions) {
  const std::vector<LockKind> kinds{2, LockKind::pthreadMutex};
  const Network network = networkOf({{0.5, 300}, {0.5, 600}}, 1000);
  const auto at = [&](const char *model) {
    return predict(network, kinds, machineOf(8), 12, {0, model})->throughputPerS;
  };
  EXPECT_EQ(at("norton"), at("recursion"));
  EXPECT_EQ(at("marie"), at("recursion"));
}

TEST(Models, ExactIgnoresTheVariationThatResidualCorrects) {
  const Network regular = networkOf({{1, 300, 0}}, 1000);
  const auto exact =
      predict(regular, {LockKind::ideal}, machineOf(2), 8, {.cores = 0, .model = "exact"});
  const auto residual =
      predict(regular, {LockKind::ideal}, machineOf(2), 8, {.cores = 0, .model = "residual"});
  ASSERT_TRUE(exact && residual);
  EXPECT_EQ(exact->model, "exact");
  EXPECT_EQ(residual->model, "residual");
  EXPECT_GT(exact->locks[0].waitNs, residual->locks[0].waitNs);
}

Network sampled(std::uint64_t samples) {
  Network network = networkOf({{0.5, 300}, {0.5, 600}}, 1000);
  for (Section &section : network.sections)
    section.hold.samples = samples;
  for (Transition &transition : network.transitions)
    transition.samples = transition.local.samples = samples / 2;
  return network;
}

TEST(Gain, IsTheRatioOfThePredictionsInsideItsInterval) {
  const Network network = sampled(10'000);
  const std::vector<LockKind> from{2, LockKind::pthreadMutex}, to{2, LockKind::qd};
  const auto gain = throughputGain(network, from, to, machineOf(64), 16);
  ASSERT_TRUE(gain) << gain.error().message;
  const auto throughput = [&](const std::vector<LockKind> &kinds) {
    return predict(network, kinds, machineOf(64), 16)->throughputPerS;
  };
  const double ratio = throughput(to) / throughput(from);
  EXPECT_NEAR(gain->ratio, ratio, 1e-9);
  EXPECT_LT(gain->low, ratio);
  EXPECT_GT(gain->high, ratio);
}

TEST(Gain, NoChangeIsNoGainWhateverTheSample) {
  const auto gain =
      throughputGain(sampled(50), {2, LockKind::qd}, {2, LockKind::qd}, machineOf(64), 16);
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->low, 1, 1e-9);
  EXPECT_NEAR(gain->high, 1, 1e-9);
}

TEST(Gain, SmallSamplesMakeWideIntervals) {
  const std::vector<LockKind> from{2, LockKind::pthreadMutex}, to{2, LockKind::spinlock};
  double last = 0;
  for (const std::uint64_t samples : std::vector<std::uint64_t>{1000000, 400, 10}) {
    const auto gain = throughputGain(sampled(samples), from, to, machineOf(64), 16);
    ASSERT_TRUE(gain);
    const double width = std::log(gain->high / gain->low);
    EXPECT_GT(width, last);
    last = width;
  }
}

TEST(Gain, CoversTheTruthOfRepeatedShortProfiles) {
  // The network is known. Profiles of it are drawn, and for each its interval is checked
  // for the true ratio of the same models.
  const Network truth = networkOf({{0.5, 300}, {0.5, 600}}, 1500);
  const std::vector<LockKind> from{2, LockKind::spinlock}, to{2, LockKind::ideal};
  const double expected =
      solved(truth, to, 12).throughputPerS / solved(truth, from, 12).throughputPerS;
  std::mt19937_64 random(8);
  int covered = 0;
  constexpr int profiles = 60;
  for (int i = 0; i < profiles; ++i) {
    Network network = truth;
    const auto sample = [&](Duration &duration, int count) {
      double sum = 0;
      for (int k = 0; k < count; ++k)
        sum += std::exponential_distribution<double>(1 / duration.mean)(random);
      duration.mean = sum / count;
      duration.samples = static_cast<std::uint64_t>(count);
    };
    for (Section &section : network.sections)
      sample(section.hold, 100);
    for (Transition &transition : network.transitions)
      sample(transition.local, 50);
    for (std::size_t row = 0; row < 4; row += 2) {
      const int first = std::binomial_distribution<int>(100, 0.5)(random);
      for (const std::size_t to2 : {row, row + 1}) {
        Transition &transition = network.transitions[to2];
        transition.samples = static_cast<std::uint64_t>(to2 == row ? first : 100 - first);
        transition.probability = static_cast<double>(transition.samples) / 100;
      }
    }
    const auto gain = throughputGain(network, from, to, machineOf(64), 12);
    ASSERT_TRUE(gain);
    covered += gain->low <= expected && expected <= gain->high;
  }
  EXPECT_GE(covered, profiles * 9 / 10);
}

/// A network with a `main` beside its workers that visits the lock once in a while and
/// waits for their end, or works between two visits.
Network withMain(double blockedNs, double localNs) {
  Network network = networkOf({{1, 200}}, 500);
  network.classes.push_back({"main", false, 1, 1});
  Transition round;
  round.threadClass = 1;
  round.probability = 1;
  round.local = {localNs, 1};
  round.blockedNs = blockedNs;
  network.transitions.push_back(round);
  return network;
}

TEST(FixedThreads, OneThatWaitsForTheOthersWantsNoCore) {
  const Network waits = withMain(1e9, 0), works = withMain(0, 1e9);
  const Network without = networkOf({{1, 200}}, 500);
  for (const LockKind kind : {LockKind::spinlock, LockKind::pthreadMutex, LockKind::qd}) {
    const auto alone = predict(without, {kind}, machineOf(16), 16);
    const auto waiting = predict(waits, {kind}, machineOf(16), 16);
    const auto working = predict(works, {kind}, machineOf(16), 16);
    ASSERT_TRUE(alone && waiting && working);
    EXPECT_NEAR(waiting->throughputPerS, alone->throughputPerS, 1e-5 * alone->throughputPerS)
        << nameOf(kind);
    EXPECT_NEAR(waiting->locks[0].waitNs, alone->locks[0].waitNs, 1e-5 * alone->locks[0].waitNs)
        << nameOf(kind);
    EXPECT_THAT(waiting->notes, Not(Contains(HasSubstr("share 16 cores")))) << nameOf(kind);
    EXPECT_THAT(working->notes, Contains("threads share 16 cores")) << nameOf(kind);
  }
}

TEST(FixedThreads, CountByTheirShareOfTimeAwake) {
  // 500 ns blocked, 300 local, 200 held.
  Network network = withMain(500, 300);
  network.classes[1].threads = 6;
  EXPECT_DOUBLE_EQ(populationOf(network, trafficOf(network), 10), 13);
  // Without scaling threads blocked time is a delay.
  network.classes[0].scales = false;
  network.classes[0].threads = 10;
  EXPECT_DOUBLE_EQ(populationOf(network, trafficOf(network), 1), 16);
}

} // namespace

} // namespace qdadvise
