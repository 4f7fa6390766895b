// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--model auto` takes the most accurate method within the time budget.
#include "advisor/model/ModelChoice.h"

#include "Networks.h"
#include "advisor/model/decomposition/Marie.h"
#include "advisor/model/decomposition/Norton.h"
#include "advisor/model/decomposition/StayingThreads.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/mva/Reiser.h"
#include "advisor/model/workload/Workload.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

constexpr double patient = 0.3e9;

/// A choice with everything that it refers to.
struct Chosen {
  Chosen(Network of, LockKind kind, int cores = 512)
      : network(std::move(of)), kinds(network.locks.size(), kind), traffic(trafficOf(network)),
        choice(network, kinds, traffic, cores) {}
  Chosen(const Chosen &) = delete;

  Network network;
  std::vector<LockKind> kinds;
  std::vector<Traffic> traffic;
  ModelChoice choice;
};

Network regular(std::size_t locks) {
  return networkOf(std::vector<TestLock>(locks, {1.0 / static_cast<double>(locks), 100, 0.5}),
                   1000);
}

TEST(ModelChoice, TakesTheRecursionWhereNothingIsMoreAccurate) {
  const Network exponential = networkOf({{0.5, 100}, {0.5, 300}}, 1000);
  EXPECT_EQ(Chosen(exponential, LockKind::ideal).choice.method({8}, patient), solveMva);
  EXPECT_EQ(Chosen(regular(2), LockKind::pthreadMutex).choice.method({8}, patient), solveStaying);
  // If locks are handed over, the state of a lock says more than mean values.
  EXPECT_EQ(Chosen(exponential, LockKind::mcs).choice.method({8}, patient), solveMarie);
  EXPECT_EQ(Chosen(exponential, LockKind::spinlock).choice.method({8}, patient), solveMarie);
  EXPECT_EQ(Chosen(regular(2), LockKind::ideal).choice.method({8}, patient), solveMarie);
  EXPECT_EQ(Chosen(exponential, LockKind::qd).choice.method({8}, patient), solveMarie);
}

TEST(ModelChoice, TakesWhatIsCheaperWhereItWouldHaveToWait) {
  const Chosen few(regular(2), LockKind::qd), many(regular(60), LockKind::qd);
  EXPECT_EQ(few.choice.method({1, 2, 4, 8}, patient), solveMarie);
  std::vector<int> sweep;
  for (int threads = 1; threads <= 400; ++threads)
    sweep.push_back(threads);
  EXPECT_EQ(many.choice.method(sweep, patient), solveMva);
  EXPECT_EQ(many.choice.method({400}, patient), solveNorton);
  EXPECT_EQ(many.choice.method({400}, 1e3 * patient), solveMarie);
  EXPECT_EQ(few.choice.method({8}, 0), solveMva);
}

TEST(ModelChoice, KnowsThatLocksHandedOverInLineTakeLongWithManyThreads) {
  const Chosen handedOver(regular(20), LockKind::mcs, 4096),
      delegating(regular(20), LockKind::qd, 4096);
  EXPECT_EQ(handedOver.choice.method({1024}, patient), solveNorton);
  EXPECT_EQ(handedOver.choice.method({4096}, patient), solveMva);
  EXPECT_EQ(delegating.choice.method({4096}, patient), solveNorton);
}

TEST(ModelChoice, TriesTheChainWithFewThreads) {
  const std::vector<int> sweep{1, 2, 4, 5, 8};
  const auto tried = [&](const Chosen &of, double timeBudgetNs) {
    return of.choice.endOfChain(sweep, timeBudgetNs) - sweep.begin();
  };
  EXPECT_EQ(tried({regular(2), LockKind::qd}, patient), 3);
  EXPECT_EQ(tried({regular(2), LockKind::qd}, patient / 2), 0);
  EXPECT_EQ(tried({regular(2), LockKind::pthreadMutex}, patient), 0);
}

TEST(ModelChoice, KnowsWhatIsExponential) {
  Network network = networkOf({{1, 100}}, 1000);
  EXPECT_TRUE(Chosen(network, LockKind::ideal).choice.isExponential());
  EXPECT_EQ(Chosen(network, LockKind::ideal).choice.classMethod(), solveReiser);
  EXPECT_EQ(Chosen(network, LockKind::mcs).choice.classMethod(), nullptr);
  EXPECT_FALSE(Chosen(regular(1), LockKind::ideal).choice.isExponential());
  EXPECT_EQ(Chosen(regular(1), LockKind::ideal).choice.classMethod(), nullptr);
  // Two means at one lock are not exponential together, but no thread goes to the second section.
  network = networkOf({{1, 100}, {0, 300}}, 1000);
  network.sections[1].lock = 0;
  EXPECT_TRUE(Chosen(network, LockKind::ideal).choice.isExponential());
  network = networkOf({{0.5, 100}, {0.5, 300}}, 1000);
  network.sections[1].lock = 0;
  EXPECT_FALSE(Chosen(network, LockKind::ideal).choice.isExponential());
}

} // namespace

} // namespace qdadvise
