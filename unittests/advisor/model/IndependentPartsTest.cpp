// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread classes that have no lock in common are predicted as if the others were not there.
#include "advisor/model/solver/IndependentParts.h"

#include "Networks.h"
#include "advisor/model/Predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

/// A class of threads that go round these locks.
struct Threads {
  double weight = 1;
  std::vector<std::size_t> locks;
  double holdNs = 100, localNs = 400;
};

Network networkOf(std::size_t locks, const std::vector<Threads> &classes) {
  Network network;
  for (std::size_t i = 0; i < locks; ++i)
    network.locks.push_back({"lock" + std::to_string(i), LockKind::pthreadMutex, 1, {}});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    network.classes.push_back({"class" + std::to_string(c), true, classes[c].weight, 0});
    const std::size_t first = network.sections.size(), count = classes[c].locks.size();
    for (std::size_t i = 0; i < count; ++i) {
      Section section;
      section.name = "section" + std::to_string(first + i);
      section.lock = classes[c].locks[i];
      section.hold = {classes[c].holdNs, 1};
      network.sections.push_back(section);
      Transition transition;
      transition.threadClass = c;
      transition.from = first + i;
      transition.to = first + (i + 1) % count;
      transition.probability = 1;
      transition.local = {classes[c].localNs, 1};
      network.transitions.push_back(transition);
    }
  }
  return network;
}

std::vector<std::vector<std::size_t>> partsOf(const Network &network) {
  return independentParts(network, trafficOf(network));
}

Prediction predicted(const Network &network, LockKind kind, int threads, int cores = 64) {
  const auto result = predict(network, std::vector<LockKind>(network.locks.size(), kind),
                              machineOf(cores), threads, {});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : Prediction();
}

TEST(IndependentParts, AreConnectedByLocks) {
  EXPECT_THAT(partsOf(networkOf(3, {{1, {0}}, {1, {1, 2}}, {1, {0}}})),
              ElementsAre(ElementsAre(1), ElementsAre(0, 2)));
  EXPECT_THAT(partsOf(networkOf(4, {{1, {0}}, {1, {1}}, {1, {2, 3}}, {1, {1, 0}}})),
              ElementsAre(ElementsAre(2), ElementsAre(0, 1, 3)));
  Network own = networkOf(3, {{1, {0, 2}}, {1, {1, 2}}});
  EXPECT_EQ(partsOf(own).size(), 1);
  own.locks[2].perThread = true;
  EXPECT_EQ(partsOf(own).size(), 2);
}

TEST(IndependentParts, ArePredictedAsIfAlone) {
  const Threads many{19, {0}, 40}, few{5, {1, 2}, 200, 1500};
  const Network both = networkOf(3, {many, few});
  for (const LockKind kind : {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock,
                              LockKind::ticket, LockKind::mcs, LockKind::qd}) {
    const Prediction together = predicted(both, kind, 24);
    const Prediction first = predicted(networkOf(3, {many}), kind, 19);
    const Prediction second = predicted(networkOf(3, {few}), kind, 5);
    EXPECT_NEAR(together.classes[0].throughputPerS / first.throughputPerS, 1, 1e-9) << nameOf(kind);
    EXPECT_NEAR(together.classes[1].throughputPerS / second.throughputPerS, 1, 1e-9)
        << nameOf(kind);
    EXPECT_NEAR(together.throughputPerS / (first.throughputPerS + second.throughputPerS), 1, 1e-9);
    EXPECT_NEAR(together.locks[0].throughputPerS / first.locks[0].throughputPerS, 1, 1e-9);
    EXPECT_NEAR(together.locks[0].waitNs / first.locks[0].waitNs, 1, 1e-9);
    EXPECT_NEAR(together.locks[2].throughputPerS / second.locks[2].throughputPerS, 1, 1e-9);
    EXPECT_NEAR(together.locks[2].queueLength / second.locks[2].queueLength, 1, 1e-9);
  }
}

/// Of eight threads 2.4 have one lock, and 5.6 the other.
TEST(IndependentParts, NeedNoWholeNumbersOfThreads) {
  const Threads one{0.3, {0}}, other{0.7, {1}};
  const Network both = networkOf(2, {one, other});
  for (const LockKind kind : {LockKind::ideal, LockKind::mcs, LockKind::qd}) {
    const auto alone = [&](int threads) {
      return predicted(networkOf(1, {{1, {0}}}), kind, threads).throughputPerS;
    };
    const Prediction together = predicted(both, kind, 8);
    EXPECT_NEAR(together.classes[0].throughputPerS / (0.6 * alone(2) + 0.4 * alone(3)), 1, 0.02)
        << nameOf(kind);
    EXPECT_NEAR(together.classes[1].throughputPerS / (0.4 * alone(5) + 0.6 * alone(6)), 1, 0.02)
        << nameOf(kind);
  }
}

TEST(IndependentParts, HaveTheirShareOfTheCores) {
  const Threads many{3, {0}}, few{1, {1}, 300};
  const Network both = networkOf(2, {many, few});
  const auto alone = [&](const Threads &threads, std::size_t lock, LockKind kind, int count,
                         int cores) {
    return predicted(networkOf(2, {threads}), kind, count, cores).locks[lock].throughputPerS;
  };
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd}) {
    const Prediction together = predicted(both, kind, 16, 8);
    EXPECT_NEAR(together.locks[0].throughputPerS / alone(many, 0, kind, 12, 6), 1, 0.02)
        << nameOf(kind);
    EXPECT_NEAR(together.locks[1].throughputPerS / alone(few, 1, kind, 4, 2), 1, 0.02)
        << nameOf(kind);
    EXPECT_THAT(together.notes, testing::Contains(HasSubstr("threads share 8 cores")));
  }
  // Of ten cores the second part has two for half of the time.
  const Prediction uneven = predicted(both, LockKind::qd, 16, 10);
  EXPECT_NEAR(uneven.locks[1].throughputPerS / (0.5 * alone(few, 1, LockKind::qd, 4, 2) +
                                                0.5 * alone(few, 1, LockKind::qd, 4, 3)),
              1, 0.02);
}

/// One more thread than there are cores is no other program.
TEST(IndependentParts, DoAsMuchWithAThreadMoreThanCores) {
  const Network both = networkOf(2, {{1, {0}, 100, 1000}, {1, {1}, 100, 1000}});
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd})
    EXPECT_NEAR(predicted(both, kind, 33, 32).throughputPerS /
                    predicted(both, kind, 32, 32).throughputPerS,
                1, 0.1)
        << nameOf(kind);
}

TEST(IndependentParts, LeaveCoresToThoseWhoAreAwake) {
  Network both = networkOf(2, {{1, {0}}, {1, {1}}});
  const double busy = predicted(both, LockKind::spinlock, 32, 16).locks[0].throughputPerS;
  both.transitions[1].blockedNs = 100 * both.transitions[1].local.mean;
  const double beside = predicted(both, LockKind::spinlock, 32, 16).locks[0].throughputPerS;
  const double alone =
      predicted(networkOf(2, {{1, {0}}}), LockKind::spinlock, 16, 16).locks[0].throughputPerS;
  EXPECT_NEAR(beside / alone, 1, 0.05);
  EXPECT_GT(std::abs(busy / alone - 1), 0.05);
}

} // namespace

} // namespace qdadvise
