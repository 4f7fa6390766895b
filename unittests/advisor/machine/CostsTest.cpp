// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies between the figures of a description and beyond them.
#include "advisor/machine/Machine.h"
#include "advisor/machine/MachineToml.h"

#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using testing::HasSubstr;

KindCosts costsWith(std::vector<std::pair<double, double>> points) {
  KindCosts costs;
  costs.curves["delegation_overhead_ns"].rows = std::move(points);
  return costs;
}

TEST(DelegationOverhead, IsLinearBetweenPointsAndBeyond) {
  const KindCosts costs = costsWith({{1, 50}, {8, 190}, {16, 270}});
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(1), 50);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(4.5), 120);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(8), 190);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(12), 230);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(16), 270);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(32), 430);
}

TEST(DelegationOverhead, IsProportionalBelowTheFirstPoint) {
  const KindCosts costs = costsWith({{2, 80}, {4, 100}});
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(1), 40);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(0.5), 20);
}

TEST(DelegationOverhead, IsProportionalEverywhereFromOnePoint) {
  const KindCosts costs = costsWith({{1, 150}});
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(0.1), 15);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(10), 1500);
}

TEST(DelegationOverhead, DoesNotFallBeyondTheLastPoint) {
  const KindCosts costs = costsWith({{1, 100}, {2, 90}});
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(1.5), 95);
  EXPECT_DOUBLE_EQ(costs.delegationOverhead(50), 90);
}

TEST(DelegationOverhead, IsZeroWhereNobodyWaitsOrNothingIsKnown) {
  EXPECT_EQ(costsWith({{1, 50}}).delegationOverhead(0), 0);
  EXPECT_EQ(costsWith({{1, 50}}).delegationOverhead(-1), 0);
  EXPECT_EQ(costsWith({{1, 50}}).delegationOverhead(std::nan("")), 0);
  EXPECT_EQ(KindCosts().delegationOverhead(3), 0);
}

KindCosts handoffWith(std::vector<std::pair<double, double>> rows) {
  KindCosts costs;
  costs.figures["lock_overhead_ns"].value = 10;
  if (!rows.empty())
    costs.curves["handover_ns"].rows = std::move(rows);
  return costs;
}

TEST(Handoff, IsTheLockOverheadWhereNobodyElseIsThere) {
  for (KindCosts costs : {handoffWith({}), handoffWith({{2, 60}})}) {
    EXPECT_DOUBLE_EQ(costs.handoffCurve()(1), 10);
    EXPECT_DOUBLE_EQ(costs.handoffCurve()(0), 10);
    costs.figures["handover_ns"].value = 60;
    EXPECT_DOUBLE_EQ(costs.handoffCurve()(1), 10);
  }
}

TEST(Handoff, IsANumberForQueueLocks) {
  KindCosts costs = handoffWith({});
  costs.figures["handover_ns"].value = 60;
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(2), 60);
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(1000), 60);
}

TEST(Handoff, IsLinearFromTheLockOverheadOverTheRowsAndBeyond) {
  const KindCosts costs = handoffWith({{3, 50}, {5, 60}, {9, 40}});
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(2), 30);
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(4), 55);
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(7), 50);
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(20), 40); // falls no further
  EXPECT_DOUBLE_EQ(handoffWith({{2, 60}}).handoffCurve()(4), 160);
}

TEST(Handoff, GrowsWithEveryWaiterWhereThatIsTheFigure) {
  KindCosts costs = handoffWith({});
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(7), 10); // nothing is known
  costs.figures["handover_per_waiter_ns"].value = 44;
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(2), 32);
  EXPECT_DOUBLE_EQ(costs.handoffCurve()(7), 142);
}

TEST(Handoff, IsRequiredInOneOfItsForms) {
  Machine machine;
  machine.name = "toaster";
  EXPECT_THAT(machine.requireHandoff(LockKind::mcs).error().message,
              HasSubstr("kind.mcs.lock_overhead_ns"));
  machine.kinds[LockKind::mcs] = handoffWith({});
  EXPECT_THAT(machine.requireHandoff(LockKind::mcs).error().message,
              HasSubstr("kind.mcs.handover_ns"));
  machine.kinds[LockKind::mcs].figures["handover_ns"].value = 60;
  ASSERT_TRUE(machine.requireHandoff(LockKind::mcs));
  EXPECT_DOUBLE_EQ(machine.requireHandoff(LockKind::mcs)->handoffCurve()(2), 60);
  machine.kinds[LockKind::mcs] = handoffWith({{2, 70}});
  EXPECT_TRUE(machine.requireHandoff(LockKind::mcs));
  machine.kinds[LockKind::mcs] = handoffWith({});
  machine.kinds[LockKind::mcs].figures["handover_per_waiter_ns"].value = 1;
  EXPECT_TRUE(machine.requireHandoff(LockKind::mcs));
}

TEST(WakeupAfter, IsLinearInTheLogarithmBetweenRowsAndConstantBeyond) {
  Machine machine;
  machine.wakeup = {{100, 1000, 500}, {10000, 3000, 700}, {100000, 3500, 600}};
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1).latencyNs, 1000);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(0).wakerNs, 500);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(100).latencyNs, 1000);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1000).latencyNs, 2000);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1000).wakerNs, 600);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(10000).latencyNs, 3000);
  EXPECT_NEAR(machine.wakeupAfter(std::sqrt(10.0) * 10000).wakerNs, 650, 1e-9);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1e9).latencyNs, 3500);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1e9).sleptNs, 1e9);
}

TEST(WakeupAfter, SpreadsAsFarAsTheQuartilesAreApartAndNeverBelowZero) {
  Machine machine;
  machine.wakeup = {{100, 1000, 500}, {10000, 3000, 700}};
  EXPECT_EQ(machine.wakeupAfter(100).latencyHalfNs, 0);
  machine.wakeupSpread = {{400, 900}, {200, 100}};
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1).latencyHalfNs, 400);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1).wakerHalfNs, 500);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1000).latencyHalfNs, 300);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1000).wakerHalfNs, 300);
  EXPECT_DOUBLE_EQ(machine.wakeupAfter(1e9).wakerHalfNs, 100);
}

TEST(WakeupAfter, IsFreeWhereNothingIsKnown) {
  EXPECT_EQ(Machine().wakeupAfter(1000).latencyNs, 0);
  EXPECT_EQ(Machine().wakeupAfter(1000).wakerNs, 0);
}

TEST(LineTransfer, IsTheMeanOverAllWhoMayHaveTheLine) {
  Machine machine;
  machine.cores = 8;
  machine.sockets = 2;
  machine.placement = ThreadPlacement::sockets;
  EXPECT_EQ(machine.lineTransferNs(8), 0);
  machine.line["transfer_same_socket_ns"].value = 50;
  EXPECT_EQ(machine.lineTransferNs(1), 0);
  EXPECT_DOUBLE_EQ(machine.lineTransferNs(2), 25); // half of the time one has it oneself
  EXPECT_DOUBLE_EQ(machine.lineTransferNs(4), 37.5);
  machine.line["transfer_cross_socket_ns"].value = 130;
  EXPECT_DOUBLE_EQ(machine.lineTransferNs(4), 37.5); // the first socket has room
  EXPECT_DOUBLE_EQ(machine.lineTransferNs(8), (3 * 50 + 4 * 130) / 8.0);
  EXPECT_DOUBLE_EQ(machine.lineTransferNs(100), machine.lineTransferNs(8));
}

TEST(LineTransfer, FillsOneSocketAfterTheOther) {
  LineTransfer line{50, 130, 8, 2, 1, ThreadPlacement::sockets};
  EXPECT_EQ(line.spread(1), 1);
  EXPECT_EQ(line.spread(4), 1);
  EXPECT_DOUBLE_EQ(line.spread(5), (2 * 6 * 50 + 2 * 4 * 130) / 20.0 / 50); // of ten pairs
  EXPECT_DOUBLE_EQ(line.spread(8), (3 * 50 + 4 * 130) / 7.0 / 50);
  EXPECT_DOUBLE_EQ(line.spread(100), line.spread(8));
  EXPECT_EQ((LineTransfer{0, 0, 8, 2}.spread(8)), 1);
}

/// The mean over all ordered pairs of different threads on different cores, one thread a processor.
double meanTransfer(const LineTransfer &line, int threads) {
  const Processors processors(line.cores, line.sockets, line.threadsPerCore);
  const std::vector<int> order = processors.order(line.placement);
  double sum = 0;
  int pairs = 0;
  for (int a = 0; a < threads; ++a)
    for (int b = 0; b < threads; ++b) {
      const int from = order[static_cast<std::size_t>(a)], to = order[static_cast<std::size_t>(b)];
      if (a == b)
        continue;
      ++pairs;
      sum += processors.socketOf(from) == processors.socketOf(to) ? line.sameSocketNs
                                                                  : line.crossSocketNs;
    }
  return sum / pairs;
}

TEST(LineTransfer, IsTheMeanOverAllPairsAsThreadsArePlaced) {
  for (const ThreadPlacement placement :
       {ThreadPlacement::spread, ThreadPlacement::sockets, ThreadPlacement::compact})
    for (const int threadsPerCore : {1, 2}) {
      const LineTransfer line{50, 130, 24, 3, threadsPerCore, placement};
      // Beyond the cores, sockets are taken to be shared evenly.
      const bool even = placement == ThreadPlacement::sockets && threadsPerCore == 2;
      for (int threads = 2; threads <= (even ? 12 : 24); ++threads)
        EXPECT_NEAR(line.fromOther(threads), meanTransfer(line, threads), 1e-9)
            << nameOf(placement) << " " << threadsPerCore << " " << threads;
    }
}

TEST(LineTransfer, IsFromAnotherCoreOnlyWhereNoSiblingHadIt) {
  EXPECT_DOUBLE_EQ((LineTransfer{50, 130, 8, 1}.elsewhere(8)), 7.0 / 8);
  EXPECT_DOUBLE_EQ((LineTransfer{50, 130, 8, 1, 2}.elsewhere(4)), 3.0 / 4);
  EXPECT_DOUBLE_EQ((LineTransfer{50, 130, 8, 1, 2}.elsewhere(8)), 6.0 / 8);
  // Two of five threads are siblings.
  EXPECT_DOUBLE_EQ((LineTransfer{50, 130, 8, 1, 2}.elsewhere(5)), (5 * 4 - 2) / 25.0);
}

TEST(Require, FindsFiguresAndTables) {
  Machine machine;
  machine.kinds[LockKind::qd].figures["lock_overhead_ns"].value = 12.5;
  machine.kinds[LockKind::qd].curves["delegation_overhead_ns"].rows = {{2, 80}};
  machine.scheduler["wake_ns"].value = 170;
  machine.wakeup = {{250, 3000, 1500}};
  EXPECT_EQ(machine.require(LockKind::qd, "lock_overhead_ns"), 12.5);
  EXPECT_EQ(machine.require(LockKind::qd, "delegation_overhead_ns"), 80);
  EXPECT_EQ(machine.requireScheduler("wake_ns"), 170);
  EXPECT_EQ(machine.requireScheduler("wakeup_ns"), 3000);
}

TEST(Require, NamesTheFigureAndTheMachine) {
  Machine machine;
  machine.name = "toaster";
  machine.kinds[LockKind::spinlock].figures["lock_overhead_ns"].value = 5;
  const auto handoff = machine.require(LockKind::spinlock, "handover_per_waiter_ns");
  ASSERT_FALSE(handoff);
  EXPECT_THAT(handoff.error().message, HasSubstr("kind.spinlock.handover_per_waiter_ns"));
  EXPECT_THAT(handoff.error().message, HasSubstr("'toaster'"));
  EXPECT_FALSE(machine.require(LockKind::mcs, "lock_overhead_ns"));
  EXPECT_FALSE(machine.require(LockKind::qd, "delegation_overhead_ns"));
  const auto wakeup = machine.requireScheduler("wakeup_ns");
  ASSERT_FALSE(wakeup);
  EXPECT_THAT(wakeup.error().message, HasSubstr("scheduler.wakeup_ns"));
}

/// Sets a variable of the environment while it lives; a null value removes it.
class Environment {
public:
  Environment(const char *variable, const char *value) : name(variable) {
    if (const char *old = std::getenv(variable))
      before = old;
    set(value);
  }
  ~Environment() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) const {
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  const char *name;
  std::optional<std::string> before;
};

TEST(UserMachinePath, FollowsTheBaseDirectorySpecification) {
  const Environment home("HOME", "/home/someone");
  {
    const Environment config("XDG_CONFIG_HOME", "/elsewhere");
    EXPECT_EQ(userMachinePath(), "/elsewhere/qdadvise/machine.toml");
  }
  for (const char *ignored : {"", "relative/path"}) {
    const Environment config("XDG_CONFIG_HOME", ignored);
    EXPECT_EQ(userMachinePath(), "/home/someone/.config/qdadvise/machine.toml");
  }
  const Environment config("XDG_CONFIG_HOME", nullptr);
  EXPECT_EQ(userMachinePath(), "/home/someone/.config/qdadvise/machine.toml");
  const Environment homeless("HOME", nullptr);
  EXPECT_EQ(userMachinePath(), "");
}

TEST(MovedLines, AreAsMeasuredOrSoonAfterTheFirst) {
  Machine machine;
  machine.cores = 2;
  EXPECT_EQ(machine.movedLinesNs()(8), 0) << "nothing is known";
  machine.line["transfer_same_socket_ns"].value = 50;
  EXPECT_EQ(machine.movedLinesNs()(0), 0);
  EXPECT_EQ(machine.movedLinesNs()(8), 50 + 7 * 12.5);
  machine.line["copy_interval_ns"].value = 10;
  EXPECT_EQ(machine.movedLinesNs()(8), 120);
  machine.movedLines.rows = {{1, 60}, {8, 300}, {64, 1420}};
  EXPECT_DOUBLE_EQ(machine.movedLinesNs()(0.5), 30);
  EXPECT_DOUBLE_EQ(machine.movedLinesNs()(8), 300);
  EXPECT_DOUBLE_EQ(machine.movedLinesNs()(36), 860);
  EXPECT_DOUBLE_EQ(machine.movedLinesNs()(128), 2700);
  EXPECT_EQ(machine.chainedLinesNs()(8), 400) << "which is another matter";
  machine.chainedLines.rows = {{1, 60}, {8, 600}};
  EXPECT_DOUBLE_EQ(machine.chainedLinesNs()(8), 600);
}

} // namespace
} // namespace qdadvise
