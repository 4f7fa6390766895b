// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Rounds.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

Machine roundWith(double value, double spread) {
  Machine machine;
  machine.cores = 2;
  machine.timer["read_ns"] = {value, spread, ""};
  machine.scheduler["others"].value = value / 100;
  machine.kinds["qd"].figures["lock_overhead_ns"] = {2 * value, spread, ""};
  machine.kinds["qd"].curves["delegation_overhead_ns"] = {
      {{1, value}, {3, 3 * value}}, {spread, spread}, ""};
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
  EXPECT_EQ(all.kinds.at("qd").figures.at("lock_overhead_ns").value, 42);
  const Curve &curve = all.kinds.at("qd").curves.at("delegation_overhead_ns");
  EXPECT_EQ(curve.rows, (std::vector<std::pair<double, double>>{{1, 21}, {3, 63}}));
  EXPECT_EQ(all.wakeup.at(0).latencyNs, 21);
  EXPECT_EQ(all.wakeup.at(0).wakerNs, 10.5);
}

TEST(Rounds, WhatChangesBetweenThemIsTheirSpread) {
  const Machine all = medianOf({roundWith(20, 3), roundWith(30, 3), roundWith(21, 4)});
  EXPECT_EQ(all.timer.at("read_ns").spread, 10);
  EXPECT_EQ(all.kinds.at("qd").curves.at("delegation_overhead_ns").spread,
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
  without.timer["read_ns"] = {3, std::nullopt, assumed};
  const Machine all = medianOf({without, roundWith(20, 3)});
  EXPECT_EQ(all.wakeup.at(0).latencyNs, 20);
  EXPECT_EQ(all.kinds.at("qd").figures.at("lock_overhead_ns").value, 40);
  EXPECT_EQ(all.timer.at("read_ns").value, 20);
  EXPECT_EQ(all.timer.at("read_ns").source, "");
}

} // namespace
} // namespace qdadvise
