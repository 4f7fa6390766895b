// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include "unittests/advisor/model/Networks.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

TEST(WholeRun, IsAmdahlsLaw) {
  const qdadvise::Run run{2, 8, 1, "main"};
  EXPECT_DOUBLE_EQ(run.serialShare(), 0.2);
  const WholeRun four = wholeRun(run, 4, 1);
  EXPECT_DOUBLE_EQ(four.speedup, 10 / (2 + 8.0 / 4));
  EXPECT_DOUBLE_EQ(four.serialShare, 0.5);
  EXPECT_NEAR(wholeRun(run, 1e9, 1).speedup, 5, 1e-6);
  EXPECT_DOUBLE_EQ(wholeRun(run, 1, 1).speedup, 1);
  EXPECT_DOUBLE_EQ(wholeRun({0, 8, 1, ""}, 3, 1).speedup, 3);
}

TEST(WholeRun, TakesNoLessTimeThanItsLongestStretch) {
  qdadvise::Run run{2, 8, 1, "main"};
  run.longestStretch = 0.5;
  EXPECT_DOUBLE_EQ(wholeRun(run, 1.5, 1).speedup, 10 / (2 + 8 / 1.5));
  EXPECT_DOUBLE_EQ(wholeRun(run, 4, 1).speedup, 10.0 / (2 + 4));
  EXPECT_DOUBLE_EQ(wholeRun(run, 1e9, 1).serialShare, 2.0 / 6);
  EXPECT_DOUBLE_EQ(unevenSpeedup(run, 1, 1, 1), 1);
  EXPECT_DOUBLE_EQ(unevenSpeedup(run, 4, 4, 1), 1 / (1.0 / 4 + 0.75 * 0.5));
  EXPECT_DOUBLE_EQ(unevenSpeedup(run, 4, 4, 2), 1 / (1.0 / 4 + 0.75 * 0.25)); // of twice the work
  EXPECT_NEAR(unevenSpeedup(run, 1, 8, 1), 1 / 1.4375, 1e-12); // threads that wait for a lock
}

TEST(WholeRun, TakesNoLessTimeThanAFixedThreadOnWhoseWorkItGoes) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 1.2;
  // With a processor for each, the longer of its work and of what there is for every processor.
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 16, 1).least, 4);
  EXPECT_DOUBLE_EQ(pipelineNs(run, 8, 16, 1).least, 4);
  EXPECT_DOUBLE_EQ(pipelineNs(run, 8, 16, 1).expected, 4);
  EXPECT_DOUBLE_EQ(pipelineNs(run, 8, 16, 1).most, 4 + 4 * 8.0 / 9);
  // Three threads on two processors.
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 2, 1).least, 6);
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 2, 1).expected, 6 + 2 * (4.0 / 9));
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 2, 1).most, 6 + 2);
  EXPECT_DOUBLE_EQ(wholeRun(run, 2, 1, 8).speedup, 10.0 / 8);
  EXPECT_DOUBLE_EQ(wholeRun(run, 1.1, 1, 8).speedup, 1.1) << "locks take longer";
  run.fixedWork = 0.6;
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 2, 1).expected, 6 + 3 * 0.5) << "half of it at most";
}

TEST(WholeRun, HasOneThreadForItsUnitWhateverTheProcessors) {
  qdadvise::Run run{0, 10, 1, "main"};
  run.fixedWork = 0.4;
  run.work = 1.2;
  EXPECT_EQ(pipelineNs(run, 1, 1, 1).most, 0);
  EXPECT_DOUBLE_EQ(pipelineNs(run, 2, 1, 1).least, 10) << "12, where one thread takes 12";
  run.fixedWork = 0;
  EXPECT_EQ(pipelineNs(run, 2, 2, 1).most, 0);
}

TEST(WholeRun, TellsWhatSeveralRecordedThreadsHadSharedAlready) {
  // Four threads with a speed-up of 3 took 8: one thread takes 24.
  const WholeRun eight = wholeRun({2, 8, 4, ""}, 6, 3);
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

TEST(WholeRun, GainsLessThanItsSections) {
  const GainInterval gain = ofWholeRun({2, 1.5, 3}, 0.25);
  EXPECT_DOUBLE_EQ(gain.ratio, 1 / (0.25 + 0.75 / 2));
  EXPECT_DOUBLE_EQ(gain.low, 1 / (0.25 + 0.75 / 1.5));
  EXPECT_DOUBLE_EQ(gain.high, 1 / (0.25 + 0.75 / 3));
  EXPECT_DOUBLE_EQ(ofWholeRun({2, 1.5, 3}, 0).high, 3);
  EXPECT_DOUBLE_EQ(ofWholeRun({2, 1.5, 3}, 1).high, 1);
}

} // namespace
} // namespace qdadvise
