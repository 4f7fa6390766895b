// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Merge.h"
#include "advisor/profile/Summary.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// A second run in which the same program met its sites in another order.
Profile otherOrder() {
  ProfileBuilder b;
  const std::size_t worker = b.threads("serve(int)", 3);
  const std::size_t log = b.lockClass("Log::m", LockKind::pthreadSpin);
  b.profile.lockClasses[log].declLine = 11; // where the first run has it
  const std::size_t db = b.lockClass("Db::m", LockKind::pthreadMutex);
  b.profile.lockClasses[db].declLine = 10;
  b.lock(log, 0x77, 50);
  b.lock(db, 0x88, 100);
  const std::size_t put = b.site("Db::put(int, int)", 57);
  const std::size_t add = b.site("Log::add(const char *)", 12, "src/log.cc");
  const std::size_t writing = b.section(worker, put, db, 100, 1000);
  b.section(worker, add, log, 50, 40, writing);
  b.transition(worker, writing, writing, 99, 500);
  return b.profile;
}

} // namespace

TEST(Merge, OfOneProfileIsThatProfile) {
  const Expected<Profile> merged = mergeProfiles({sampleProfile()});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(encodeProfile(*merged), encodeProfile(sampleProfile()));
}

TEST(Merge, JoinsWhatIsAtOnePlaceInTheSource) {
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), otherOrder()});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->sites.size(), 4u);
  EXPECT_EQ(merged->lockClasses.size(), 2u);
  EXPECT_EQ(merged->threadClasses.size(), 2u);
  EXPECT_EQ(merged->threadClasses[1].count, 4u);
  EXPECT_EQ(merged->sections.size(), 4u);
  EXPECT_EQ(merged->sections[2].acquisitions, 300u);
  EXPECT_NEAR(merged->sections[2].hold.mean, (200 * 700 + 100 * 1000) / 300.0, 1e-9);
  EXPECT_EQ(merged->sections[3].acquisitions, 450u);
  EXPECT_EQ(merged->sections[3].inside, 2u);
  EXPECT_EQ(merged->durationNs, 2e9);
}

TEST(Merge, MatchesLocksByTheRankOfTheirTraffic) {
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), otherOrder()});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->locks.size(), 2u);
  EXPECT_EQ(merged->locks[0].acquisitions, 1101u);
  EXPECT_EQ(merged->locks[1].acquisitions, 450u);
}

TEST(Merge, CountsDoNotDependOnTheOrder) {
  const Expected<Profile> one = mergeProfiles({sampleProfile(), otherOrder()});
  const Expected<Profile> two = mergeProfiles({otherOrder(), sampleProfile()});
  ASSERT_TRUE(one && two);
  const ProfileSummary first = summarize(*one), second = summarize(*two);
  ASSERT_EQ(first.locks.size(), second.locks.size());
  for (std::size_t i = 0; i < first.locks.size(); ++i) {
    EXPECT_EQ(first.locks[i].name, second.locks[i].name);
    EXPECT_EQ(first.locks[i].measured.acquisitions, second.locks[i].measured.acquisitions);
    EXPECT_NEAR(first.locks[i].measured.hold.mean, second.locks[i].measured.hold.mean, 1e-9);
    EXPECT_EQ(first.locks[i].sites.size(), second.locks[i].sites.size());
  }
}

TEST(Merge, LinesWindowsUpBehindEachOther) {
  const Expected<Profile> merged = mergeProfiles({otherOrder(), sampleProfile()});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->windows.size(), 2u);
  EXPECT_EQ(merged->windows[0].startNs, 1e9);
  const ProfiledSection &section = merged->sections[merged->windows[0].sections[0].section];
  EXPECT_EQ(merged->sites[section.site].function, "Db::get(int) const");
}

TEST(Merge, RefusesToMixTimesAndCounts) {
  Profile counters = sampleProfile();
  counters.flags |= format::runCountersOnly;
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), counters});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, ::testing::HasSubstr("counters_only"));
  EXPECT_FALSE(mergeProfiles({}));
}
