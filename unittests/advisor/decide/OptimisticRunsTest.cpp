// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sections that run without their lock, and again after a conflict: predicted, and played through
// event by event.

#include "advisor/decide/OptimisticRuns.h"
#include "advisor/decide/Fixes.h"
#include "unittests/advisor/model/Networks.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;

PredictOptions options() {
  PredictOptions result;
  result.coresAlways = true;
  return result;
}

SectionConflicts allWrite(double probability) { return {probability, 1, probability}; }
SectionConflicts noneWrites(double probability) { return {probability, 0, 0}; }

/// `conflicts`, by section, is the share of pairs of executions of which the other one, whichever
/// it is, writes what one uses.
std::vector<double> timesOf(const Network &network, const std::vector<SectionConflicts> &conflicts,
                            int threads) {
  const auto times =
      optimisticRuns(network, 0, conflicts, {LockKind::ideal}, machineOf(64), threads, options());
  EXPECT_TRUE(times.has_value());
  return times.value_or(std::vector<double>());
}
std::vector<double> timesOf(const Network &network, double conflicts, int threads) {
  return timesOf(network, {allWrite(conflicts / 2)}, threads);
}

/// A writing section, and one that only reads: what a writer's commit spoils of either.
struct Played {
  double cv = 0, localNs = 0;
  double writes = 1; ///< share of the executions
  double conflict = 0, readConflict = 0;
  int threads = 2;
};
constexpr double holdNs = 1000;

/// What completes per second. An execution that was spoilt runs again when it is at its end, and
/// takes as long as before.
double played(const Played &program) {
  struct Thread {
    double untilNs = 0, runNs = 0;
    bool runs = false, isSpoilt = false, writes = false;
  };
  std::mt19937_64 random(7);
  const auto chance = [&](double share) { return std::bernoulli_distribution(share)(random); };
  const auto localNs = [&] { return std::exponential_distribution<>(1 / program.localNs)(random); };
  const auto runNs = [&] {
    const double cv2 = program.cv * program.cv;
    return cv2 > 0 ? std::gamma_distribution<>(1 / cv2, holdNs * cv2)(random) : holdNs;
  };
  std::vector<Thread> all(static_cast<std::size_t>(program.threads));
  for (Thread &one : all)
    one.untilNs = localNs();
  constexpr int completions = 50'000;
  double nowNs = 0;
  for (int completed = 0; completed < completions;) {
    Thread &next = *std::min_element(all.begin(), all.end(), [](const Thread &a, const Thread &b) {
      return a.untilNs < b.untilNs;
    });
    nowNs = next.untilNs;
    if (!next.runs)
      next = {0, runNs(), true, false, chance(program.writes)};
    if (next.untilNs == 0 || next.isSpoilt) {
      next.isSpoilt = false;
      next.untilNs = nowNs + next.runNs;
      continue;
    }
    ++completed;
    const bool wrote = next.writes;
    next = {nowNs + localNs(), 0, false, false, false};
    for (Thread &other : all)
      if (wrote && other.runs && chance(other.writes ? program.conflict : program.readConflict))
        other.isSpoilt = true;
  }
  return completions / nowNs * 1e9;
}

/// `apart`: those that write are a section of their own.
double predicted(const Played &program, bool apart) {
  Network network = networkOf({{1, holdNs, program.cv}}, program.localNs);
  const double ofWriters = program.writes * program.conflict / 2;
  const double ofReaders = program.writes * program.readConflict / 2;
  std::vector<SectionConflicts> conflicts{
      {program.writes * ofWriters + (1 - program.writes) * ofReaders, program.writes, ofWriters}};
  if (apart) {
    network =
        networkOf({{program.writes, holdNs, program.cv}, {1 - program.writes, holdNs, program.cv}},
                  program.localNs);
    network.locks.pop_back();
    network.sections[1].lock = 0;
    conflicts = {allWrite(ofWriters), noneWrites(ofReaders)};
  }
  const std::vector<double> times = timesOf(network, conflicts, program.threads);
  if (times.empty())
    return 0;
  return predict(asRuns(network, 0, times), {LockKind::ideal}, machineOf(64), program.threads,
                 options())
      ->throughputPerS;
}

TEST(OptimisticRuns, WithoutConflictsOneRunIsEnough) {
  EXPECT_EQ(timesOf(networkOf({{1, 1000}}, 1000), 0, 16), std::vector<double>{1});
  EXPECT_EQ(timesOf(networkOf({{1, 1000}}, 1000), {noneWrites(0.5)}, 16), std::vector<double>{1});
}

TEST(OptimisticRuns, AloneNothingConflicts) {
  EXPECT_EQ(timesOf(networkOf({{1, 1000}}, 1000), 1, 1), std::vector<double>{1});
}

TEST(OptimisticRuns, MoreConflictsAreMoreRuns) {
  double last = 1;
  for (const double conflicts : {0.01, 0.1, 0.5, 1.0}) {
    const std::vector<double> times = timesOf(networkOf({{1, 1000, 0.2}}, 1000), conflicts, 8);
    ASSERT_EQ(times.size(), 1u) << conflicts;
    EXPECT_GT(times[0], last);
    last = times[0];
  }
}

TEST(OptimisticRuns, OtherInstancesAreNotInTheWay) {
  Network network = networkOf({{1, 1000}}, 1000);
  const double one = timesOf(network, 0.5, 8)[0];
  network.locks[0].instances = 16;
  EXPECT_LT(timesOf(network, 0.5, 8)[0] - 1, (one - 1) / 4);
}

TEST(OptimisticRuns, ThroughputIsThatOfTheRunsPlayedThrough) {
  for (const double cv : {0.0, 0.3, 1.0})
    for (const double localNs : {500.0, 8000.0})
      for (const double conflict : {0.02, 0.3})
        for (const double writes : {1.0, 0.5})
          for (const int threads : {2, 8, 32}) {
            const Played program{cv, localNs, writes, conflict, conflict / 2, threads};
            const double truth = played(program);
            for (const bool apart : {false, true})
              if (!apart || writes < 1)
                EXPECT_NEAR(predicted(program, apart) / truth, 1, 0.1)
                    << "cv " << cv << ", " << localNs << " ns, conflicts " << conflict << ", "
                    << 100 * writes << " % write" << (apart ? " in a section of their own, " : ", ")
                    << threads << " threads";
          }
}

/// A counter that half of a section's executions write: the mean of all would say that few
/// conflict.
TEST(OptimisticRuns, TellsTheExecutionsOfASectionThatWrite) {
  for (const int threads : {8, 32}) {
    const Played program{0, 8000, 0.5, 1, 0, threads};
    EXPECT_NEAR(predicted(program, false) / played(program), 1, 0.07) << threads << " threads";
    EXPECT_NEAR(predicted(program, false) / predicted(program, true), 1, 1e-5);
  }
}

/// Of those that run at once one is through: of equal ones the first that began after the last one
/// was, else a short one.
TEST(OptimisticRuns, WhereAllConflictOneAtATimeIsThrough) {
  for (const double cv : {0.0, 0.2, 0.5})
    for (const double localNs : {500.0, 8000.0})
      for (const double writes : {1.0, 0.25})
        for (const int threads : {2, 8, 32}) {
          const Played program{cv, localNs, writes, 1, 0, threads};
          EXPECT_NEAR(predicted(program, false) / played(program), 1,
                      cv < 0.2   ? 0.08
                      : cv < 0.5 ? 0.12
                                 : 0.17)
              << "cv " << cv << ", " << localNs << " ns, " << 100 * writes << " % write, "
              << threads << " threads";
        }
}

/// Of sections a thousand times as long, seldom run, the short ones know nothing.
TEST(OptimisticRuns, ShortSectionsConflictBesideLongOnes) {
  Network network = networkOf({{0.999, 100, 0}, {0.001, 100'000, 0}}, 1000);
  network.locks.pop_back();
  network.sections[1].lock = 0;
  const double alone = timesOf(networkOf({{1, 100, 0}}, 1000), 0.5, 16)[0];
  const std::vector<double> times =
      timesOf(network, {allWrite(0.25), {0, 0, 0}}, 16); // who runs long writes nothing
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GT(alone, 1.2);
  EXPECT_NEAR(times[0] / alone, 1, 0.1);
}

TEST(OptimisticRuns, InterruptionsDoNotComeAgain) {
  Network even = networkOf({{1, 1000, 0.05}}, 1000), interrupted = networkOf({{1, 1000, 1}}, 1000);
  const double once = timesOf(even, 0.2, 8)[0];
  EXPECT_GT(timesOf(interrupted, 0.2, 8)[0], 1.2 * once);
  interrupted.sections[0].hold.skewness = 40;
  EXPECT_NEAR(timesOf(interrupted, 0.2, 8)[0], once, 0.01 * once);
}

/// A program without its MCS lock: its throughput, as the speed-up says, and what is wasted.
struct Optimism {
  double perS, conflict;
};
Optimism optimismOf(const Network &network, double probability, int threads) {
  const Machine machine = machineOf(64);
  const auto locked = predict(network, {LockKind::mcs}, machine, threads);
  if (!locked) {
    ADD_FAILURE() << locked.error().message;
    return {};
  }
  const auto found =
      predictedOptimism(network, 0, {allWrite(probability)}, {LockKind::mcs}, machine, *locked, {});
  if (!found) {
    ADD_FAILURE() << "no prediction without the lock";
    return {};
  }
  return {found->speedup * locked->throughputPerS, found->conflict};
}

TEST(PredictedOptimism, IsThroughputOverThatWithTheLock) {
  const Network network = networkOf({{1, 1000}}, 1000);
  for (const int threads : {1, 4, 32}) {
    const Optimism free = optimismOf(network, 0, threads);
    EXPECT_EQ(free.conflict, 0);
    EXPECT_NEAR(free.perS, threads / 2000e-9, 1);
    const Optimism seldom = optimismOf(network, 0.01, threads);
    EXPECT_NEAR(seldom.perS, threads / (1000 + 1000 / (1 - seldom.conflict)) * 1e9, 1);
  }
}

/// A prediction that cannot be made does not say that executions never succeed.
TEST(PredictedOptimism, IsNothingWhereThePredictionIsImpossible) {
  const Network network = networkOf({{1, 1000}}, 1000);
  const Machine machine = machineOf(64);
  auto locked = predict(network, {LockKind::mcs}, machine, 4);
  ASSERT_TRUE(locked);
  locked->impossible = "more than there is";
  EXPECT_FALSE(
      predictedOptimism(network, 0, {allWrite(0.5)}, {LockKind::mcs}, machine, *locked, {}));
}

/// In the second phase threads do nothing between two sections. What they execute without the lock
/// takes as long in either phase as it does with it.
TEST(PredictedOptimism, IsOfARunInPhases) {
  Network network = networkOf({{1, 1000}}, 1000);
  network.phases = {0.5, 0.5};
  network.sections[0].phases = {{0.2, 1}, {1.8, 1}};
  network.transitions[0].phases = {{1, 2}, {1, 0}};
  for (const int threads : {1, 4, 32}) {
    const Optimism free = optimismOf(network, 0, threads);
    EXPECT_EQ(free.conflict, 0);
    EXPECT_NEAR(free.perS, threads / 2000e-9, 1) << threads;
    const Optimism seldom = optimismOf(network, 0.05, threads);
    EXPECT_LE(seldom.perS, free.perS);
    EXPECT_GT(seldom.perS, 0.3 * free.perS) << threads;
  }
}

SectionMemory traced(std::uint64_t conflicts, std::uint64_t written, std::uint64_t pairs = 100) {
  SectionMemory memory;
  memory.executions = pairs;
  memory.own = {pairs, conflicts, conflicts, conflicts, conflicts};
  memory.locationsWritten = written;
  return memory;
}

TEST(ConflictsAt, WhatCouldNotBeComparedIsLikeTheRest) {
  Network network = networkOf({{0.5, 1000}, {0.3, 1000}, {0.2, 1000}}, 1000);
  for (Section &section : network.sections)
    section.lock = 0;
  EXPECT_TRUE(conflictsAt(network, 0, {}).empty());
  EXPECT_TRUE(conflictsAt(network, 0, {traced(0, 1, 0), {}, {}}).empty());
  const std::vector<SectionConflicts> found =
      conflictsAt(network, 0, {traced(20, 0), traced(60, 5), {}});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].probability, 0.1);
  EXPECT_EQ(found[0].writers, 0);
  EXPECT_EQ(found[1].probability, 0.3);
  EXPECT_EQ(found[1].writers, 1) << "or not told";
  EXPECT_EQ(found[1].ofWriters, 0.3);
  EXPECT_EQ(found[2].probability, 0.2);
  EXPECT_EQ(found[2].writers, 1);
}

TEST(ConflictsAt, TellsExecutionsThatWriteWhereTheDiagnosisDoes) {
  Network network = networkOf({{1, 1000}}, 1000);
  SectionMemory memory = traced(30, 25);
  memory.writers = 25;
  memory.ownOfWriters = {25, 20};
  const SectionConflicts found = conflictsAt(network, 0, {memory})[0];
  EXPECT_EQ(found.probability, 0.15);
  EXPECT_EQ(found.writers, 0.25);
  EXPECT_EQ(found.ofWriters, 0.4);
  EXPECT_NEAR(found.ofReaders(), 0.05 / 0.75, 1e-12);
}

} // namespace
} // namespace qdadvise
