// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine descriptions completed by simulation: what is filled in, what is left alone, and
// whether predictions with it are those of the simulator it comes from.
#include "advisor/sim/DerivedCosts.h"
#include "RandomNetworks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/model/locks/Station.h"
#include "advisor/sim/Simulate.h"
#include "runtime/abi/lock_algorithms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

using namespace test;

/// Sixteen cores, two sockets that hand out one copy of a line at a time, and nothing said of
/// locks.
Machine described() {
  Machine machine;
  machine.name = "described";
  machine.source = assumed;
  machine.cores = 16;
  machine.sockets = 2;
  machine.line["transfer_same_socket_ns"].value = 50;
  machine.line["transfer_cross_socket_ns"].value = 130;
  machine.line["copy_ns"].value = machine.line["copy_interval_ns"].value = 50;
  machine.scheduler["timeslice_ns"].value = 3e6;
  machine.wakeup = {{1000, 2000, 1000}};
  return machine;
}

const Machine &completed() {
  static const Machine machine = *withSimulatedCosts(described());
  return machine;
}

TEST(DerivedCosts, FillInWhatModelsNeed) {
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    if (algorithm.kind == LockKind::ideal)
      continue;
    EXPECT_TRUE(missingFigure(algorithm.kind, described())) << algorithm.name;
    EXPECT_FALSE(missingFigure(algorithm.kind, completed())) << algorithm.name;
    EXPECT_EQ(completed().kinds.at(algorithm.kind).figures.at("lock_overhead_ns").source,
              simulated);
  }
  EXPECT_EQ(completed().kinds.at(LockKind::qd).curves.at("delegation_overhead_ns").source,
            simulated);
  const auto again = parseMachine(printMachine(completed()), "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printMachine(*again), printMachine(completed()));
}

TEST(DerivedCosts, KeepWhatIsSaid) {
  Machine machine = described();
  machine.cores = 4; // as many as there are takes longer, and keeps the same
  machine.kinds[LockKind::spinlock].figures["lock_overhead_ns"] = {6, {}, ""};
  machine.kinds[LockKind::spinlock].figures["handover_per_waiter_ns"] = {44, {}, ""};
  machine.kinds[LockKind::mcs].figures["handover_ns"] = {77, {}, "a friend"};
  machine.kinds[LockKind::qd].curves["delegation_overhead_ns"].rows = {{1, 90}};
  const auto result = withSimulatedCosts(machine);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->kinds.at(LockKind::spinlock).figures.size(), 2u);
  EXPECT_TRUE(result->kinds.at(LockKind::spinlock).curves.empty());
  EXPECT_EQ(result->kinds.at(LockKind::mcs).figures.at("handover_ns").source, "a friend");
  EXPECT_EQ(result->kinds.at(LockKind::mcs).figures.at("lock_overhead_ns").source, simulated);
  EXPECT_EQ(result->kinds.at(LockKind::qd).delegationOverhead(1), 90);
}

TEST(DerivedCosts, QueueLocksHandOverAlikeHoweverManyWait) {
  for (const LockKind kind : {LockKind::mcs, LockKind::clh}) {
    const KindCosts &costs = completed().kinds.at(kind);
    EXPECT_LT(costs.handoffCurve()(8), 1.5 * costs.handoffCurve()(3)) << nameOf(kind);
  }
  // Of those who wait at one line, half are before who gets the lock.
  const KindCosts &ticket = completed().kinds.at(LockKind::ticket);
  EXPECT_GT(ticket.handoffCurve()(8), 1.3 * ticket.handoffCurve()(3));
  EXPECT_GT(ticket.shortHandoffCurve()(8), 2 * ticket.shortHandoffCurve()(3));
  // Two sockets hand out copies of a line twice as fast, but half of the threads are across.
  EXPECT_GT(ticket.handoffCurve()(16), 1.2 * ticket.handoffCurve()(8));
}

/// A release sets off what all who wait do; what comes before that is over waits for it.
TEST(DerivedCosts, HandoffsTakeLongerAfterShortSections) {
  for (const LockKind kind : {LockKind::spinlock, LockKind::ticket}) {
    const KindCosts &costs = completed().kinds.at(kind);
    EXPECT_GT(costs.shortHandoffCurve()(8), 1.3 * costs.handoffCurve()(8)) << nameOf(kind);
  }
  // Who waits for a line of its own does little that has to be waited for.
  const KindCosts &mcs = completed().kinds.at(LockKind::mcs);
  EXPECT_GT(mcs.shortHandoffCurve()(8), 1.1 * mcs.handoffCurve()(8));
  EXPECT_LT(mcs.shortHandoffCurve()(8), 1.5 * mcs.handoffCurve()(8));
}

TEST(DerivedCosts, PredictLocksAtSectionsOfAnyLength) {
  // Threads in the socket in which the costs are measured; across sockets errors are twice as
  // large.
  Machine machine = completed();
  machine.placement = ThreadPlacement::sockets;
  const auto expectAgreement = [&](LockKind kind, double holdNs, double localNs) {
    const Network network = networkOf({{holdNs, 1}}, {1}, {localNs, 1});
    const auto predicted = predict(network, {kind}, machine, 8);
    const auto simulated = simulate(network, {kind}, machine, 8, {.precision = 0.02});
    ASSERT_TRUE(predicted && simulated);
    EXPECT_NEAR(predicted->throughputPerS / simulated->figures.throughputPerS, 1, 0.1)
        << nameOf(kind) << " " << holdNs;
  };
  for (const double holdNs : {200.0, 1000.0, 5000.0})
    expectAgreement(LockKind::spinlock, holdNs, 4 * holdNs);
  for (const LockKind kind : {LockKind::mcs, LockKind::clh})
    for (const double holdNs : {1.0, 10.0, 30.0, 100.0, 1000.0})
      expectAgreement(kind, holdNs, 400);
}

TEST(DerivedCosts, MakePredictionsThatAgreeWithTheSimulator) {
  const Network network = networkOf({{500, 1}}, {1}, {4000, 1});
  for (const LockKind kind :
       {LockKind::spinlock, LockKind::ticket, LockKind::mcs, LockKind::clh, LockKind::qd})
    for (const int threads : {1, 4, 8, 16}) {
      const auto predicted = predict(network, {kind}, completed(), threads);
      const auto measured = simulate(network, {kind}, completed(), threads, {.precision = 0.02});
      ASSERT_TRUE(predicted && measured);
      // Where a lock collapses, a little more is much more.
      const bool collapses = threads == 16 && !algorithmOf(kind).delegates;
      EXPECT_NEAR(predicted->throughputPerS / measured->figures.throughputPerS, 1,
                  collapses ? 0.4 : 0.1)
          << nameOf(kind) << " " << threads;
    }
}

TEST(DerivedCosts, AskForTheFiguresOfTheMachine) {
  Machine machine = described();
  machine.line.clear();
  const auto refused = withSimulatedCosts(machine);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("line.transfer_same_socket_ns"));
}

TEST(DerivedCosts, HaveNoRowsForOneCore) {
  Machine machine = described();
  machine.cores = machine.sockets = 1;
  const auto result = withSimulatedCosts(machine);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->require(LockKind::mcs, "lock_overhead_ns"));
  EXPECT_FALSE(result->require(LockKind::mcs, "handover_ns"));
}

} // namespace

} // namespace qdadvise::sim
