// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections whose data move between cores: predictions from their footprints.
#include "Networks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/DerivedCosts.h"
#include "advisor/sim/Simulate.h"
#include "runtime/abi/lock_algorithms.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;
using ::testing::Contains;
using ::testing::ElementsAre;

Machine twoSockets() {
  Machine machine = *readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  machine.placement = ThreadPlacement::sockets; // as the models were fitted
  return machine;
}

/// Every section writes so many lines that all others on its lock write too.
Network writing(double lines, Network network) {
  for (Section &section : network.sections)
    section.footprint = Footprint{{}, {{0, lines}}};
  return network;
}

std::vector<LockKind> everywhere(const Network &network, LockKind kind) {
  return std::vector<LockKind>(network.locks.size(), kind);
}

TEST(Movement, IsNoneOfOneThread) {
  // The simulator tells what the description lacks.
  const Machine machine = *sim::withSimulatedCosts(twoSockets(), {});
  const Network still = networkOf({{0.5, 200}, {0.5, 100, 0.5}}, 1000);
  const Network moving = writing(10, still);
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    const auto one = predict(moving, everywhere(moving, algorithm.kind), machine, 1);
    ASSERT_TRUE(one) << one.error().message;
    const auto without = predict(still, everywhere(still, algorithm.kind), machine, 1);
    EXPECT_EQ(one->throughputPerS, without->throughputPerS) << algorithm.name;
    const auto many = predict(moving, everywhere(moving, algorithm.kind), machine, 8);
    const auto manyWithout = predict(still, everywhere(still, algorithm.kind), machine, 8);
    if (algorithm.kind == LockKind::ideal)
      EXPECT_EQ(many->throughputPerS, manyWithout->throughputPerS);
    else
      EXPECT_LT(many->throughputPerS, manyWithout->throughputPerS) << algorithm.name;
  }
}

TEST(Movement, LeavesPublishedModelsAsTheyAre) {
  const Machine machine = twoSockets();
  const Network still = networkOf({{1, 200}}, 1000), moving = writing(10, still);
  for (const auto &[model, kind] :
       {std::pair("mascots2015", LockKind::qd), std::pair("mcc2012", LockKind::spinlock)})
    EXPECT_EQ(predict(moving, {kind}, machine, 8, {.model = model})->throughputPerS,
              predict(still, {kind}, machine, 8, {.model = model})->throughputPerS)
        << model;
}

TEST(Movement, GrowsWithWhatIsTouched) {
  const Machine machine = twoSockets();
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::pthreadRwlock, LockKind::spinlock,
                              LockKind::mcs, LockKind::qd, LockKind::mrqd}) {
    double last = INFINITY;
    for (const double lines : {0.0, 1.0, 10.0, 100.0}) {
      const auto at = predict(writing(lines, networkOf({{1, 200}}, 2000)), {kind}, machine, 8);
      ASSERT_TRUE(at) << at.error().message;
      EXPECT_LT(at->throughputPerS, last) << nameOf(kind);
      last = at->throughputPerS;
    }
  }
}

TEST(Movement, OfReadersIsLessOftenThanOfWriters) {
  const Machine machine = twoSockets();
  Network network = networkOf({{1, 200}}, 2000);
  double last = 0;
  for (const Footprint &footprint : {Footprint{{}, {{0, 20}}}, Footprint{{{1, 20}}, {}},
                                     Footprint{{{20, 20}}, {}}, Footprint()}) {
    network.sections[0].footprint = footprint;
    const double now = predict(network, {LockKind::mcs}, machine, 8)->throughputPerS;
    EXPECT_GT(now, last);
    last = now;
  }
}

/// Relative error of W at one lock whose sections write `lines` of its data.
struct Error {
  double with, without;
};
Error waitError(LockKind kind, double holdNs, double localNs, int threads, int lines) {
  const Machine machine = twoSockets();
  const Network network = networkOf({{1, holdNs}}, localNs);
  sim::SimulateOptions options;
  options.precision = 0.02;
  options.dataLines = lines;
  const auto simulated = sim::simulate(network, {kind}, machine, threads, options);
  const auto errorOf = [&](const Network &known) {
    const auto predicted = predict(known, {kind}, machine, threads);
    return predicted && simulated
               ? predicted->locks[0].waitNs / simulated->figures.locks[0].waitNs - 1
               : NAN;
  };
  return {errorOf(writing(lines, network)), errorOf(network)};
}

TEST(Movement, IsThatOfSimulatedData) {
  struct {
    double holdNs, localNs;
    int threads, lines;
  } const cases[] = {{200, 5000, 4, 16},
                     {200, 3000, 16, 16},
                     {500, 30'000, 32, 32},
                     {500, 4000, 8, 64},
                     {1000, 10'000, 2, 32}};
  for (const LockKind kind :
       {LockKind::pthreadMutex, LockKind::spinlock, LockKind::mcs, LockKind::qd}) {
    double with = 0, without = 0;
    for (const auto &at : cases) {
      const Error error = waitError(kind, at.holdNs, at.localNs, at.threads, at.lines);
      with += std::abs(error.with);
      without += std::abs(error.without);
    }
    EXPECT_LE(with, 0.5 * without) << nameOf(kind);
  }
}

TEST(Movement, IsSaid) {
  const Machine machine = twoSockets();
  const auto notesOf = [&](const Network &network, LockKind kind, int threads) {
    return predict(network, everywhere(network, kind), machine, threads)->notes;
  };
  Network network = networkOf({{0.5, 200}, {0.5, 100}}, 1000);
  const char *const none = "the data of sections are taken not to move between cores";
  const std::string known = "sections take longer where their data come from other cores, as "
                            "footprints tell: it is part of the wait";
  EXPECT_THAT(notesOf(network, LockKind::spinlock, 8), ElementsAre(none));
  EXPECT_THAT(notesOf(network, LockKind::spinlock, 1), ElementsAre());
  EXPECT_THAT(notesOf(network, LockKind::ideal, 8), ElementsAre());
  network.sections[0].footprint = Footprint{{}, {{0, 1}}};
  EXPECT_THAT(notesOf(network, LockKind::spinlock, 8),
              ElementsAre(known + "; those of section1 are taken not to move"));
  EXPECT_THAT(notesOf(writing(1, network), LockKind::spinlock, 8), ElementsAre(known));
  EXPECT_THAT(
      predict(network, everywhere(network, LockKind::qd), machine, 8, {.model = "mascots2015"})
          ->notes,
      Contains(none));
}

} // namespace

} // namespace qdadvise
