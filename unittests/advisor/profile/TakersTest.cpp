// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Takers.h"
#include "advisor/profile/merge/Aliases.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// `main` is thread class 0, workers are 1.
Profile withTakers(std::vector<ProfiledTakers> takers) {
  Profile profile = sampleProfile();
  profile.takers = std::move(takers);
  return profile;
}

const std::vector<bool> workers{false, true}, both{true, true};

TEST(Takers, OwnedShareIsTheLesserOfTrafficAndTimeHeld) {
  EXPECT_EQ(ownedShare(withTakers({{0, 1, 4, 4, 100, 90, 1000, 950}}), 0), 0.9);
  EXPECT_EQ(ownedShare(withTakers({{0, 1, 4, 4, 100, 90, 1000, 500}}), 0), 0.5);
  // Counted only.
  EXPECT_EQ(ownedShare(withTakers({{0, 1, 4, 4, 100, 90, 0, 0}}), 0), 0.9);
  // Over all threads.
  EXPECT_EQ(ownedShare(withTakers({{0, 0, 1, 0, 100, 0, 0, 0}, {0, 1, 4, 4, 100, 90, 0, 0}}), 0),
            0.45);
}

TEST(Takers, OwnedShareIsUnknownWhereNoRunTells) {
  EXPECT_FALSE(ownedShare(sampleProfile(), 0));
  EXPECT_FALSE(ownedShare(withTakers({{0, 1, 4, 4, 100, 90, 0, 0}}), 1));
}

TEST(Takers, LocksOfThePastAreTakenForShared) {
  Profile profile = withTakers({{0, 1, 4, 4, 100, 100, 0, 0}});
  profile.closedLocks.push_back({0, 1, 50, 100, 0, 0, 0});
  EXPECT_EQ(ownedShare(profile, 0), 0.5);
}

TEST(Takers, PerThreadIsWhatTheThreadsAskedForOwn) {
  EXPECT_TRUE(isPerThread(withTakers({{0, 1, 4, 4, 1000, 1000, 10, 10}}), 0, workers));
  EXPECT_TRUE(isPerThread(withTakers({{0, 1, 4, 3, 1000, 990, 1000, 990}}), 0, workers));
  EXPECT_FALSE(isPerThread(withTakers({{0, 1, 4, 4, 1000, 989, 10, 10}}), 0, workers));
  EXPECT_FALSE(isPerThread(withTakers({{0, 1, 4, 4, 1000, 1000, 1000, 900}}), 0, workers));
  EXPECT_FALSE(isPerThread(withTakers({{0, 1, 4, 2, 1000, 1000, 10, 10}}), 0, workers))
      << "half of the threads have none";
  EXPECT_FALSE(isPerThread(withTakers({{0, 1, 1, 0, 1000, 1000, 10, 10}}), 0, workers))
      << "one thread, which has not made them";
  EXPECT_TRUE(isPerThread(withTakers({{0, 1, 1, 1, 1000, 1000, 10, 10}}), 0, workers))
      << "one that has";
  EXPECT_FALSE(isPerThread(withTakers({{0, 1, 2, 1, 1000, 1000, 10, 10}}), 0, workers))
      << "one of two";
  EXPECT_FALSE(isPerThread(withTakers({{0, 0, 4, 4, 1000, 1000, 10, 10}}), 0, workers))
      << "other threads";
  EXPECT_FALSE(isPerThread(withTakers({{0, std::nullopt, 4, 4, 1000, 1000, 10, 10}}), 0, both));
  EXPECT_FALSE(isPerThread(sampleProfile(), 0, workers)) << "not known";
}

TEST(Takers, ClosedLocksThatAreAThreadsOwnCountOnce) {
  Profile profile = withTakers({{0, 1, 1, 1, 1000, 900, 1000, 900}});
  profile.locks = {{0, 64, 100, 0, 100, 0}};
  profile.closedLocks = {{0, 9, 1, 900, 0, 900, 0}};
  EXPECT_DOUBLE_EQ(*ownedShare(profile, 0), 0.9);
  EXPECT_DOUBLE_EQ(ownTraffic(profile, 0, workers).share, 0.9);
  // One that is nobody's own is in no row.
  profile.closedLocks.push_back({0, 9, 1, 1000, 0, 3000, 0});
  EXPECT_DOUBLE_EQ(ownTraffic(profile, 0, workers).share, 0.45);
  EXPECT_DOUBLE_EQ(ownTraffic(profile, 0, workers).ownHoldNs, 1);
  EXPECT_NEAR(ownTraffic(profile, 0, workers).sharedHoldNs, 3100.0 / 1100, 1e-9);
}

TEST(Takers, VisitorsOfOwnedLocksDoNotMatterButLocksThatTheyShareDo) {
  const ProfiledTakers owners{0, 1, 4, 4, 1000, 1000, 10, 10};
  EXPECT_TRUE(isPerThread(withTakers({owners, {0, 0, 1, 0, 40, 40, 1, 1}}), 0, workers));
  EXPECT_FALSE(isPerThread(withTakers({owners, {0, 0, 1, 0, 40, 0, 1, 0}}), 0, workers));
}

TEST(Takers, TellWhetherARunHadTwoThreads) {
  ProfiledTakers one{0, 1, 3, 3, 1000, 1000, 10, 10};
  one.runs = 3;
  EXPECT_TRUE(isOfOneThread(withTakers({one}), 0)) << "one in each of three runs";
  EXPECT_FALSE(isOfOneThread(withTakers({one}), 1)) << "there is none";
  Profile told = withTakers({{0, 1, 2, 2, 1000, 1000, 10, 10}});
  // As `record --threads 1,2` merges: times are of another run.
  told.runs = 2;
  EXPECT_FALSE(isOfOneThread(told, 0));
}

TEST(Takers, TheOneLockOfAClassIsNobodysOwn) {
  Profile profile = withTakers({{0, 1, 4, 1, 1000, 1000, 10, 10}});
  joinAliases(profile); // as after reading
  EXPECT_FALSE(ownedShare(profile, 0));
}

} // namespace
