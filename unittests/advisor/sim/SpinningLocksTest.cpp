// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting times at the locks whose waiters spin, against the virtual multicore: what cache lines
// make of them where few wait. The tolerances are the errors stated in docs/results/lock-models.md
// with room for other seeds.
#include "RandomNetworks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

using namespace test;

struct Errors {
  double sum = 0, largest = 0;
  int count = 0;
  double mean() const { return sum / count; }
};

/// Of the waiting time at every lock.
void add(Errors &errors, LockKind kind, const Network &network, int threads) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  const std::vector<LockKind> kinds(network.locks.size(), kind);
  const auto truth = simulate(network, kinds, *machine, threads, {.precision = 0.02});
  ASSERT_TRUE(truth) << truth.error().message;
  const auto at = predict(network, kinds, *machine, threads);
  ASSERT_TRUE(at) << at.error().message;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double error = std::abs(at->locks[i].waitNs / truth->figures.locks[i].waitNs - 1);
    errors.sum += error;
    errors.largest = std::max(errors.largest, error);
    ++errors.count;
  }
}

/// What predictions for a kind of lock err by, at most.
struct Tolerance {
  LockKind kind;
  double mean, largest, whereThreadsStay;
};

class SpinningLocks : public testing::TestWithParam<Tolerance> {};

/// Whoever releases an MCS lock may find somebody on the way into the line, and looks for the next
/// one in any case; after a long wait a waiter is in a system call.
TEST_P(SpinningLocks, WaitAsTheirAccessesSay) {
  Errors errors;
  for (const double hold : {200.0, 1000.0})
    for (const double local : {1.0, 10.0, 30.0})
      for (const int threads : {2, 8, 16})
        add(errors, GetParam().kind, networkOf({{hold, 1}}, {1}, {local * hold, 1}), threads);
  EXPECT_LT(errors.mean(), GetParam().mean);
  EXPECT_LT(errors.largest, GetParam().largest);
}

/// Six locks, from one of which a thread goes to another one with a probability of 0.1: the
/// line of a lock is where it was.
TEST_P(SpinningLocks, KeepTheirLinesWhereThreadsStay) {
  const std::size_t count = 6;
  Network network = networkOf(std::vector<Duration>(count, {200, 1}),
                              std::vector<double>(count, 0.02), {2000, 1});
  for (Transition &transition : network.transitions)
    if (transition.from == transition.to)
      transition.probability = 0.9;
  Errors errors;
  for (const int threads : {2, 8, 16})
    add(errors, GetParam().kind, network, threads);
  EXPECT_LT(errors.mean(), GetParam().whereThreadsStay);
}

/// Of short sections: the word of a QD lock that all wait for cannot keep up with its helper, and
/// they come from there in bursts. On the mean over both locks, of which the other one is waited
/// for as long as everybody's sections there take.
TEST(QdLock, IsWaitedForInBurstsBesideOneThatAllWaitFor) {
  Errors errors;
  for (const int threads : {16, 32})
    for (const double local : {100.0, 1000.0})
      add(errors, LockKind::qd, networkOf({{200, 1}, {200, 1}}, {0.75, 0.25}, {local, 1}), threads);
  EXPECT_LT(errors.mean(), 0.1);
  EXPECT_LT(errors.largest, 0.3);
}

INSTANTIATE_TEST_SUITE_P(, SpinningLocks,
                         testing::Values(Tolerance{LockKind::mcs, 0.09, 0.3, 0.15},
                                         Tolerance{LockKind::clh, 0.1, 0.3, 0.22},
                                         Tolerance{LockKind::ticket, 0.09, 0.42, 0.2},
                                         Tolerance{LockKind::qd, 0.04, 0.1, 0.08}),
                         [](const auto &lock) { return std::string(nameOf(lock.param.kind)); });

} // namespace

} // namespace qdadvise::sim
