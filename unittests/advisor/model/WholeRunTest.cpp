// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include "unittests/advisor/model/Networks.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

/// On processors for all threads.
RunScaling scalingOf(const qdadvise::Run &run, double recorded = 1, int processors = 1 << 10) {
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

TEST(WholeRun, TakesNoLessTimeThanAFixedThreadOnWhoseWorkItGoes) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 1.2;
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
}

TEST(WholeRun, HasOneThreadForItsUnitWhateverTheProcessors) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 1.2;
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
