// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A calibration of whatever machine the test runs on. How large the figures are is
// that machine's business; that they are there, and plausible, is ours.
#include "advisor/machine/calibration/Calibrate.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/machine/calibration/LockCosts.h"
#include "advisor/machine/calibration/TimerCosts.h"
#include "advisor/machine/calibration/Topology.h"
#include "advisor/machine/calibration/WakeupCosts.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace qdadvise {
namespace {

void expectFigure(const std::map<std::string, Figure> &table, const std::string &key) {
  ASSERT_TRUE(table.contains(key)) << key;
  EXPECT_GT(table.at(key).value, 0) << key;
  EXPECT_LT(table.at(key).value, 1e9) << key;
  ASSERT_TRUE(table.at(key).spread) << key;
  EXPECT_GE(*table.at(key).spread, 0) << key;
}

void expectRoundTrip(const Machine &machine) {
  const std::string text = printMachine(machine);
  const auto again = parseMachine(text, "calibrated.toml");
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(printMachine(*again), text);
}

TEST(Calibrate, MeasuresWhatTheModelsNeed) {
  if (readTopology().processors.size() < 2)
    GTEST_SKIP() << "needs two cores";
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<double> progress;
  CalibrateOptions options;
  options.quick = true;
  options.cores = 2;
  options.progress = [&](double done, const std::string &) { progress.push_back(done); };
  const Calibration calibration = calibrate(options);
  const Machine &machine = calibration.machine;

  EXPECT_EQ(machine.cores, 2);
  EXPECT_EQ(machine.source, measured);
  EXPECT_THAT(machine.date, testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}"));
  expectFigure(machine.timer, "read_ns");
  expectFigure(machine.timer, "hook_ns");
  for (const char *key : {"wake_ns", "pause_ns", "yield_ns", "timeslice_ns"})
    expectFigure(machine.scheduler, key);
  expectFigure(machine.timer, "clock_ghz");
  // A difference, as below.
  EXPECT_GE(machine.scheduler.at("switch_ns").value, 0);
  EXPECT_GE(machine.scheduler.at("others").value, 0);
  EXPECT_LE(machine.scheduler.at("others").value, 1);
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::ticket,
                              LockKind::mcs, LockKind::clh, LockKind::qd})
    expectFigure(machine.kinds.at(kind).figures, "lock_overhead_ns");
  // A difference of two times, cut off at zero: on a machine that is busy enough, zero.
  for (const LockKind kind : {LockKind::spinlock, LockKind::ticket, LockKind::mcs, LockKind::clh}) {
    ASSERT_TRUE(machine.requireHandoff(kind)) << nameOf(kind);
    EXPECT_GE(machine.kinds.at(kind).handoffCurve()(2), 0) << nameOf(kind);
  }
  // Two cores cannot tell how much a second waiter costs; where each waits apart, nothing.
  EXPECT_EQ(machine.kinds.at(LockKind::mcs).handoffCurve()(3),
            machine.kinds.at(LockKind::mcs).handoffCurve()(2));
  const KindCosts &qd = machine.kinds.at(LockKind::qd);
  ASSERT_EQ(qd.curves.at("delegation_overhead_ns").rows.size(), 1u);
  EXPECT_EQ(qd.curves.at("delegation_overhead_ns").rows[0].first, 1);
  EXPECT_GE(qd.curves.at("delegation_overhead_ns").rows[0].second, 0);
  EXPECT_EQ(qd.curves.at("delegation_overhead_ns").spread.size(), 1u);
  expectFigure(machine.line,
               machine.sockets == 1 ? "transfer_same_socket_ns" : "transfer_cross_socket_ns");
  if (machine.sockets == 1) {
    // Both are differences, cut off at zero.
    EXPECT_GE(machine.line.at("upgrade_ns").value, 0);
    EXPECT_GE(machine.line.at("kept_ns").value, 0);
    for (const Curve &curve : {machine.movedLines, machine.chainedLines}) {
      ASSERT_EQ(curve.rows.size(), 5u);
      EXPECT_EQ(curve.rows.back().first, 256);
      EXPECT_GE(curve.rows.back().second, 0);
      EXPECT_EQ(curve.spread.size(), 5u);
    }
  }
  // The shortest sleeps may be too short to be woken from; the long ones are not.
  ASSERT_GE(machine.wakeup.size(), 3u);
  for (const WakeupCost &row : machine.wakeup) {
    EXPECT_GT(row.latencyNs, 0);
    EXPECT_GT(row.wakerNs, 0);
  }
  EXPECT_EQ(machine.wakeup.back().sleptNs, 200000);
  EXPECT_EQ(machine.wakeupSpread.size(), machine.wakeup.size());
  expectRoundTrip(machine);

  ASSERT_FALSE(progress.empty());
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.front(), 0);
  EXPECT_EQ(progress.back(), 1);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

/// The measurements with more threads than two, here on whatever cores there are: they
/// must end, not tell the truth.
TEST(Measurements, EndWhereThreadsShareACore) {
  const auto processors = readTopology().processors;
  const int first = processors.front().id, last = processors.back().id;
  const Effort little{5};
  const std::vector<int> four{first, last, first, last};
  const auto afterLong = measureHandoffs(four, little);
  for (const auto &handoffs : {afterLong, measureShortHandoffs(four, afterLong, little)})
    for (const auto &[kind, figure] : handoffs)
      EXPECT_GE(figure.value, 0) << nameOf(kind);
  EXPECT_GE(measureDelegations({first, last, first, last}, little).at(LockKind::qd).value, 0);
  EXPECT_GT(measureTransfer({first, first}, Effort{1}).value, 0);
  EXPECT_GE(measureUpgrade({first, first}, Effort{1}).value, 0);
  EXPECT_GE(measureKept({first, first}, Effort{1}).value, 0);
  for (const bool chained : {false, true})
    EXPECT_GE(measureMovedLines({first, first}, 4, chained, Effort{1}).value, 0);
  measureWakeup(first, first, 1000, little);
}

/// Whatever runs it: processors have had between a hundredth and ten cycles a nanosecond.
TEST(Measurements, FindTheClock) {
  EXPECT_GT(measureClockGhz(), 0.01);
  EXPECT_LT(measureClockGhz(), 10);
}

TEST(Measurements, SummarizeAsMedianAndInterquartileRange) {
  EXPECT_FALSE(summarize({}));
  EXPECT_EQ(summarize({3})->value, 3);
  EXPECT_EQ(summarize({3})->spread, 0);
  EXPECT_EQ(summarize({5, 1, 3, 2, 4})->value, 3);
  EXPECT_EQ(summarize({5, 1, 3, 2, 4})->spread, 2);
  EXPECT_EQ(summarize({1, 2})->value, 1.5);
}

TEST(Measurements, SummarizeModesByMeanAndVariation) {
  EXPECT_FALSE(summarizeModes({}));
  EXPECT_EQ(summarizeModes({3})->value, 3);
  EXPECT_EQ(summarizeModes({3})->spread, 0);
  // Four wake-ups in ten find a core that sleeps.
  std::vector<double> wakeups;
  for (int i = 0; i < 1000; ++i)
    wakeups.push_back(i % 10 < 6 ? 3000 : 50'000);
  const Figure modes = *summarizeModes(wakeups);
  EXPECT_NEAR(modes.value, 0.6 * 3000 + 0.4 * 50'000, 1);
  EXPECT_LT(modes.value - *modes.spread, 3000) << "both modes";
  EXPECT_GT(modes.value + *modes.spread, 50'000);
  EXPECT_EQ(summarize(wakeups)->value, 3000) << "a median knows one";
  wakeups.push_back(1e9); // a thread that lost its core
  EXPECT_NEAR(summarizeModes(wakeups)->value, modes.value, 1);
  std::vector<double> even;
  for (int i = 0; i <= 1000; ++i)
    even.push_back(i);
  EXPECT_NEAR(*summarizeModes(even)->spread, *summarize(even)->spread, 1);
}

TEST(Calibrate, SaysWhatOneCoreCannotTell) {
  CalibrateOptions options;
  options.quick = true;
  options.cores = 1;
  const Calibration calibration = calibrate(options);
  const Machine &machine = calibration.machine;
  EXPECT_EQ(machine.cores, 1);
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd})
    expectFigure(machine.kinds.at(kind).figures, "lock_overhead_ns");
  EXPECT_FALSE(machine.require(LockKind::spinlock, "handover_ns"));
  EXPECT_FALSE(machine.require(LockKind::qd, "delegation_overhead_ns"));
  EXPECT_FALSE(machine.requireScheduler("wakeup_ns"));
  EXPECT_THAT(calibration.missing, testing::ElementsAre(testing::HasSubstr("second core")));
  expectRoundTrip(machine);
}

} // namespace
} // namespace qdadvise
