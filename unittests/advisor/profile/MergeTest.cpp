// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Merge.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// A second run in which the same program met its sites in another order.
Profile otherOrder() {
  ProfileBuilder b;
  b.profile.startUnixNs += 1'000'000'000;
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

TEST(Merge, PoolsReadersAndWaitsForWriters) {
  Profile first = sampleProfile(), second = otherOrder(); // Db::m is 0 there and 1 here
  first.lockClasses[0].readers = {3, 700, {2, 100, 200, 90, 110}};
  second.lockClasses[1].readers = {5, 300, {1, 400, 0, 400, 400}};
  first.sections[2].contendedByWriter = 2;
  second.sections[0].contendedByWriter = 1;
  first.sections[2].waitByWriter = constant(2, 50);
  second.sections[0].waitByWriter = constant(1, 80);
  const Expected<Profile> merged = mergeProfiles({first, second});
  ASSERT_TRUE(merged) << merged.error().message;
  const ProfiledReaders &readers = merged->lockClasses[0].readers;
  EXPECT_EQ(readers.most, 5u);
  EXPECT_EQ(readers.heldNs, 1000);
  EXPECT_EQ(readers.busy.count, 3u);
  EXPECT_EQ(readers.busy.mean, 200);
  EXPECT_EQ(readers.busy.max, 400);
  EXPECT_EQ(merged->sections[2].contendedByWriter, 3u);
  EXPECT_EQ(merged->sections[2].waitByWriter.mean, 60);
}

TEST(Merge, OfAnyOrderIsTheSameFile) {
  std::vector<Profile> runs = {sampleProfile(), otherOrder(), sampleProfile(), otherOrder()};
  runs[2].pid = 7;                           // started at the same time on another host
  runs[3].startUnixNs = runs[1].startUnixNs; // the same process even, with other figures
  runs[3].sections[0].hold = constant(100, 333.3);
  std::vector<std::size_t> order = {0, 1, 2, 3};
  std::set<std::string> files;
  do {
    std::vector<Profile> permuted;
    for (const std::size_t run : order)
      permuted.push_back(runs[run]);
    const Expected<Profile> merged = mergeProfiles(permuted);
    ASSERT_TRUE(merged) << merged.error().message;
    files.insert(encodeProfile(*merged));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(files.size(), 1u);
}

TEST(Merge, LinesWindowsUpBehindEachOther) {
  Profile early = otherOrder();
  early.startUnixNs = 1;
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), early});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->windows.size(), 2u);
  EXPECT_EQ(merged->windows[0].startNs, 1e9);
  const ProfiledSection &section = merged->sections[merged->windows[0].sections[0].section];
  EXPECT_EQ(merged->sites[section.site].function, "Db::get(int) const");
}

TEST(Merge, AddsLocksOfThePastByClassAndTraffic) {
  Profile one = sampleProfile(), two = sampleProfile();
  one.closedLocks = {{0, 1, 10, 25, 1, 0, 0}, {1, 1, 1, 2, 0, 0, 0}};
  two.closedLocks = {{0, 1, 5, 15, 1, 0, 0}, {0, 3, 1, 9, 0, 0, 0}};
  const Expected<Profile> both = mergeProfiles({one, two});
  ASSERT_TRUE(both);
  ASSERT_EQ(both->closedLocks.size(), 3u);
  EXPECT_EQ(both->closedLocks[0].instances, 15u);
  EXPECT_EQ(both->closedLocks[0].acquisitions, 40u);
  EXPECT_TRUE(decodeProfile(encodeProfile(*both), "both"));
}

TEST(Merge, KeepsCallersApart) {
  Profile one = sampleProfile(), two = sampleProfile();
  one.sites[0].caller = {"/bin/a", 1};
  two.sites[0].caller = {"/bin/a", 2};
  const Expected<Profile> both = mergeProfiles({one, two});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->sites.size(), one.sites.size() + 1);
}

TEST(Merge, RefusesToMixTimesAndCounts) {
  Profile counters = sampleProfile();
  counters.flags |= format::runCountersOnly;
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), counters});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, ::testing::HasSubstr("counters_only"));
  EXPECT_FALSE(mergeProfiles({}));
}
