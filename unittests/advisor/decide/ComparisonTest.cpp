// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/compare/Comparison.h"

#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using testing::ProfileBuilder;

struct RunLock {
  const char *name;
  double holdNs;
  std::uint64_t contended = 0;
};

/// One thread that takes each lock 1000 times in a run of a second.
ComparedRun runOf(const std::vector<RunLock> &locks) {
  ProfileBuilder builder;
  ComparedRun run;
  const std::size_t threads = builder.threads("worker", 1);
  builder.profile.durationNs = 1e9;
  builder.profile.threadClasses[threads].aliveNs = 1e9;
  std::uint32_t line = 0;
  for (const RunLock &lock : locks) {
    const std::size_t lockClass = builder.lockClass(lock.name, LockKind::pthreadMutex);
    const std::size_t site = builder.site("f", ++line);
    const std::size_t section = builder.section(threads, site, lockClass, 1000, lock.holdNs);
    builder.profile.sections[section].contended = lock.contended;
    Lock one;
    one.name = lock.name;
    run.network.locks.push_back(one);
    LockDecision decision;
    decision.lock = run.network.locks.size() - 1;
    decision.today = decision.advised = LockKind::pthreadMutex;
    run.decisions.locks.push_back(decision);
  }
  run.decisions.today.throughputPerS = 1e6;
  run.profile = builder.profile;
  return run;
}

void advise(ComparedRun &run, LockKind kind, double low) {
  LockDecision &decision = run.decisions.locks.front();
  decision.advised = kind;
  decision.keep = false;
  decision.low = low;
}

TEST(Comparison, TellsOfLongerHoldingTimes) {
  const auto locks = compareRuns(runOf({{"a", 100'000}}), runOf({{"a", 150'000}}), {});
  ASSERT_EQ(locks.size(), 1u);
  EXPECT_NEAR(locks[0].longer->value, 1.5, 1e-9);
  EXPECT_TRUE(locks[0].isLonger);
  EXPECT_FALSE(compareRuns(runOf({{"a", 100'000}}), runOf({{"a", 120'000}}), {})[0].isWorse());
  EXPECT_FALSE(compareRuns(runOf({{"a", 150'000}}), runOf({{"a", 100'000}}), {})[0].isWorse());
}

TEST(Comparison, LeavesOutLocksThatAreHardlyHeld) {
  // A thousand times 1 us are 0.1 % of a second.
  const auto locks = compareRuns(runOf({{"a", 100}}), runOf({{"a", 1000}}), {});
  EXPECT_NEAR(locks[0].longer->value, 10, 1e-9);
  EXPECT_FALSE(locks[0].isWorse());
}

TEST(Comparison, TellsOfNewContention) {
  const auto locks = compareRuns(runOf({{"a", 100'000, 10}}), runOf({{"a", 100'000, 150}}), {});
  EXPECT_NEAR(locks[0].taken.value, 0.14, 1e-9);
  EXPECT_GT(locks[0].taken.low, 0.1);
  EXPECT_LT(locks[0].taken.high, 0.2);
  EXPECT_TRUE(locks[0].isContended);
  // 6 points, but they may as well be 4.
  EXPECT_FALSE(
      compareRuns(runOf({{"a", 100'000, 10}}), runOf({{"a", 100'000, 70}}), {})[0].isContended);
}

TEST(Comparison, TellsOfAChangeThatIsAdvisedNow) {
  const ComparedRun before = runOf({{"a", 100'000}});
  ComparedRun after = before;
  advise(after, LockKind::mcs, 1.2);
  EXPECT_TRUE(compareRuns(before, after, {})[0].verdictChanged());
  // The program is as fast: something else in it has become faster.
  EXPECT_FALSE(compareRuns(before, after, {})[0].needsChange);
  after.decisions.today.throughputPerS = 0.5e6;
  EXPECT_TRUE(compareRuns(before, after, {})[0].needsChange);
  advise(after, LockKind::mcs, 0.9);
  EXPECT_FALSE(compareRuns(before, after, {})[0].needsChange); // it may as well lose
}

TEST(Comparison, HasLocksThatCameAndWent) {
  ComparedRun after = runOf({{"new", 100'000}, {"both", 100'000}});
  advise(after, LockKind::qd, 1.2);
  const auto locks = compareRuns(runOf({{"both", 100'000}, {"gone", 100'000}}), after, {});
  ASSERT_EQ(locks.size(), 3u);
  EXPECT_EQ(locks[0].name, "new"); // what is worse comes first
  EXPECT_TRUE(locks[0].isNew);
  EXPECT_TRUE(locks[0].needsChange);
  EXPECT_EQ(locks[1].name, "both");
  EXPECT_EQ(locks[2].name, "gone");
  EXPECT_TRUE(locks[2].isGone);
  EXPECT_FALSE(locks[2].isWorse());
}

} // namespace
} // namespace qdadvise
