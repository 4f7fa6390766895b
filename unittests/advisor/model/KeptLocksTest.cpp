// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that is soon back keeps a mutex from others that sleep there (docs/theory/mutex.md,
// (MX37)), and a spinlock from others that spin (docs/theory/handoff.md, (HO18)), against the
// virtual multicore.
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace qdadvise {

namespace {

/// Threads that take one lock for `holdNs` and are away for `awayNs`; exponential times.
struct Takers {
  double threads, holdNs, awayNs;
};

Network networkOf(LockKind kind, const std::vector<Takers> &classes) {
  Network network;
  network.locks.push_back({"lock", kind, 1, {}});
  for (const Takers &one : classes) {
    const std::size_t at = network.sections.size();
    const std::string name = "class" + std::to_string(at);
    network.classes.push_back({name, false, one.threads, one.threads});
    Section section;
    section.name = name + ".section";
    section.hold = {one.holdNs, 1};
    network.sections.push_back(section);
    Transition transition;
    transition.threadClass = transition.from = transition.to = at;
    transition.probability = 1;
    transition.local = {one.awayNs, 1};
    network.transitions.push_back(transition);
  }
  return network;
}

/// Pairs of classes at a lock, and how far predictions are off at most.
struct KeptLock {
  LockKind kind;
  std::vector<Takers> often, seldom;
  double throughput, meanThroughput, ofSecond;
};

/// Without (MX37) throughput is up to 1.9 times as high as simulated, and that of the second class
/// up to 4.5 times.
const KeptLock mutex{LockKind::pthreadMutex,
                     {{1, 10'000, 1000}, {1, 5000, 500}, {1, 2000, 500}},
                     {{1, 1000, 10'000}, {4, 1000, 10'000}, {2, 8000, 50'000}, {4, 8000, 50'000}},
                     0.2,
                     0.1,
                     0.5};
/// Without (HO18) throughput is up to 1.3 times as high as simulated, and that of the second class
/// up to 2.7 times.
const KeptLock spinlock{LockKind::spinlock,
                        {{1, 5000, 200}, {2, 5000, 200}, {2, 10'000, 500}},
                        {{2, 2000, 5000}, {4, 10'000, 20'000}, {8, 5000, 20'000}},
                        0.2,
                        0.05,
                        0.8};

class KeptLocks : public testing::TestWithParam<std::tuple<const KeptLock *, const char *>> {};

TEST_P(KeptLocks, StarveOthersAsSimulated) {
  const auto &[lock, description] = GetParam();
  const auto machine = readMachine(std::string(QDADVISE_DESCRIPTIONS "/") + description + ".toml");
  ASSERT_TRUE(machine);
  const std::vector<LockKind> kinds{lock->kind};
  double sum = 0, cases = 0;
  for (const Takers &often : lock->often)
    for (const Takers &seldom : lock->seldom) {
      const Network network = networkOf(lock->kind, {often, seldom});
      const auto predicted = predict(network, kinds, *machine, 1);
      const auto simulated =
          sim::simulate(network, kinds, *machine, 1, {.precision = 0.01, .mostSteps = 2'000'000});
      ASSERT_TRUE(predicted && simulated);
      const std::string where = std::to_string(often.holdNs) + ", " +
                                std::to_string(seldom.threads) + " of " +
                                std::to_string(seldom.holdNs);
      const Prediction &is = simulated->figures;
      const double error = std::abs(predicted->throughputPerS / is.throughputPerS - 1);
      EXPECT_LE(error, lock->throughput) << where;
      sum += error;
      ++cases;
      EXPECT_NEAR(predicted->classes[1].throughputPerS / is.classes[1].throughputPerS, 1,
                  lock->ofSecond)
          << where;
    }
  EXPECT_LE(sum / cases, lock->meanThroughput);
}

INSTANTIATE_TEST_SUITE_P(All, KeptLocks,
                         testing::Combine(testing::Values(&mutex, &spinlock),
                                          testing::Values("two-socket-32-core",
                                                          "sandy-bridge-4x8-core")));

} // namespace

} // namespace qdadvise
