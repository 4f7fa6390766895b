// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include "unittests/advisor/model/Networks.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace qdadvise {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// On processors for all threads.
RunScaling scalingOf(const qdadvise::Run &run, double recorded = 1, int processors = 1 << 30) {
  return {run, recorded, processors};
}

TEST(WholeRun, IsAmdahlsLaw) {
  const qdadvise::Run run{2, 8, 1, "main"};
  EXPECT_DOUBLE_EQ(run.serialShare(), 0.2);
  const WholeRun four = scalingOf(run).at(4, 4);
  EXPECT_DOUBLE_EQ(four.speedup, 10 / (2 + 8.0 / 4));
  EXPECT_DOUBLE_EQ(four.serialShare, 0.5);
  EXPECT_NEAR(scalingOf(run).at(1e9, 1e9).speedup, 5, 1e-6);
  EXPECT_DOUBLE_EQ(scalingOf(run).at(1, 1).speedup, 1);
  EXPECT_DOUBLE_EQ(scalingOf({0, 8, 1, ""}).at(4, 3).speedup, 3);
}

TEST(WholeRun, TakesNoLessTimeThanItsLongestStretch) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.longestStretch = 0.5;
  EXPECT_DOUBLE_EQ(scalingOf(run).at(2, 1.5).speedup, 10 / (2 + 8 / 1.5));
  EXPECT_DOUBLE_EQ(scalingOf(run).at(4, 4).speedup, 10.0 / (2 + 4));
  EXPECT_DOUBLE_EQ(scalingOf(run).at(4, 1e9).serialShare, 2.0 / 6);
  EXPECT_EQ(scalingOf(run).time(2, 1.5).limit, RunLimit::sections);
  EXPECT_EQ(scalingOf(run).time(4, 4).limit, RunLimit::stretch);
  // At worst the other threads wait for it.
  EXPECT_DOUBLE_EQ(scalingOf(run).time(1, 1).most, 2 + 8);
  EXPECT_DOUBLE_EQ(scalingOf(run).time(4, 4).most, 2 + 8 * (1.0 / 4 + 0.75 * 0.5));
  EXPECT_DOUBLE_EQ(scalingOf(run, 2).time(4, 4).most, 2 + 8 * (2.0 / 4 + 0.75 * 0.5));
  EXPECT_DOUBLE_EQ(scalingOf(run).time(8, 1).most, 2 + 8 * 1.4375) << "they wait for a lock";
}

TEST(WholeRun, DividesWhatLiesBetweenBarriersUnlessOneThreadDoesItAlone) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.barrierStretch = 0.5;
  const RunTime four = scalingOf(run).time(4, 4);
  EXPECT_DOUBLE_EQ(four.expected, 2 + 8 / 4.0);
  EXPECT_DOUBLE_EQ(four.least, four.expected);
  EXPECT_DOUBLE_EQ(four.most, 2 + 8 * (1.0 / 4 + 0.75 * 0.5));
  EXPECT_EQ(four.limit, RunLimit::sections);
  run.longestStretch = 0.75; // the longer of the two
  EXPECT_DOUBLE_EQ(scalingOf(run).time(4, 4).most, 2 + 8 * (1.0 / 4 + 0.75 * 0.75));
}

/// Nobody knows whether stages of a pipeline would have more threads than one (RUN15).
TEST(WholeRun, LeavesOpenWhichStagesHaveOneThread) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.guessedStages = 0.5;
  const RunTime four = scalingOf(run).time(4, 4);
  EXPECT_DOUBLE_EQ(four.least, 2 + 8 / 4.0);
  EXPECT_DOUBLE_EQ(four.most, 2 + 8 * (1.0 / 4 + 0.75 * 0.5));
  EXPECT_DOUBLE_EQ(four.expected, (four.least + four.most) / 2);
  EXPECT_EQ(four.limit, RunLimit::sections);
}

/// Whoever comes last wakes the others, who begin so much later what the next barrier waits for.
TEST(WholeRun, TakesAWakeUpForEachBarrier) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.barriers = 10;
  RunScaling scaling = scalingOf(run);
  scaling.wakeupNs = 0.125;
  EXPECT_DOUBLE_EQ(scaling.at(1, 1).speedup, 1) << "nobody else to wait for";
  const RunTime four = scaling.time(4, 4);
  EXPECT_DOUBLE_EQ(four.least, 2 + 8 / 4.0) << "they may not have slept";
  EXPECT_DOUBLE_EQ(four.expected, 2 + 8 / 4.0 + 10 * 0.125);
  EXPECT_DOUBLE_EQ(four.most, four.expected);
  scaling.run.threads = 2; // who waited for each other when they were recorded
  EXPECT_DOUBLE_EQ(scaling.time(4, 4).expected, 2 + 8 / 4.0);
}

/// Half of what threads may divide or not they are taken to divide (RUN13).
TEST(WholeRun, LeavesOpenWhatNobodyKnowsThreadsToDivide) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.ends = 0.5;
  const RunTime one = scalingOf(run).time(1, 1), four = scalingOf(run).time(4, 4);
  EXPECT_DOUBLE_EQ(one.least, 10);
  EXPECT_DOUBLE_EQ(one.most, 10);
  EXPECT_DOUBLE_EQ(four.least, 2 + 4 / 4.0 + 4 / 4.0);
  EXPECT_DOUBLE_EQ(four.most, 2 + 4 / 4.0 + 4);
  EXPECT_DOUBLE_EQ(four.expected, (four.least + four.most) / 2);
  EXPECT_EQ(four.limit, RunLimit::sections);
}

/// Threads may divide what main does before and after its sections (RUN17). How well its locks
/// scale does not matter there.
TEST(WholeRun, LeavesOpenWhatThreadsMayDivideOfTheSerialPart) {
  qdadvise::Run run{8, 2, 1, "main"};
  run.openSerial = 0.75;
  const RunTime one = scalingOf(run).time(1, 1), four = scalingOf(run).time(4, 4);
  EXPECT_DOUBLE_EQ(one.least, 10);
  EXPECT_DOUBLE_EQ(one.most, 10);
  EXPECT_DOUBLE_EQ(four.least, 2 + 6 / 4.0 + 2 / 4.0);
  EXPECT_DOUBLE_EQ(four.most, 8 + 2 / 4.0);
  EXPECT_DOUBLE_EQ(four.expected, (four.least + four.most) / 2);
  EXPECT_DOUBLE_EQ(scalingOf(run).time(4, 0.5).least, 2 + 6 / 4.0 + 2 / 0.5);
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).time(4, 2).least, 2 + 6 / 2.0 + 2 / 2.0) << "processors";
  EXPECT_DOUBLE_EQ(scalingOf(run).at(4, 4).serialShare, 1 - 2 / 4.0 / four.expected);
}

/// However well locks scale, threads share more, and may not have work alike (RUN14).
TEST(WholeRun, LosesWhatOneThreadDoesNotTellOf) {
  qdadvise::Run run{2, 8, 1, "main"};
  RunScaling scaling = scalingOf(run);
  scaling.loss = 0.2;
  EXPECT_DOUBLE_EQ(scaling.at(1, 1).speedup, 1);
  const RunTime two = scaling.time(2, 2);
  EXPECT_DOUBLE_EQ(two.least, 2 + 4) << "it may lose nothing";
  EXPECT_DOUBLE_EQ(two.expected, 2 + 4 * 1.1);
  EXPECT_DOUBLE_EQ(two.most, two.expected);
  EXPECT_DOUBLE_EQ(scaling.time(2, 1.5).expected, 2 + 8 / 1.5) << "waiting for locks is more";
  EXPECT_DOUBLE_EQ(scaling.time(16, 16).expected, 2 + 8 / 16.0 * (1 + 0.2 * 15 / 16));
  scaling.processors = 2;
  EXPECT_DOUBLE_EQ(scaling.time(16, 16).expected, 2 + 4 * 1.1) << "two of them at a time";
  // Blocked threads are in nobody's way.
  scaling.run.computing = scaling.run.processors = 0;
  EXPECT_DOUBLE_EQ(scaling.time(16, 16).expected, 2 + 8 / 16.0);
  // What recorded threads had lost is in their times.
  scaling = scalingOf({2, 8, 2, "main"}, 2);
  scaling.loss = 0.2;
  EXPECT_DOUBLE_EQ(scaling.time(2, 2).expected, 2 + 8);
  EXPECT_DOUBLE_EQ(scaling.time(4, 4).expected, 2 + 4 * 1.15 / 1.1);
}

/// Threads that wait for others without locks are blocked, as far as the sections can tell.
TEST(WholeRun, NeedsProcessorsForWhatItComputes) {
  qdadvise::Run run{2, 8, 1, "main"};
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).at(2, 2).speedup, 10 / (2 + 8.0 / 2));
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).at(64, 64).speedup, 10 / (2 + 8.0 / 2));
  run.processors = 0.5; // it is blocked for the other half of its time
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).at(64, 3).speedup, 10 / (2 + 8.0 / 3));
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).at(64, 64).speedup, 10 / (2 + 8.0 / 4));
  // One of two pipeline threads works at a time. So four processors are enough for four pairs.
  run.processors = 1;
  run.threads = 2;
  EXPECT_DOUBLE_EQ(scalingOf(run, 2, 4).at(64, 64).speedup, (2 + 16.0) / (2 + 16.0 / 8));
  run.processors = 3; // others poll
  EXPECT_DOUBLE_EQ(scalingOf(run, 2, 4).at(64, 64).speedup, (2 + 16.0) / (2 + 16.0 / 4));
  // Four threads that shared two processors, and let one and a half work: two can work more.
  run.threads = 4;
  run.computing = 3;
  run.processors = 1.5;
  EXPECT_DOUBLE_EQ(scalingOf(run, 3, 2).at(4, 3).speedup, (2 + 24.0) / (2 + 8.0));
  EXPECT_DOUBLE_EQ(scalingOf(run, 3, 2).at(8, 6).speedup, (2 + 24.0) / (2 + 8.0 * 1.5 / 2));
}

TEST(WholeRun, TakesNoLessTimeThanAFixedThreadOnWhoseWorkItGoes) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 1.2;
  run.computing = 1.4; // it works while the others do
  // With a processor for each, the longer of its work and of what there is for every processor.
  const RunScaling many = scalingOf(run), two = scalingOf(run, 1, 2);
  EXPECT_DOUBLE_EQ(many.pipeline(2).least, 4);
  EXPECT_DOUBLE_EQ(many.pipeline(8).least, 4);
  EXPECT_DOUBLE_EQ(many.pipeline(8).expected, 4);
  EXPECT_DOUBLE_EQ(many.pipeline(8).most, 4 + 4 * 8.0 / 9);
  // Three threads on two processors.
  EXPECT_DOUBLE_EQ(two.pipeline(2).least, 6);
  EXPECT_DOUBLE_EQ(two.pipeline(2).expected, 6 + 2 * (4.0 / 9));
  EXPECT_DOUBLE_EQ(two.pipeline(2).most, 6 + 2);
  EXPECT_DOUBLE_EQ(two.at(2, 2).speedup, 10 / (6 + 2 * (4.0 / 9)));
  EXPECT_EQ(two.time(2, 2).limit, RunLimit::pipeline);
  EXPECT_DOUBLE_EQ(two.at(2, 1.1).speedup, 1.1) << "locks take longer";
  run.fixedWork = 0.6;
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).pipeline(2).expected, 6 + 3 * 0.5) << "half of it at most";
  run.fixedWork = 0.4;
  run.computing = 0.9; // it reads files
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 2).pipeline(2).least, 4.5) << "work that needs no processor";
}

/// Main hands out work and waits until it is done, and then does its own (RUN16).
TEST(WholeRun, DividesOnlyTheThreadsPartWhereTheyAndAFixedThreadTakeTurns) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 0.9;
  EXPECT_DOUBLE_EQ(scalingOf(run).at(1, 1).speedup, 1);
  EXPECT_DOUBLE_EQ(scalingOf(run).time(4, 4).expected, 4 + 6 / 4.0);
  EXPECT_DOUBLE_EQ(scalingOf(run).time(4, 4).least, 4) << "several may work while main does";
  EXPECT_EQ(scalingOf(run).time(4, 4).limit, RunLimit::pipeline);
  // Half of what main computes went on beside a worker: the kernel's count tells, or the sections.
  run.computing = 1.2;
  EXPECT_DOUBLE_EQ(scalingOf(run).time(2, 2).expected, 2 + 8 / 2.0);
  EXPECT_DOUBLE_EQ(scalingOf(run).time(2, 2).most, 4 + 6 / 2.0) << "two may have to wait for it";
  run.computing = 1;
  run.work = 1.2;
  EXPECT_DOUBLE_EQ(scalingOf(run).time(2, 2).expected, 2 + 8 / 2.0);
  run.computing = 1.5;
  EXPECT_DOUBLE_EQ(scalingOf(run).time(2, 2).expected, 10 / 2.0) << "all of it went on beside";
}

TEST(WholeRun, HasOneThreadForItsUnitWhateverTheProcessors) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = run.computing = 1.2;
  EXPECT_EQ(scalingOf(run, 1, 1).pipeline(1).most, 0);
  EXPECT_DOUBLE_EQ(scalingOf(run, 1, 1).pipeline(2).least, 10) << "12, where one thread takes 12";
  run.fixedWork = 0;
  EXPECT_EQ(scalingOf(run, 1, 2).pipeline(2).most, 0);
}

TEST(WholeRun, TellsWhatSeveralRecordedThreadsHadSharedAlready) {
  // Four threads with a speed-up of 3 took 8: one thread takes 24.
  const WholeRun eight = scalingOf({2, 8, 4, ""}, 3).at(8, 6);
  EXPECT_DOUBLE_EQ(eight.speedup, 26 / (2 + 24.0 / 6));
  EXPECT_DOUBLE_EQ(eight.serialShare, 2 / 6.0);
}

TEST(WholeRun, TakesTheSpeedUpOfTheRecordedThreadsFromThePrediction) {
  Network network = test::networkOf({{1, 300}}, 1000);
  const Machine machine = test::machineOf(64);
  network.run = {1, 1, 1, ""};
  EXPECT_EQ(*recordedSpeedup(network, {LockKind::qd}, machine, {}), 1);
  network.run->threads = 6;
  EXPECT_EQ(*recordedSpeedup(network, {LockKind::qd}, machine, {}),
            predict(network, {LockKind::qd}, machine, 6)->speedup);
}

TEST(WholeRun, GoesByFewerThreadsWhereTheModelHasNoPossibleAnswer) {
  const auto upTo = [](int possible) {
    return [possible](int threads) -> Expected<Prediction> {
      Prediction prediction;
      prediction.speedup = threads <= possible ? 0.8 * threads : std::nan("");
      prediction.impossible = threads <= possible ? "" : "it is no number";
      return prediction;
    };
  };
  EXPECT_DOUBLE_EQ(*possibleSpeedup(4, upTo(4)), 3.2);
  EXPECT_DOUBLE_EQ(*possibleSpeedup(4, upTo(2)), 1.6 * 4 / 2);
  EXPECT_DOUBLE_EQ(*possibleSpeedup(4, upTo(1)), 4) << "one thread is what it is over";
}

GainInterval gainOf(double ratio, double low, double high) {
  GainInterval gain;
  gain.ratio = ratio;
  gain.low = low;
  gain.high = high;
  return gain;
}

TEST(WholeRun, GainsLessThanItsSections) {
  // A quarter of the time of four threads that do as much as three is serial.
  const GainInterval sections = gainOf(2, 1.5, 3);
  const GainInterval gain = scalingOf({2, 18, 1, ""}).gain(4, 3, sections);
  EXPECT_DOUBLE_EQ(gain.ratio, 1 / (0.25 + 0.75 / 2));
  EXPECT_DOUBLE_EQ(gain.low, 1 / (0.25 + 0.75 / 1.5));
  EXPECT_DOUBLE_EQ(gain.high, 1 / (0.25 + 0.75 / 3));
  EXPECT_DOUBLE_EQ(scalingOf({0, 18, 1, ""}).gain(4, 3, sections).high, 3);
}

TEST(WholeRun, GainsNoMoreThanItsLongestStretchLeaves) {
  // Of 8 to be done four threads with a speed-up of 1.5 take 5.3; the stretch alone takes 4.
  qdadvise::Run run{2, 8, 1, ""};
  run.longestStretch = 0.5;
  const GainInterval gain = scalingOf(run).gain(4, 1.5, gainOf(2, 1.1, 3));
  EXPECT_DOUBLE_EQ(gain.ratio, (2 + 8 / 1.5) / 6);
  // At worst 3 go by in which one thread is in its stretch and all others have no work.
  EXPECT_DOUBLE_EQ(gain.low, (2 + 8 / 1.5 + 3) / (2 + 8 / 1.65 + 3));
  EXPECT_DOUBLE_EQ(gain.high, (2 + 8 / 1.5 + 3) / (2 + 8 / 4.5 + 3));
  const GainInterval loss = scalingOf(run).gain(4, 1.5, gainOf(0.5, 0.4, 0.6));
  EXPECT_DOUBLE_EQ(loss.low, (2 + 8 / 1.5) / (2 + 8 / 0.6));
  EXPECT_DOUBLE_EQ(loss.high, (2 + 8 / 1.5 + 3) / (2 + 8 / 0.9 + 3));
}

TEST(WholeRun, GainsNothingWhereAFixedThreadIsTheLimitToday) {
  qdadvise::Run run{0, 10, 1, ""};
  run.fixedWork = 0.8;
  run.work = 1.8;
  const GainInterval gain = scalingOf(run).gain(8, 1.5, gainOf(3, 2, 4));
  EXPECT_DOUBLE_EQ(gain.ratio, 1);
  EXPECT_DOUBLE_EQ(gain.low, 1);
  EXPECT_DOUBLE_EQ(gain.high, 1);
  EXPECT_FALSE(scalingOf(run).gain(8, 1.5, {.known = false}).known);
}

/// Copies of this run ran on that machine.
qdadvise::Run runWithCopies(const Machine &machine, std::vector<RunCopies::Row> rows) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.copies = {machine.cpu, machine.cores, std::move(rows)};
  return run;
}

Machine measuredMachine(int cores) {
  Machine machine = test::machineOf(cores);
  machine.source = "measured";
  machine.cpu = "a processor";
  return machine;
}

RunScaling scalingWith(const Machine &machine, std::vector<RunCopies::Row> rows) {
  const qdadvise::Run run = runWithCopies(machine, std::move(rows));
  return {run, 1, machine.cores, sharingSlowdowns(run, machine)};
}

TEST(WholeRun, ComputesLongerBesideOtherThreads) {
  const RunScaling scaling = scalingWith(measuredMachine(16), {{2, 1.2, 0}, {4, 1.6, 0}});
  EXPECT_DOUBLE_EQ(scaling.at(1, 1).speedup, 1);
  EXPECT_DOUBLE_EQ(scaling.at(2, 2).speedup, 10 / (2 + 1.2 * 8 / 2));
  EXPECT_DOUBLE_EQ(scaling.at(4, 4).speedup, 10 / (2 + 1.6 * 8 / 4));
  EXPECT_DOUBLE_EQ(scaling.at(2, 2).serialShare, 2 / (2 + 1.2 * 8 / 2)) << "that is alone";
  // Linear between the rows, and beyond the last what that says.
  EXPECT_DOUBLE_EQ(scaling.at(3, 3).speedup, 10 / (2 + 1.4 * 8 / 3));
  EXPECT_DOUBLE_EQ(scaling.at(16, 16).speedup, 10 / (2 + 1.6 * 8 / 16));
  // Who waits for a lock is in nobody's way: four threads go on as one and a half do.
  EXPECT_DOUBLE_EQ(scaling.at(4, 1.5).speedup, 10 / (2 + 1.1 * 8 / 1.5));
  EXPECT_DOUBLE_EQ(scaling.at(4, 0.5).speedup, 10 / (2 + 8 / 0.5));
}

TEST(WholeRun, ComputesLongerOnlyWhileItComputes) {
  RunScaling scaling = scalingWith(measuredMachine(16), {{2, 1.2, 0}});
  scaling.run.computing = 0.25;
  EXPECT_DOUBLE_EQ(scaling.at(2, 2).speedup, 10 / (2 + (1 + 0.25 * 0.2) * 8 / 2));
  scaling.run.computing = 1.6;
  EXPECT_DOUBLE_EQ(scaling.at(2, 2).speedup, 10 / (2 + 1.2 * 8 / 2));
  // While others wait for the longest stretch, hardly more than one computes.
  scaling = scalingWith(measuredMachine(16), {{2, 1.2, 0}});
  scaling.run.longestStretch = 0.8;
  EXPECT_DOUBLE_EQ(scaling.at(2, 2).speedup, 10 / (2 + (1 + 0.2 * 0.25) * 0.8 * 8));
}

TEST(WholeRun, IsNoFasterBesideOtherThreads) {
  const RunScaling noisy = scalingWith(measuredMachine(16), {{2, 0.9, 0.1}});
  EXPECT_DOUBLE_EQ(noisy.time(2, 2).expected, 2 + 4);
  EXPECT_DOUBLE_EQ(noisy.time(2, 2).least, 2 + 4);
  EXPECT_DOUBLE_EQ(noisy.time(2, 2).most, 2 + 0.9 * std::exp(1.96 * 0.1) * 4);
  const RunScaling spread = scalingWith(measuredMachine(16), {{2, 1.5, 0.1}});
  EXPECT_DOUBLE_EQ(spread.time(2, 2).least, 2 + 1.5 * std::exp(-1.96 * 0.1) * 4);
  EXPECT_DOUBLE_EQ(spread.time(2, 2).expected, 2 + 1.5 * 4);
  EXPECT_DOUBLE_EQ(spread.time(2, 2).most, 2 + 1.5 * std::exp(1.96 * 0.1) * 4);
}

TEST(WholeRun, GainsTheLessTheMoreThreadsComputeThen) {
  const RunScaling scaling = scalingWith(measuredMachine(16), {{2, 1.2, 0}, {4, 1.6, 0}});
  const GainInterval gain = scaling.gain(4, 2, gainOf(2, 1.5, 2));
  EXPECT_DOUBLE_EQ(gain.ratio, (2 + 1.2 * 4) / (2 + 1.6 * 2));
  EXPECT_DOUBLE_EQ(gain.low, (2 + 1.2 * 4) / (2 + 1.4 * 8 / 3));
  // Two that slow each other down to a third are slower than one.
  const RunScaling thrashing = scalingWith(measuredMachine(16), {{2, 3, 0}});
  const GainInterval loss = thrashing.gain(2, 1, gainOf(2, 1.5, 2));
  EXPECT_LT(loss.ratio, 1);
  EXPECT_LE(loss.low, loss.ratio);
  EXPECT_GE(loss.high, loss.ratio);
}

TEST(WholeRun, LeavesOutOfCopiesWhatHardwareThreadsAreKnownToLose) {
  Machine machine = measuredMachine(4);
  machine.threadsPerCore = 2;
  machine.scheduler["shared_core_factor"].value = 1.5;
  const auto rows = sharingSlowdowns(runWithCopies(machine, {{2, 1.2, 0}, {4, 1.8, 0}}), machine);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].expected, 1.2) << "each has a core";
  EXPECT_DOUBLE_EQ(rows[0].speed, 2);
  EXPECT_DOUBLE_EQ(rows[1].expected, 1.8 / 1.5);
  EXPECT_DOUBLE_EQ(rows[1].speed, 4 / 1.5) << "as fast as the model has four threads";
}

TEST(WholeRun, CallsItNoiseThatCopiesAreFasterThanOne) {
  const Machine here = measuredMachine(16);
  EXPECT_THAT(sharingNote(runWithCopies(here, {{2, 0.66, 0.2}, {4, 1, 0.2}}), here, 8),
              HasSubstr("took 1.00 times the processor time of one: in the whole run, threads "
                        "compute no longer, and what is below 1 is noise"));
  EXPECT_THAT(sharingNote(runWithCopies(here, {{2, 0.66, 0.2}, {4, 1.1, 0.2}}), here, 4),
              EndsWith("threads compute as much longer"));
}

TEST(WholeRun, KnowsNothingOfOtherMachinesOrThreads) {
  const Machine here = measuredMachine(16);
  qdadvise::Run run = runWithCopies(here, {{2, 1.2, 0.01}});
  EXPECT_THAT(sharingNote(run, here, 2), HasSubstr("2 copies at once took 1.20 times"));
  EXPECT_THAT(sharingNote(run, here, 2), Not(HasSubstr("more than 2")));
  EXPECT_THAT(sharingNote(run, here, 8), HasSubstr("more than 2 at a time lose at least"));
  for (const auto &change :
       std::vector<void (*)(Machine &)>{[](Machine &machine) { machine.cpu = "another one"; },
                                        [](Machine &machine) { machine.cores = 8; },
                                        [](Machine &machine) { machine.source = "assumed"; }}) {
    Machine other = here;
    change(other);
    EXPECT_TRUE(sharingSlowdowns(run, other).empty());
    EXPECT_THAT(sharingNote(run, other, 2), HasSubstr("left out: they ran on 16 processors"));
  }
  run.threads = 3;
  EXPECT_FALSE(sharingSlowdowns(run, here).empty()) << "two may have waited for work all the time";
  run.computing = 2.5;
  EXPECT_TRUE(sharingSlowdowns(run, here).empty());
  EXPECT_THAT(sharingNote(run, here, 2), HasSubstr("left out: each computes with 2.5 threads"));
  run.copies.reset();
  EXPECT_TRUE(sharingSlowdowns(run, here).empty());
  EXPECT_EQ(sharingNote(run, here, 2), "");
}

/// Whatever the sections gain, the run takes its serial part, its longest stretch, and what a fixed
/// thread computes.
TEST(WholeRun, HasNoGainAboveItsBound) {
  std::mt19937_64 random(29);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 10'000; ++trial) {
    qdadvise::Run run{unit(random), unit(random) + 1e-3, 1, ""};
    run.longestStretch = trial % 2 == 0 ? unit(random) : 0;
    if (trial % 3 == 0) {
      run.fixedWork = unit(random);
      run.work = run.fixedWork + unit(random);
    }
    const double threads = 2 + std::floor(62 * unit(random));
    const double recorded = 1 + unit(random), today = std::exp(std::log(threads) * unit(random));
    const RunScaling scaling = scalingOf(run, recorded, 1 + static_cast<int>(64 * unit(random)));
    const double ratio = std::exp(6 * unit(random) - 2);
    const GainInterval gain = scaling.gain(
        threads, today, gainOf(ratio, ratio * unit(random), ratio * (1 + unit(random))));
    const RunTime now = scaling.time(threads, today);
    const auto boundOf = [&](double takes, double pipelineNs) {
      return takes / (run.serialNs + std::max(run.parallelNs * run.longestStretch, pipelineNs));
    };
    const PipelineNs atLeast = scaling.pipeline(threads);
    EXPECT_LE(gain.ratio, boundOf(now.expected, atLeast.expected) * (1 + 1e-12)) << trial;
    const double highest =
        std::max({boundOf(now.least, atLeast.least), boundOf(now.expected, atLeast.expected),
                  boundOf(now.most, atLeast.most)});
    EXPECT_LE(gain.high, highest * (1 + 1e-12)) << trial;
    EXPECT_LE(gain.low, gain.ratio) << trial;
    EXPECT_LE(gain.ratio, gain.high) << trial;
    EXPECT_LE(std::abs(std::log(gain.ratio)), std::abs(std::log(ratio)) + 1e-12) << trial;
  }
}

} // namespace
} // namespace qdadvise
