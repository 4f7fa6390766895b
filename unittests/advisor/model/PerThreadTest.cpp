// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of which each thread has its own: no thread waits for one, and it costs as much as with one
// thread.
#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Nesting.h"

#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

const LockKind everyKind[] = {LockKind::ideal,    LockKind::pthreadMutex, LockKind::pthreadRwlock,
                              LockKind::spinlock, LockKind::ticket,       LockKind::mcs,
                              LockKind::clh,      LockKind::qd,           LockKind::mrqd};

/// The second lock is each thread's own.
Network oneOfTwo() {
  Network network = networkOf({{0.5, 200}, {0.5, 300}}, 1000);
  network.locks[1].perThread = true;
  return network;
}

Prediction predicted(const Network &network, LockKind kind, int threads,
                     const PredictOptions &options = {}) {
  const auto result = predict(network, std::vector<LockKind>(network.locks.size(), kind),
                              machineOf(64), threads, options);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : Prediction();
}

void addInside(Network &network, std::size_t outer, std::size_t lock) {
  Section inner;
  inner.name = "inner";
  inner.lock = lock;
  inner.hold = {50, 1};
  inner.inside = outer;
  inner.visits = 1;
  network.sections.push_back(inner);
}

/// The same lock class with so many instances that threads do not meet.
Network withPlenty(Network network) {
  for (Lock &lock : network.locks)
    if (lock.perThread) {
      lock.perThread = false;
      lock.instances = 1'000'000;
    }
  return network;
}

TEST(PerThread, IsOneInstanceOfWhichNoTwoThreadsHaveTheSame) {
  Lock lock;
  lock.instances = 3;
  lock.shares = {0.5};
  lock.perThread = true;
  ASSERT_EQ(groupsOf(lock).size(), 1u);
  EXPECT_EQ(groupsOf(lock)[0].share, 1);
  EXPECT_EQ(groupsOf(lock)[0].count, 1);
  EXPECT_GT(chanceOfSame(lock), 0);
  EXPECT_LT(chanceOfSame(lock), 1e-5);
}

TEST(PerThread, ThroughputGrowsWithTheThreads) {
  Network network = networkOf({{1, 300}}, 100);
  network.locks[0].perThread = true;
  for (const LockKind kind : everyKind) {
    const Prediction one = predicted(network, kind, 1), many = predicted(network, kind, 48);
    EXPECT_NEAR(many.speedup, 48, 1e-6) << nameOf(kind);
    EXPECT_NEAR(many.locks[0].waitNs, one.locks[0].waitNs, 1e-9) << nameOf(kind);
    EXPECT_EQ(many.locks[0].contentionRate, 0) << nameOf(kind);
    EXPECT_NEAR(many.locks[0].utilization, one.locks[0].utilization, 1e-9) << nameOf(kind);
    EXPECT_NEAR(many.locks[0].queueLength, 48 * one.locks[0].queueLength, 1e-6) << nameOf(kind);
  }
}

TEST(PerThread, OneThreadIsPredictedAsEver) {
  for (const LockKind kind : everyKind) {
    Network network = oneOfTwo();
    const Prediction own = predicted(network, kind, 1);
    network.locks[1].perThread = false;
    const Prediction shared = predicted(network, kind, 1);
    EXPECT_NEAR(own.throughputPerS / shared.throughputPerS, 1, 1e-9) << nameOf(kind);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(own.locks[i].waitNs, shared.locks[i].waitNs, 1e-6) << nameOf(kind);
      EXPECT_NEAR(own.locks[i].utilization, shared.locks[i].utilization, 1e-9) << nameOf(kind);
    }
  }
}

TEST(PerThread, IsAsWhereThereArePlenty) {
  for (const LockKind kind : everyKind)
    for (const int threads : {5, 8, 32}) {
      const Prediction own = predicted(oneOfTwo(), kind, threads),
                       plenty = predicted(withPlenty(oneOfTwo()), kind, threads);
      EXPECT_NEAR(own.throughputPerS / plenty.throughputPerS, 1, 0.02) << nameOf(kind) << threads;
      EXPECT_NEAR(own.locks[0].residenceNs / plenty.locks[0].residenceNs, 1, 0.06)
          << nameOf(kind) << threads;
    }
}

TEST(PerThread, HoldsForEveryModel) {
  for (const PredictionModel &model : predictionModels()) {
    const LockKind kind = model.kinds.empty() ? LockKind::spinlock : model.kinds.front();
    PredictOptions options;
    options.model = model.name;
    if (model.name == std::string("markov"))
      continue; // its threads have states at every lock
    const Prediction own = predicted(oneOfTwo(), kind, 8, options);
    EXPECT_NEAR(own.locks[1].waitNs, predicted(oneOfTwo(), kind, 1, options).locks[1].waitNs, 1e-6)
        << model.name;
    EXPECT_GT(own.locks[0].waitNs, own.locks[1].waitNs) << model.name;
  }
}

TEST(PerThread, NestsBothWays) {
  for (const std::size_t outer : {0u, 1u}) {
    Network network = oneOfTwo();
    addInside(network, outer, 1 - outer);
    // The spinlock's hand-over gets longer with each waiter, which amplifies differences.
    for (const auto &[kind, bound] :
         {std::pair(LockKind::ideal, 0.006), std::pair(LockKind::pthreadMutex, 0.001),
          std::pair(LockKind::spinlock, 0.035), std::pair(LockKind::qd, 0.006)}) {
      const Prediction own = predicted(network, kind, 8),
                       plenty = predicted(withPlenty(network), kind, 8);
      EXPECT_NEAR(own.throughputPerS / plenty.throughputPerS, 1, bound) << nameOf(kind) << outer;
      EXPECT_EQ(own.locks[1].contentionRate, 0) << nameOf(kind) << outer;
    }
  }
}

TEST(PerThread, TakenInsideItselfIsTakenAgain) {
  Network network = oneOfTwo();
  network.locks[1].instances = 4;
  addInside(network, 1, 1);
  EXPECT_TRUE(Nesting(network).reentrant(2));
  const Prediction own = predicted(network, LockKind::spinlock, 8);
  EXPECT_FALSE(own.worstCase);
  EXPECT_NEAR(own.locks[1].residenceNs, 356, 1e-6);
}

TEST(PerThread, SharesCores) {
  PredictOptions options;
  options.cores = 4;
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd}) {
    const Prediction own = predicted(oneOfTwo(), kind, 16, options),
                     plenty = predicted(withPlenty(oneOfTwo()), kind, 16, options);
    EXPECT_NEAR(own.throughputPerS / plenty.throughputPerS, 1, 0.05) << nameOf(kind);
    EXPECT_LT(own.speedup, 4.001) << nameOf(kind);
  }
}

TEST(PerThread, OfSeveralThreadClasses) {
  Network network = oneOfTwo();
  network.classes.push_back({"other", false, 1, 2});
  for (Transition transition : std::vector<Transition>(network.transitions)) {
    transition.threadClass = 1;
    transition.local.mean = 3000;
    network.transitions.push_back(transition);
  }
  for (const LockKind kind :
       {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd}) {
    const Prediction own = predicted(network, kind, 8),
                     plenty = predicted(withPlenty(network), kind, 8);
    EXPECT_NEAR(own.throughputPerS / plenty.throughputPerS, 1, 0.03) << nameOf(kind);
    EXPECT_EQ(own.locks[1].contentionRate, 0) << nameOf(kind);
    for (std::size_t c = 0; c < 2; ++c)
      EXPECT_NEAR(own.classes[c].waitNs / plenty.classes[c].waitNs, 1, 0.1) << nameOf(kind) << c;
  }
}

TEST(PerThread, StillNeedsTheFiguresOfItsAlgorithm) {
  Network network = networkOf({{1, 300}}, 100);
  network.locks[0].perThread = true;
  Machine machine = machineOf(8);
  machine.kinds.erase(LockKind::qd);
  const auto result = predict(network, {LockKind::qd}, machine, 4);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("lock_overhead_ns"), std::string::npos);
}

} // namespace

} // namespace qdadvise
