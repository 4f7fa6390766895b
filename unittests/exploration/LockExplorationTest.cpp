// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explores locks: seeded bugs are found, and shipped locks have none. explore-locks explores the
// shipped locks at length.
#include "unittests/exploration/ExploredLocks.h"
#include "unittests/exploration/LockUse.h"
#include "unittests/exploration/SeededLocks.h"

#include <gtest/gtest.h>
#include <iostream>

namespace qdadvise::sim {

namespace {

struct SeededLock {
  const char *name;
  ExploredLock lock;
  FailureKind kind; ///< without meaning for a sound lock
  bool sound = false;
};

template <typename Lock> SeededLock seeded(const char *name, FailureKind kind, bool sound = false) {
  return {name, exploredLock<Lock>(name), kind, sound};
}

const std::vector<SeededLock> &seededLocks() {
  static const std::vector<SeededLock> table{
      seeded<SeededDelegation<SeededBug::missingAcquire>>("MissingAcquire", FailureKind::dataRace),
      seeded<SeededDelegation<SeededBug::closesLate>>("QueueClosesLate", FailureKind::deadlock),
      seeded<SeededDelegation<SeededBug::lostResultFlag>>("LostResultFlag", FailureKind::deadlock),
      seeded<SeededDelegation<SeededBug::doubleExecution>>("DoubleExecution",
                                                           FailureKind::requirement),
      seeded<SeededSleeping<true>>("WakeUpBeforeTheWait", FailureKind::deadlock),
      seeded<SeededDelegation<SeededBug::none>>("DelegationWithoutBug", {}, true),
      seeded<SeededSleeping<false>>("SleepingWithoutBug", {}, true),
  };
  return table;
}

class SeededBugs : public testing::TestWithParam<SeededLock> {
protected:
  static constexpr std::uint64_t most = 100'000;
  /// Two threads that show the bug: both delegate twice, or lock twice.
  ProgramFactory program() const {
    return GetParam().lock.program(GetParam().lock.operations == "lt" ? "ll ll" : "dd dd");
  }
  void expectFound(const char *how, const ExplorationResult &result) {
    if (GetParam().sound) {
      ASSERT_FALSE(result.failure) << result.failure->text();
      return;
    }
    ASSERT_TRUE(result.failure) << "not within " << result.schedules << " schedules";
    EXPECT_EQ(result.failure->kind, GetParam().kind) << result.failure->text();
    std::cout << GetParam().name << ", " << how << ": " << nameOf(result.failure->kind)
              << ", found by schedule " << result.schedules << '\n';
    const auto again = replay(program(), result.failure->choices);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->message, result.failure->message);
    EXPECT_EQ(again->steps, result.failure->steps);
  }
};

TEST_P(SeededBugs, AreFoundAmongAllSchedules) {
  ExhaustiveOptions options;
  options.maxSchedules = most;
  expectFound("among all schedules", exploreAll(program(), options));
}

TEST_P(SeededBugs, AreFoundAmongThoseWithTwoInterruptions) {
  ExhaustiveOptions options;
  options.maxSchedules = most;
  options.preemptions = 2;
  expectFound("with at most two interruptions", exploreAll(program(), options));
}

TEST_P(SeededBugs, AreFoundAtRandom) {
  RandomOptions options;
  options.schedules = GetParam().sound ? most / 10 : most;
  const auto result = exploreRandomly(program(), options);
  expectFound("at random", result);
  if (!result.failure)
    return;
  const auto seeded = exploreRandomly(program(), {*result.failure->seed, 1, {}});
  ASSERT_TRUE(seeded.failure);
  EXPECT_EQ(seeded.failure->text(), result.failure->text());
}

INSTANTIATE_TEST_SUITE_P(Exploration, SeededBugs, testing::ValuesIn(seededLocks()),
                         [](const auto &info) { return std::string(info.param.name); });

class ShippedLocks : public testing::TestWithParam<ExploredLock> {
protected:
  static void expectNothing(const MixesResult &result) {
    ASSERT_FALSE(result.failed) << result.failed->mix << '\n' << result.failed->failure.text();
    EXPECT_GT(result.schedules, 0u);
  }
  /// A use of the lock fails if the lock orders less.
  static void expectFound(const ExploredLock &lock) {
    const MixesResult result = exploreRandomMixes(lock, 3, 3, 1, 100'000);
    ASSERT_TRUE(result.failed);
    EXPECT_EQ(result.failed->failure.kind, FailureKind::dataRace) << result.failed->failure.text();
  }
  static const ExploredLock &likeIt(const std::vector<ExploredLock> &table) {
    for (const ExploredLock &lock : table)
      if (lock.name == GetParam().name)
        return lock;
    throw std::out_of_range("no such lock");
  }
};

TEST_P(ShippedLocks, KeepTheirPromisesInAllSchedulesOfOneOperationEach) {
  const MixesResult result = exploreEveryMix(GetParam(), 2, 1);
  expectNothing(result);
  EXPECT_TRUE(result.complete);
}

TEST_P(ShippedLocks, KeepThemWithTwoInterruptions) {
  ExhaustiveOptions options;
  options.preemptions = 2;
  options.maxSchedules = 1000;
  expectNothing(exploreEveryMix(GetParam(), 2, 2, options));
}

TEST_P(ShippedLocks, KeepThemAtRandom) {
  expectNothing(exploreRandomMixes(GetParam(), 4, 4, 2'000'000, 10'000));
}

TEST_P(ShippedLocks, NeedTheirAcquires) { expectFound(likeIt(locksWithoutAcquire())); }

TEST_P(ShippedLocks, NeedTheirReleases) { expectFound(likeIt(locksWithoutRelease())); }

INSTANTIATE_TEST_SUITE_P(Exploration, ShippedLocks, testing::ValuesIn(exploredLocks()),
                         [](const auto &info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace

} // namespace qdadvise::sim
