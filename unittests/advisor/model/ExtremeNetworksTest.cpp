// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No figure that no machine could have, whatever the network. A sample of seconds; all 5000 usual
// and 2000 extreme networks with QDADVISE_ALL_NETWORKS=1, which takes the better part of an hour.
#include "ExtremeNetworks.h"

#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/sim/Simulate.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

namespace {

using namespace test;

bool wantsAll() { return std::getenv("QDADVISE_ALL_NETWORKS") != nullptr; }
std::uint64_t usualCases() { return wantsAll() ? 5000 : 150; }
std::uint64_t extremeCases() { return wantsAll() ? 2000 : 60; }
/// The sample leaves out what takes seconds.
bool isLeftOut(const RandomCase &one) { return !wantsAll() && one.threads > 64; }

/// Sections per second if threads never waited, by their routing and times.
double mostPerS(const Network &network, int threads) {
  double most = 0;
  for (const Traffic &one : trafficOf(network)) {
    double cycleNs = one.computeNs + one.blockedNs, sections = 0;
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      cycleNs += one.visits[i] * network.sections[i].hold.mean;
      sections += one.visits[i];
    }
    most += 1e9 * one.threads(threads) * sections / cycleNs;
  }
  return most;
}

/// Checks the figures of a prediction. Returns whether there are any.
bool check(const RandomCase &one, const Prediction &at, const std::string &what) {
  if (!at.impossible.empty()) {
    EXPECT_EQ(at.throughputPerS, 0) << what;
    EXPECT_FALSE(at.notes.empty()) << what;
    return false;
  }
  EXPECT_TRUE(std::isfinite(at.throughputPerS) && at.throughputPerS > 0) << what;
  EXPECT_LE(at.throughputPerS, 1.02 * mostPerS(one.network, one.threads)) << what;
  for (std::size_t i = 0; i < at.locks.size(); ++i) {
    const LockPrediction &lock = at.locks[i];
    EXPECT_TRUE(std::isfinite(lock.waitNs) && lock.waitNs >= 0) << what << " " << i;
    EXPECT_TRUE(std::isfinite(lock.residenceNs) && lock.residenceNs >= 0) << what << " " << i;
    EXPECT_TRUE(lock.utilization >= 0 && lock.utilization <= 1) << what << " " << i;
    EXPECT_TRUE(lock.contentionRate >= 0 && lock.contentionRate <= 1 + 1e-9) << what << " " << i;
  }
  return true;
}

/// At most this share has no prediction.
void checkAll(RandomCase (*draw)(std::uint64_t), std::uint64_t cases, double mostRefused,
              const char *family) {
  const Machine machine = machineOf(32);
  double tried = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const RandomCase one = draw(seed);
    if (isLeftOut(one))
      continue;
    const std::string what = std::string(family) + " " + std::to_string(seed);
    const auto at = predict(one.network, one.kinds, machine, one.threads);
    ASSERT_TRUE(at) << what << ": " << at.error().message;
    ++tried;
    if (!check(one, *at, what))
      ++refused;
  }
  EXPECT_LE(refused, mostRefused * tried) << family;
}

TEST(ExtremeNetworks, HaveNoImpossibleFigures) {
  checkAll(usualCase, usualCases(), 0.002, "usual network");
  checkAll(extremeCase, extremeCases(), 0.01, "extreme network");
}

/// No gain is above what the network does without any waiting.
TEST(ExtremeNetworks, HaveNoImpossibleGains) {
  const Machine machine = machineOf(32);
  for (std::uint64_t seed = 0; seed < extremeCases() / 2; ++seed) {
    const RandomCase one = extremeCase(seed);
    if (isLeftOut(one))
      continue;
    const std::vector<LockKind> today(one.kinds.size(), LockKind::pthreadMutex);
    const auto before = predict(one.network, today, machine, one.threads);
    const auto gain = throughputGain(one.network, today, one.kinds, machine, one.threads);
    ASSERT_TRUE(before && gain) << seed;
    if (gain->known)
      EXPECT_LE(gain->ratio * before->throughputPerS, 1.02 * mostPerS(one.network, one.threads))
          << seed;
    else
      EXPECT_EQ(gain->ratio, 1) << seed;
  }
}

/// One thread more is no other world: up to a fifth more per thread, or less. The number of cores,
/// and methods that end at four threads, are apart.
bool jumps(const RandomCase &one, int threads) {
  static const Machine machine = machineOf(1 << 12);
  const auto at = predict(one.network, one.kinds, machine, threads),
             next = predict(one.network, one.kinds, machine, threads + 1);
  EXPECT_TRUE(at && next);
  if (!at || !next || !at->impossible.empty() || !next->impossible.empty())
    return false;
  const double ratio = next->throughputPerS / at->throughputPerS;
  return ratio > 1.15 * (threads + 1) / threads || ratio < 1 / 1.15;
}

/// At most this share of the pairs jumps, apart from some networks. The sample is a third of the
/// other tests'.
void checkJumps(RandomCase (*draw)(std::uint64_t), std::uint64_t cases, double most,
                const std::set<std::uint64_t> &apart, const char *family) {
  std::size_t pairs = 0, found = 0;
  for (std::uint64_t seed = 0; seed < (wantsAll() ? cases : cases / 3); ++seed) {
    if (apart.contains(seed))
      continue;
    const RandomCase one = draw(seed);
    for (const int threads : {7, 15, 30}) {
      ++pairs;
      if (!jumps(one, threads))
        continue;
      ++found;
      std::cout << family << ' ' << seed << ", " << threads << " threads\n";
    }
  }
  EXPECT_LE(static_cast<double>(found), most * static_cast<double>(pairs)) << family;
}

/// Usual networks whose spinlocks collapse.
const std::set<std::uint64_t> collapsing{42, 772};

/// No other usual network does. Of eleven extreme pairs two are such collapses (772, 1549). In five
/// a lock whose section takes long keeps more and more of the other classes' threads: one is
/// simulated below (1133), the others vary too much for that (716, 956, 1742). In two, threads take
/// locks inside each other in different orders, and wait for ever when simulated (510, 1835). Two
/// are not explained (815, 1567).
TEST(ExtremeNetworks, HaveNoJumpsFromOneThreadToTheNext) {
  checkJumps(usualCase, usualCases(), 0, collapsing, "usual network");
  checkJumps(extremeCase, extremeCases(), 0.0019, {}, "extreme network");
}

/// Mutexes inside each other, whose waits go round their fixpoint: 17 to 31 k/s from 13 threads on,
/// up and down.
TEST(ExtremeNetworks, FollowAFixpointThatStepsGoRound) {
  for (const int threads : {12, 15, 28, 45})
    EXPECT_FALSE(jumps(usualCase(548), threads)) << threads << " threads";
}

/// Slower than one thread at a time, until the gate refused that and another method was asked: up
/// to 3.2 times as much with one thread more.
TEST(ExtremeNetworks, GoOnWithOneThreadAtLeast) {
  for (const int threads : {7, 15, 30})
    for (const std::uint64_t seed : {308u, 1708u})
      EXPECT_FALSE(jumps(extremeCase(seed), threads)) << seed << ", " << threads << " threads";
}

/// Locks that are taken inside each other in different orders, as one lock from some number of
/// threads on: one number beyond was taken for settled (1321), and visits were those of an
/// iteration that had not settled (954).
TEST(ExtremeNetworks, StayWithTheOneLockOfACycle) {
  for (const std::uint64_t seed : {954u, 1321u})
    EXPECT_FALSE(jumps(extremeCase(seed), 30)) << seed;
}

/// Sections per second with so many threads of each class, predicted and simulated.
std::pair<double, double> throughputOf(RandomCase one, const std::vector<int> &threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    one.network.classes[i].scales = false;
    one.network.classes[i].threads = threads[i];
  }
  const std::vector<LockKind> ideal(one.kinds.size(), LockKind::ideal);
  const Machine machine = machineOf(32);
  sim::SimulateOptions options;
  options.mostSteps = 500'000;
  options.replications = 4;
  const auto predicted = predict(one.network, ideal, machine, 1);
  const auto simulated = sim::simulate(one.network, ideal, machine, 1, options);
  EXPECT_TRUE(predicted && simulated);
  return predicted && simulated
             ? std::pair(predicted->throughputPerS, simulated->figures.throughputPerS)
             : std::pair(1.0, 1.0);
}

/// Not every fall is a fault: a thread more whose sections take a tenth of a second, and all others
/// wait behind it.
TEST(ExtremeNetworks, FallWhereOneThreadMoreKeepsTheOthersOut) {
  const RandomCase one = extremeCase(1133);
  const auto [predicted, simulated] = throughputOf(one, {5, 2, 1});
  const auto [more, simulatedMore] = throughputOf(one, {5, 3, 1});
  EXPECT_LT(more, 0.65 * predicted);
  EXPECT_LT(simulatedMore / simulated, more / predicted) << "it is no less simulated";
}

/// The least part of the throughput that is left with a thread more.
double steepestFall(const RandomCase &one, const std::string &model) {
  static const Machine machine = machineOf(64);
  PredictOptions options;
  options.model = model;
  double least = 1, before = 0;
  for (int threads = 5; threads <= 40; ++threads) {
    const auto at = predict(one.network, one.kinds, machine, threads, options);
    EXPECT_TRUE(at);
    if (!at)
      return 0;
    least = std::min(least, before > 0 ? at->throughputPerS / before : 1);
    before = at->throughputPerS;
  }
  return least;
}

/// Nor is the collapse of spinlocks whose hand-over takes 22 ns for each waiter: the exact solution
/// for exponential times has it, and times that vary more make it less steep (42).
TEST(ExtremeNetworks, CollapseAsTheExactSolutionDoes) {
  for (const std::uint64_t seed : collapsing) {
    const double exact = steepestFall(usualCase(seed), "convolution");
    EXPECT_LT(exact, 1 / 1.15) << seed;
    EXPECT_GT(steepestFall(usualCase(seed), "auto"), 0.95 * exact) << seed;
  }
}

/// MRQD locks whose long reads alternated with writes from one number of threads to the next: up
/// to 49 times as much with 31 threads as with 30.
TEST(ExtremeNetworks, DoNotSwingWhereReadsAreLong) {
  for (const std::uint64_t seed :
       {378u, 1206u, 1377u, 2445u, 2841u, 3783u, 4305u, 4551u, 4712u, 4895u})
    for (const int threads : {7, 15, 30})
      EXPECT_FALSE(jumps(usualCase(seed), threads)) << seed << ", " << threads << " threads";
}

/// Two more, whose throughput with 24 threads was a third of the simulated one, and three times as
/// much with 32.
TEST(ExtremeNetworks, DoNotSwingWhereReadsAreLongWithAnyNumberOfThreads) {
  for (const std::uint64_t seed : {1291u, 4682u})
    for (int threads = 2; threads < 90; ++threads)
      EXPECT_FALSE(jumps(usualCase(seed), threads)) << seed << ", " << threads << " threads";
}

/// A class of locks that is taken inside itself: from the number of threads on from which the
/// iteration is no guide, a fifth to a third of the throughput was predicted.
TEST(ExtremeNetworks, GoOnWhereABoundBegins) {
  const std::pair<unsigned, int> cases[] = {{2203, 7}, {2984, 30}, {3342, 15},
                                            {3868, 7}, {4973, 7},  {4974, 7}};
  for (const auto &[seed, threads] : cases)
    EXPECT_FALSE(jumps(usualCase(seed), threads)) << seed << ", " << threads << " threads";
}

/// Nested sections of one class of locks. The iteration did not settle for every other number of
/// threads, so that the worst case was taken: 1.8 times as much with 31 threads as with 30.
TEST(ExtremeNetworks, SettleBesideNumbersOfThreadsThatSettle) {
  for (const std::uint64_t seed : {1097u, 2449u})
    EXPECT_FALSE(jumps(usualCase(seed), 30)) << seed;
}

} // namespace

} // namespace qdadvise
