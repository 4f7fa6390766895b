// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models of the locks that sleep against the virtual multicore, up to more threads than
// unittests/advisor/model can afford to follow, and with cache lines that take time to move.
// The tolerances are the errors stated in docs/results/lock-models.md with room for other seeds.
#include "RandomNetworks.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <utility>

namespace qdadvise::sim {

namespace {

using namespace test;

/// Mean and largest relative error of throughput.
struct Errors {
  double mean = 0, largest = 0;
};

/// The errors where `kinds[i]` is the algorithm at lock i.
Errors errorsOf(const std::vector<LockKind> &kinds, const std::vector<Network> &networks,
                const std::vector<int> &threads = {4, 12, 32}) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  EXPECT_TRUE(machine) << machine.error().message;
  Errors errors;
  for (const Network &network : networks)
    for (const int count : threads) {
      const auto truth = simulate(network, kinds, *machine, count, {.precision = 0.03});
      EXPECT_TRUE(truth) << truth.error().message;
      const auto at = predict(network, kinds, *machine, count);
      EXPECT_TRUE(at) << at.error().message;
      const double error = std::abs(at->throughputPerS / truth->figures.throughputPerS - 1);
      errors.mean += error / static_cast<double>(networks.size() * threads.size());
      errors.largest = std::max(errors.largest, error);
    }
  return errors;
}

TEST(SleepingLocks, MutexOfManyThreads) {
  std::vector<Network> networks;
  for (const double hold : {250.0, 1500.0, 9000.0})
    for (const double cv : {0.0, 1.0})
      for (const double local : {0.5, 3.0, 30.0})
        networks.push_back(networkOf({{hold, cv}}, {1}, {local * hold, 1}));
  const Errors errors = errorsOf({LockKind::pthreadMutex}, networks);
  EXPECT_LT(errors.mean, 0.06);
  EXPECT_LT(errors.largest, 0.2);
}

/// Whoever has the mutex's line goes on at home while the others fetch it.
TEST(SleepingLocks, MutexOfRoundsThatAreShorterThanAFetch) {
  std::vector<Network> networks;
  for (const double hold : {0.5, 20.0})
    for (const double local : {2.0, 20.0})
      networks.push_back(networkOf({{hold, 1}}, {1}, {local, 1}));
  const Errors errors = errorsOf({LockKind::pthreadMutex}, networks, {2, 3, 8});
  EXPECT_LT(errors.mean, 0.2);
  EXPECT_LT(errors.largest, 0.4);
}

/// Sections of 300 ns with 600 ns between them are left out: by its seed, the simulation falls into
/// step or does not.
TEST(SleepingLocks, TwoThreadsWhoseTimesDoNotVaryFallIntoStep) {
  std::vector<Network> networks;
  for (const auto &[hold, local] : std::vector<std::pair<double, double>>{
           {300, 900}, {300, 1500}, {1000, 2000}, {1000, 5000}, {5000, 10'000}, {5000, 25'000}})
    networks.push_back(networkOf({{hold, 0}}, {1}, {local, 0}));
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::pthreadRwlock}) {
    const Errors errors = errorsOf({kind}, networks, {2});
    EXPECT_LT(errors.mean, 0.05) << nameOf(kind);
    EXPECT_LT(errors.largest, 0.15) << nameOf(kind);
  }
}

std::vector<Network> readAndWritten(const std::vector<double> &shares) {
  std::vector<Network> networks;
  for (const double share : shares)
    for (const double hold : {400.0, 4000.0})
      for (const double local : {0.5, 10.0}) {
        Network network =
            networkOf({{2 * hold, 1}, {hold, 1}}, {share, 1 - share}, {local * hold, 1});
        network.locks.pop_back();
        network.sections[1].lock = 0;
        network.sections[0].shared = true;
        networks.push_back(std::move(network));
      }
  return networks;
}

TEST(SleepingLocks, RwlockOfManyThreads) {
  const Errors errors = errorsOf({LockKind::pthreadRwlock}, readAndWritten({0.2, 0.9, 0.99}));
  EXPECT_LT(errors.mean, 0.13);
  EXPECT_LT(errors.largest, 0.5);
}

/// It does not sleep, but its readers make it hard to follow as well.
TEST(SleepingLocks, MrqdOfManyThreads) {
  const Errors errors = errorsOf({LockKind::mrqd}, readAndWritten({0.2, 0.9}));
  EXPECT_LT(errors.mean, 0.15);
  EXPECT_LT(errors.largest, 0.65);
}

/// Readers find a lock taken that others read, though they need not wait.
TEST(SleepingLocks, ReadersFindEachOther) {
  Network network = networkOf({{400, 1}}, {1}, {4000, 1});
  network.sections[0].shared = true;
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine);
  for (const int threads : {2, 3, 8}) {
    const auto truth = simulate(network, {LockKind::pthreadRwlock}, *machine, threads);
    ASSERT_TRUE(truth) << truth.error().message;
    const auto at = predict(network, {LockKind::pthreadRwlock}, *machine, threads);
    ASSERT_TRUE(at) << at.error().message;
    EXPECT_NEAR(at->locks[0].contentionRate, truth->figures.locks[0].contentionRate, 0.05)
        << threads;
  }
}

/// Where they write as well, a lock is not only taken while it is held.
TEST(SleepingLocks, ReadersAndWritersFindEachOther) {
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine);
  for (const double reads : {0.9, 0.5, 0.1})
    for (const int threads : {2, 8, 24}) {
      Network network = networkOf({{400, 1}, {400, 1}}, {reads, 1 - reads}, {4000, 1});
      network.locks.resize(1);
      network.sections[1].lock = 0;
      network.sections[0].shared = true;
      const auto truth =
          simulate(network, {LockKind::pthreadRwlock}, *machine, threads, {.precision = 0.03});
      ASSERT_TRUE(truth) << truth.error().message;
      const auto at = predict(network, {LockKind::pthreadRwlock}, *machine, threads);
      ASSERT_TRUE(at) << at.error().message;
      EXPECT_NEAR(at->locks[0].contentionRate, truth->figures.locks[0].contentionRate, 0.16)
          << reads << ' ' << threads;
    }
}

/// The inner lock is taken in shared sections of the outer one alone.
TEST(SleepingLocks, ReadersWaitForEachOtherAtWhatTheyTakeInside) {
  std::vector<Network> networks;
  for (const std::uint32_t instances : {1u, 4u})
    for (const double hold : {350.0, 2000.0}) {
      networks.push_back(networkOf({{140, 1}, {hold, 1}}, {1, 0}, {100, 1}));
      Network &network = networks.back();
      network.locks[1].instances = instances;
      network.sections[0].shared = true;
      network.sections[1].inside = 0;
      network.sections[1].visits = 1;
      network.transitions.resize(1);
    }
  for (const auto &kinds : {std::vector{LockKind::pthreadRwlock, LockKind::pthreadMutex},
                            std::vector{LockKind::mrqd, LockKind::qd}}) {
    const Errors errors = errorsOf(kinds, networks, {2, 8});
    EXPECT_LT(errors.mean, 0.08) << nameOf(kinds[0]);
    EXPECT_LT(errors.largest, 0.25) << nameOf(kinds[0]);
  }
}

} // namespace

} // namespace qdadvise::sim
