// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several thread classes against the Markov chain of queues in their order, and against
// properties that hold for any approximation.
#include "Chain.h"
#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/mva/Linearizer.h"
#include "advisor/model/mva/Reiser.h"
#include "runtime/abi/lock_algorithms.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

/// Threads that visit every lock, whatever came before, in a section of their own. All times
/// exponential unless `cv` says otherwise.
struct TestClass {
  int threads = 1;
  double localNs = 1000;
  std::vector<TestLock> locks; ///< one entry per lock; probability 0: not visited
  bool scales = true;
};

int scalingThreads(const std::vector<TestClass> &classes) {
  int threads = 0;
  for (const TestClass &one : classes)
    threads += one.scales ? one.threads : 0;
  return std::max(threads, 1);
}

Network networkOf(const std::vector<TestClass> &classes) {
  Network network;
  for (std::size_t i = 0; i < classes.front().locks.size(); ++i)
    network.locks.push_back({"lock" + std::to_string(i), LockKind::pthreadMutex, 1, {}});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const TestClass &one = classes[c];
    const std::string name = "class" + std::to_string(c);
    const double threads = one.threads;
    network.classes.push_back({name, one.scales, threads, one.scales ? 0 : threads});
    const std::size_t first = network.sections.size();
    std::vector<double> probabilities;
    for (std::size_t i = 0; i < one.locks.size(); ++i) {
      if (one.locks[i].probability <= 0)
        continue;
      Section section;
      section.name = name + "." + std::to_string(i);
      section.lock = i;
      section.hold = {one.locks[i].holdNs, one.locks[i].cv};
      network.sections.push_back(section);
      probabilities.push_back(one.locks[i].probability);
    }
    for (std::size_t from = 0; from < probabilities.size(); ++from)
      for (std::size_t to = 0; to < probabilities.size(); ++to) {
        Transition transition;
        transition.threadClass = c;
        transition.from = first + from;
        transition.to = first + to;
        transition.probability = probabilities[to];
        transition.local = {one.localNs, 1};
        network.transitions.push_back(transition);
      }
  }
  return network;
}

Prediction predicted(const std::vector<TestClass> &classes, LockKind kind,
                     const std::string &model = "auto", const Machine &machine = machineOf(512)) {
  const Network network = networkOf(classes);
  const auto result = predict(network, std::vector<LockKind>(network.locks.size(), kind), machine,
                              scalingThreads(classes), {0, model});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : Prediction();
}

/// The queue at each lock, by class. The first thread is in service.
using Queues = std::vector<std::vector<std::size_t>>;

struct ChainResult {
  std::vector<double> throughput; ///< by class
  std::vector<double> queue;      ///< by lock
};

ChainResult solveChain(const std::vector<TestClass> &classes) {
  const std::size_t locks = classes.front().locks.size();
  const auto computing = [&](const Queues &state, std::size_t c) {
    auto here = static_cast<double>(classes[c].threads);
    for (const auto &queue : state)
      here -= static_cast<double>(std::count(queue.begin(), queue.end(), c));
    return here;
  };
  const auto flows = [&](const Queues &from) {
    Flows<Queues> result;
    for (std::size_t i = 0; i < locks; ++i) {
      for (std::size_t c = 0; c < classes.size(); ++c) {
        const double rate =
            computing(from, c) / classes[c].localNs * classes[c].locks[i].probability;
        if (rate <= 0)
          continue;
        Queues to = from;
        to[i].push_back(c);
        result.emplace_back(to, rate);
      }
      if (from[i].empty())
        continue;
      Queues to = from;
      to[i].erase(to[i].begin());
      result.emplace_back(to, 1 / classes[from[i].front()].locks[i].holdNs);
    }
    return result;
  };
  ChainResult result{std::vector<double>(classes.size(), 0), std::vector<double>(locks, 0)};
  for (const auto &[state, p] : stationary<Queues>(Queues(locks), flows)) {
    for (std::size_t c = 0; c < classes.size(); ++c)
      result.throughput[c] += p * computing(state, c) / classes[c].localNs;
    for (std::size_t i = 0; i < locks; ++i)
      result.queue[i] += p * static_cast<double>(state[i].size());
  }
  return result;
}

/// Two classes with routings and local times of their own at two locks; the second class
/// holds them up to `ratio` times as long or as short.
std::vector<TestClass> randomClasses(std::mt19937_64 &random, double ratio, int most) {
  const auto draw = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  std::vector<TestClass> classes(2);
  const double hold[] = {draw(100, 1000), draw(100, 1000)};
  for (TestClass &one : classes) {
    one.threads = 1 + static_cast<int>(draw(1, most + 1)) % most;
    one.localNs = draw(200, 2000);
    const double first = std::uniform_real_distribution<double>(0.1, 0.9)(random);
    const double factor = &one == &classes[0] ? 1 : ratio;
    one.locks = {{first, hold[0] * factor}, {1 - first, hold[1] / factor}};
  }
  return classes;
}

TEST(ThreadClasses, AreExactWhereAllHoldALockEquallyLong) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const auto classes = randomClasses(random, 1, 3);
    const ChainResult chain = solveChain(classes);
    const Prediction at = predicted(classes, LockKind::ideal);
    EXPECT_EQ(at.model, "exact");
    EXPECT_TRUE(at.notes.empty());
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(at.classes[c].threads, classes[c].threads);
      EXPECT_NEAR(at.classes[c].throughputPerS * 1e-9 / chain.throughput[c], 1, 1e-9);
      EXPECT_NEAR(at.locks[c].queueLength, chain.queue[c], 1e-9);
    }
  }
}

/// Mean error of the classes' throughputs and of the queues.
double errorOf(const std::string &model, double ratio) {
  std::mt19937_64 random(2);
  double sum = 0;
  int count = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const auto classes = randomClasses(random, ratio, 3);
    const ChainResult chain = solveChain(classes);
    const Prediction at = predicted(classes, LockKind::ideal, model);
    for (std::size_t c = 0; c < 2; ++c) {
      sum += std::abs(at.classes[c].throughputPerS * 1e-9 / chain.throughput[c] - 1);
      sum += std::abs(at.locks[c].queueLength / chain.queue[c] - 1);
      count += 2;
    }
  }
  return sum / count;
}

TEST(ThreadClasses, ThatHoldALockUnequallyLongAreClose) {
  for (const char *model : {"reiser", "linearizer", "recursion", "norton", "marie"}) {
    EXPECT_LT(errorOf(model, 3), 0.03) << model;
    EXPECT_LT(errorOf(model, 10), 0.06) << model;
  }
}

/// A thread that is soon back after each long section of another thread waits for that section
/// once, and not for what is left of one at each visit (CL11). Nor does it pass those who are in
/// line.
TEST(ThreadClasses, WaitForNoLongerThanOthersHoldALock) {
  for (const char *model : {"linearizer", "recursion", "norton", "marie"})
    for (const auto &[slow, localNs] :
         {std::pair(1, 1e4), std::pair(1, 1e5), std::pair(2, 1e4), std::pair(2, 1e5),
          std::pair(3, 1e4), std::pair(5, 1e4), std::pair(5, 1e5)}) {
      const std::vector<TestClass> classes{{1, 10, {{1, 100}}}, {slow, localNs, {{1, 1e5}}}};
      const ChainResult chain = solveChain(classes);
      const Prediction at = predicted(classes, LockKind::ideal, model);
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_NEAR(at.classes[c].throughputPerS * 1e-9 / chain.throughput[c], 1, 0.3)
            << model << ", " << slow << " slow, " << localNs << " ns, class " << c;
    }
}

/// A class written as two has the same threads in all.
class SplitClass : public testing::TestWithParam<const char *> {};

TEST_P(SplitClass, AlikeClassesAreOneClass) {
  const std::vector<TestLock> locks{{0.4, 300, 0.7}, {0.6, 500, 1.4}};
  for (const LockKind kind :
       {LockKind::ideal, LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex})
    for (const int cores : {4, 64}) {
      const Machine machine = machineOf(cores);
      const Prediction one = predicted({{12, 2000, locks}}, kind, GetParam(), machine);
      const Prediction two =
          predicted({{3, 2000, locks}, {9, 2000, locks}}, kind, GetParam(), machine);
      EXPECT_NEAR(two.throughputPerS / one.throughputPerS, 1, 1e-6) << nameOf(kind);
      EXPECT_NEAR(two.classes[0].throughputPerS / one.throughputPerS, 0.25, 1e-6) << nameOf(kind);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(two.locks[i].waitNs / one.locks[i].waitNs, 1, 1e-5) << nameOf(kind);
        EXPECT_NEAR(two.locks[i].contentionRate / one.locks[i].contentionRate, 1, 1e-5)
            << nameOf(kind);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(, SplitClass, testing::Values("recursion", "norton", "marie"));

TEST(ThreadClasses, OneThatMeetsNobodyWaitsForNobody) {
  const std::vector<TestClass> apart{{1, 500, {{1, 400}, {0, 1}}}, {1, 900, {{0, 1}, {1, 700}}}};
  for (const LockKind kind :
       {LockKind::ideal, LockKind::spinlock, LockKind::mcs, LockKind::qd, LockKind::pthreadMutex}) {
    const Prediction both = predicted(apart, kind);
    for (std::size_t c = 0; c < 2; ++c) {
      const Prediction alone =
          predicted({{1, apart[c].localNs, {apart[c].locks[c]}}}, kind, "recursion");
      EXPECT_NEAR(both.classes[c].throughputPerS / alone.throughputPerS, 1, 1e-9) << nameOf(kind);
      EXPECT_NEAR(both.locks[c].contentionRate, 0, 1e-9) << nameOf(kind);
    }
  }
}

TEST(ThreadClasses, ThatNeverMeetAreNetworksOfTheirOwn) {
  const std::vector<TestClass> apart{{4, 500, {{1, 400}, {0, 1}}}, {20, 9000, {{0, 1}, {1, 700}}}};
  // Handoffs of up to four threads take as long as those of more: no thread yields.
  Machine machine = machineOf(512);
  machine.scheduler["yield_ns"].value = machine.pauseNs();
  for (const auto &[kind, model, tolerance] :
       std::vector<std::tuple<LockKind, const char *, double>>{
           {LockKind::ideal, "reiser", 1e-9},
           {LockKind::ideal, "linearizer", 0.005},
           {LockKind::ideal, "recursion", 0.05},
           {LockKind::mcs, "marie", 0.05},
           {LockKind::qd, "marie", 0.05}}) {
    const Prediction both = predicted(apart, kind, model, machine);
    for (std::size_t c = 0; c < 2; ++c) {
      const Prediction alone =
          predicted({{apart[c].threads, apart[c].localNs, {apart[c].locks[c]}}}, kind,
                    kind == LockKind::ideal ? "recursion" : model, machine);
      EXPECT_NEAR(both.classes[c].throughputPerS / alone.throughputPerS, 1, tolerance)
          << nameOf(kind) << " by " << model << ", class " << c;
    }
  }
}

TEST(ThreadClasses, ThatNeverMeetDoNotDisturbEachOtherHoweverUnlikeTheirPace) {
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    for (const double localNs : {1e4, 1e6, 1e8})
      for (const int threads : {2, 4, 16}) {
        const std::vector<TestClass> apart{{threads, localNs, {{1, 7}, {0, 1}}},
                                           {1, 20, {{0, 1}, {1, 400}}}};
        const Prediction both = predicted(apart, algorithm.kind);
        const Prediction alone =
            predicted({{threads, localNs, {apart[0].locks[0]}}}, algorithm.kind);
        EXPECT_NEAR(both.classes[0].throughputPerS / alone.classes[0].throughputPerS, 1, 0.02)
            << algorithm.name << ", " << threads << " threads, " << localNs << " ns between";
      }
}

TEST(ThreadClasses, FixedThreadsDoNotScale) {
  // One thread holds the lock for long, and more and more others hold it briefly.
  const TestClass fixed{1, 500, {{1, 5000}}, false};
  double last = 0;
  for (const int threads : {1, 2, 4}) {
    const std::vector<TestClass> classes{{threads, 2000, {{1, 200}}}, fixed};
    const ChainResult chain = solveChain(classes);
    const Prediction at = predicted(classes, LockKind::ideal, "reiser");
    EXPECT_EQ(at.classes[0].threads, threads);
    EXPECT_EQ(at.classes[1].threads, 1);
    for (std::size_t c = 0; c < 2; ++c)
      EXPECT_NEAR(at.classes[c].throughputPerS * 1e-9 / chain.throughput[c], 1, 0.09) << threads;
    EXPECT_GT(at.classes[0].throughputPerS, last);
    last = at.classes[0].throughputPerS;
  }
}

TEST(ThreadClasses, FiguresAddUpToThoseOfTheLocks) {
  Network network = networkOf({{6, 3000, {{0.5, 400, 0.5}, {0.5, 300, 2}}},
                               {3, 900, {{0.2, 100, 1}, {0.8, 600, 1}}},
                               {2, 5000, {{1, 800, 0}, {0, 1}}, false}});
  network.locks[1].instances = 3;
  network.locks.push_back({"inner", LockKind::pthreadMutex, 1, {}});
  Section inner;
  inner.name = "inner";
  inner.lock = 2;
  inner.hold = {150, 1};
  inner.inside = 1;
  inner.visits = 0.5;
  network.sections.push_back(inner);
  for (const LockAlgorithm &row : lockAlgorithms)
    for (const int cores : {4, 64}) {
      const auto at = predict(network, {3, row.kind}, machineOf(cores), 9);
      ASSERT_TRUE(at) << at.error().message;
      double throughput = 0, waiting = 0, lockWaiting = 0;
      for (const ClassPrediction &one : at->classes) {
        throughput += one.throughputPerS;
        waiting += one.threads / one.cycleNs * one.waitNs;
        EXPECT_LT(one.waitNs, one.cycleNs);
      }
      for (const LockPrediction &lock : at->locks)
        lockWaiting += lock.throughputPerS * 1e-9 * lock.waitNs;
      EXPECT_NEAR(throughput / at->throughputPerS, 1, 1e-5) << row.name << " on " << cores;
      EXPECT_NEAR(waiting / lockWaiting, 1, 1e-4) << row.name << " on " << cores;
    }
}

TEST(ThreadClasses, RoutingsOfOneClassAreOneClass) {
  // Threads of the first class keep to the lock they began with.
  Network network = networkOf({{8, 1000, {{0.5, 300}, {0.5, 600}}}});
  for (Transition &transition : network.transitions)
    transition.probability = transition.from == transition.to ? 1 : 0;
  const auto at = predict(network, {2, LockKind::ideal}, machineOf(64), 8);
  ASSERT_TRUE(at);
  ASSERT_EQ(at->classes.size(), 1u);
  EXPECT_NEAR(at->classes[0].threads, 8, 1e-12);
  EXPECT_NEAR(at->classes[0].throughputPerS / at->throughputPerS, 1, 1e-9);
  EXPECT_NEAR(at->classes[0].cycleNs * at->throughputPerS * 1e-9, 8, 1e-9);
}

/// The input of the class methods: all classes visit one lock.
ClassNetwork oneLock(const std::vector<double> &threads) {
  ClassNetwork network{{{}}, {}};
  double hold = 100;
  for (const double each : threads)
    network.classes.push_back({each, 0, 1500, {{1, 1, hold *= 2, 1}}});
  return network;
}

/// A class that keeps the lock for a while, then does not, and so on: its rounds have no fixpoint.
/// They were 10 000 for each population, and `advise` took minutes for networks with such a mutex.
TEST(Linearizer, ComesToRestWhereThreadsKeepALockByTurns) {
  ClassNetwork network = oneLock({4, 2});
  int asked = 0;
  const auto byTurns = [&asked](const Keeper &) {
    // Both classes are asked in a round.
    return asked++ / 2 % 2 == 0 ? KeptLock{} : KeptLock{1e5, 50};
  };
  network.stations[0].met = 0.5;
  network.stations[0].keeps = {byTurns, byTurns};
  network.stations[0].mostWaitNs = 1e6;
  for (const ClassState &one : solveLinearizer(network))
    EXPECT_TRUE(one.cyclesPerNs > 0 && one.waitNs[0] >= 0) << one.cyclesPerNs;
  EXPECT_LT(asked, 10'000);
}

TEST(Linearizer, IsTheSameBesideAClassThatNeverComes) {
  ClassNetwork network = oneLock({4, 2, 3});
  network.stations[0].met = 0.5; // how many there are to meet counts
  network.stations[0].overheadNs = 50;
  const auto without = solveLinearizer(network);
  network.stations.push_back({});
  for (ClassLoad &one : network.classes)
    one.at.push_back({});
  network.classes.push_back({50, 0, 1500, {{}, {1, 1, 100, 1}}});
  const auto beside = solveLinearizer(network);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(beside[c].waitNs[0] / without[c].waitNs[0], 1, 1e-9);
}

TEST(Linearizer, IsCloserToTheRecursionThanSchweitzer) {
  const ClassNetwork network = oneLock({4, 2, 3});
  const auto full = solveReiser(network), corrected = solveLinearizer(network),
             proportional = solveSchweitzer(network);
  for (std::size_t c = 0; c < 3; ++c) {
    const double error = std::abs(corrected[c].waitNs[0] / full[c].waitNs[0] - 1);
    EXPECT_LT(error, 0.02);
    EXPECT_LT(error, std::abs(proportional[c].waitNs[0] / full[c].waitNs[0] - 1) / 3);
  }
}

TEST(Linearizer, StandsInForARecursionThatIsTooLong) {
  EXPECT_EQ(reiserPopulations({99, 99, 99}), 1'000'000u);
  EXPECT_EQ(reiserPopulations({99, 99, 100}), 0u);
  EXPECT_EQ(reiserPopulations({1.5, 2}), 0u);
  for (const std::vector<double> &threads :
       std::vector<std::vector<double>>{{1.5, 2, 3}, {4096, 100, 9}}) {
    const ClassNetwork network = oneLock(threads);
    const auto full = solveReiser(network), instead = solveLinearizer(network);
    double served = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(full[c].waitNs, instead[c].waitNs);
      served += full[c].cyclesPerNs * network.classes[c].at[0].holdNs;
    }
    EXPECT_LE(served, 1 + 1e-6);
  }
}

} // namespace

} // namespace qdadvise
