// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Rounds.h"
#include "advisor/machine/MachineToml.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

Machine roundWith(double value, double spread) {
  Machine machine;
  machine.cores = 2;
  machine.timer["read_ns"] = {value, spread, ""};
  machine.scheduler["others"].value = value / 100;
  machine.kinds[LockKind::qd].figures["lock_overhead_ns"] = {2 * value, spread, ""};
  machine.kinds[LockKind::qd].curves["delegation_overhead_ns"] = {
      {{1, value}, {3, 3 * value}}, {spread, spread}, ""};
  machine.movedLines = {{{1, value}, {8, 5 * value}}, {spread, spread}, ""};
  machine.chainedLines = {{{1, value}, {8, 8 * value}}, {spread, spread}, ""};
  machine.wakeup = {{250, value, value / 2}};
  machine.wakeupSpread = {{spread, spread / 2}};
  return machine;
}

TEST(Rounds, OneIsItself) {
  const Machine one = roundWith(20, 3);
  EXPECT_EQ(printMachine(medianOf({one})), printMachine(one));
}

TEST(Rounds, FiguresAreMedians) {
  const Machine all = medianOf({roundWith(20, 3), roundWith(30, 3), roundWith(21, 4)});
  EXPECT_EQ(all.cores, 2);
  EXPECT_EQ(all.timer.at("read_ns").value, 21);
  EXPECT_EQ(all.scheduler.at("others").value, 0.21);
  EXPECT_EQ(all.scheduler.at("others").spread, std::nullopt) << "none was stated";
  EXPECT_EQ(all.kinds.at(LockKind::qd).figures.at("lock_overhead_ns").value, 42);
  const Curve &curve = all.kinds.at(LockKind::qd).curves.at("delegation_overhead_ns");
  EXPECT_EQ(curve.rows, (std::vector<std::pair<double, double>>{{1, 21}, {3, 63}}));
  EXPECT_EQ(all.movedLines.rows, (std::vector<std::pair<double, double>>{{1, 21}, {8, 105}}));
  EXPECT_EQ(all.chainedLines.rows, (std::vector<std::pair<double, double>>{{1, 21}, {8, 168}}));
  EXPECT_EQ(all.wakeup.at(0).latencyNs, 21);
  EXPECT_EQ(all.wakeup.at(0).wakerNs, 10.5);
}

TEST(Rounds, WhatChangesBetweenThemIsTheirSpread) {
  const Machine all = medianOf({roundWith(20, 3), roundWith(30, 3), roundWith(21, 4)});
  EXPECT_EQ(all.timer.at("read_ns").spread, 10);
  EXPECT_EQ(all.kinds.at(LockKind::qd).curves.at("delegation_overhead_ns").spread,
            (std::vector<double>{10, 30}));
  EXPECT_EQ(all.wakeupSpread.at(0), std::make_pair(10.0, 5.0));
  const Machine steady = medianOf({roundWith(20, 3), roundWith(21, 3), roundWith(21, 4)});
  EXPECT_EQ(steady.timer.at("read_ns").spread, 3) << "the rounds' own is more";
}

TEST(Rounds, WhatSomeLackIsThatOfTheOthers) {
  Machine without = roundWith(50, 1);
  without.wakeup.clear();
  without.wakeupSpread.clear();
  without.kinds.clear();
  without.movedLines = {};
  without.timer["read_ns"] = {3, std::nullopt, assumed};
  const Machine all = medianOf({without, roundWith(20, 3)});
  EXPECT_EQ(all.wakeup.at(0).latencyNs, 20);
  EXPECT_EQ(all.movedLines.rows.at(0).second, 20);
  EXPECT_EQ(all.kinds.at(LockKind::qd).figures.at("lock_overhead_ns").value, 40);
  EXPECT_EQ(all.timer.at("read_ns").value, 20);
  EXPECT_EQ(all.timer.at("read_ns").source, "");
}

/// What a clock of 2.4 to 2.5 GHz makes of roundWith(20, 3), whose spreads are 3 or 1.5.
Machine withClock(std::optional<double> nominalGhz) {
  Machine machine = roundWith(20, 3);
  machine.scheduler["timeslice_ns"] = {3e6, 1000, ""};
  stateClock(machine, {2.5, 2.4, 2.4}, nominalGhz);
  return machine;
}

TEST(Clock, IsStated) {
  const Machine machine = withClock(2);
  EXPECT_EQ(machine.timer.at("clock_ghz").value, 2.4);
  EXPECT_DOUBLE_EQ(*machine.timer.at("clock_ghz").spread, 0.1);
  EXPECT_EQ(machine.timer.at("nominal_clock_ghz").value, 2);
  EXPECT_FALSE(withClock(std::nullopt).timer.contains("nominal_clock_ghz"));
}

TEST(Clock, MayBeTheNominalOneNextTime) {
  const Machine machine = withClock(2); // a quarter more than that
  EXPECT_EQ(machine.timer.at("read_ns").spread, 5);
  EXPECT_EQ(machine.kinds.at(LockKind::qd).figures.at("lock_overhead_ns").spread, 10);
  EXPECT_EQ(machine.kinds.at(LockKind::qd).curves.at("delegation_overhead_ns").spread,
            (std::vector<double>{5, 15}));
  EXPECT_EQ(machine.movedLines.spread, (std::vector<double>{5, 25}));
  EXPECT_EQ(machine.wakeupSpread.at(0), std::make_pair(5.0, 2.5));
  EXPECT_EQ(machine.timer.at("read_ns").value, 20) << "a figure stays";
  EXPECT_EQ(machine.scheduler.at("timeslice_ns").spread, 1000) << "a timer ends it";
  EXPECT_EQ(machine.scheduler.at("others").spread, std::nullopt) << "none was stated";
}

TEST(Clock, ThatChangesLessThanFiguresLeavesTheirSpreads) {
  const Machine machine = withClock(std::nullopt); // 4 % up and down
  EXPECT_EQ(machine.timer.at("read_ns").spread, 3);
  EXPECT_EQ(machine.kinds.at(LockKind::qd).curves.at("delegation_overhead_ns").spread,
            (std::vector<double>{3, 3}));
}

TEST(Clock, BelowTheNominalOneMayRise) {
  Machine machine = roundWith(20, 3);
  stateClock(machine, {1, 1}, 1.5);
  EXPECT_EQ(machine.timer.at("read_ns").spread, 10);
}

} // namespace
} // namespace qdadvise
