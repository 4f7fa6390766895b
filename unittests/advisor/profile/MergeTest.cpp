// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/format/Decode.h"
#include "advisor/profile/format/Encode.h"
#include "advisor/profile/summary/ClosedLocks.h"
#include "unittests/advisor/profile/RandomProfiles.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
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

TEST(Merge, AddsTheBarriersOnTheWayFromSectionToSection) {
  Profile run = sampleProfile();
  run.transitions[1].barriers = 3;
  const Expected<Profile> merged = mergeProfiles({run, run, sampleProfile()});
  ASSERT_TRUE(merged) << merged.error().message;
  std::uint64_t barriers = 0;
  for (const ProfiledTransition &way : merged->transitions)
    barriers += way.barriers;
  EXPECT_EQ(barriers, 6u);
}

TEST(Merge, CountsRuns) {
  const Profile one = sampleProfile();
  const Expected<Profile> two = mergeProfiles({one, otherOrder()});
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(one.runs, 1u);
  EXPECT_EQ(two->runs, 2u);
  EXPECT_EQ(mergeProfiles({one, *two})->runs, 3u);
  Profile older = *two;
  older.runs = 0;
  EXPECT_EQ(mergeProfiles({one, older})->runs, 0u) << "nobody knows of how many that was";
  EXPECT_EQ(encodeProfile(*mergeProfiles({one, older})),
            encodeProfile(*mergeProfiles({older, one})));
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

TEST(Merge, IsTheSameInAnyOrderAndGrouping) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomProfiles profiles({12, 5, 3, 14, 20, 3, 2}, seed);
    std::vector<Profile> runs;
    for (std::size_t i = 0; i < 2 + seed % 6; ++i)
      runs.push_back(profiles.next());
    const Expected<Profile> atOnce = mergeProfiles(runs);
    ASSERT_TRUE(atOnce) << atOnce.error().message;
    const std::string expected = encodeProfile(*atOnce);
    for (int attempt = 0; attempt < 5; ++attempt) {
      // Any two or three at a time, through a file or not, until one is left.
      std::vector<Profile> rest = runs;
      while (rest.size() > 1) {
        std::shuffle(rest.begin(), rest.end(), random);
        const std::size_t count = std::min<std::size_t>(rest.size(), 2 + random() % 2);
        Expected<Profile> merged =
            mergeProfiles({rest.end() - static_cast<std::ptrdiff_t>(count), rest.end()});
        ASSERT_TRUE(merged) << merged.error().message;
        if (random() % 2)
          merged = decodeProfile(encodeProfile(*merged), "merged");
        ASSERT_TRUE(merged) << merged.error().message;
        rest.resize(rest.size() - count);
        rest.push_back(*merged);
      }
      ASSERT_EQ(encodeProfile(rest.front()), expected) << "seed " << seed;
    }
  }
}

TEST(Merge, IsExact) {
  RandomProfiles profiles({1, 1, 1, 1, 1, 1, 1}, 7);
  std::vector<Profile> runs;
  std::uint64_t acquisitions = 0;
  long double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    runs.push_back(profiles.next());
    runs.back().sites[0].sectionHash = 0;
    acquisitions += runs.back().sections[0].acquisitions;
    sum += static_cast<long double>(runs.back().sections[0].hold.sum());
  }
  const Expected<Profile> merged = mergeProfiles(runs);
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->sections.size(), 1u);
  const ProfiledSection &section = merged->sections[0];
  EXPECT_EQ(section.acquisitions, acquisitions);
  EXPECT_EQ(section.hold.count, acquisitions);
  const auto mean = static_cast<double>(sum / acquisitions);
  // Each run's sum is taken to the 1024th of a nanosecond.
  EXPECT_NEAR(section.hold.mean, mean,
              1000.0 / 2048 / static_cast<double>(acquisitions) + mean * 1e-15);
  long double squares = 0;
  for (const Profile &run : runs) {
    const Moments &hold = run.sections[0].hold;
    const long double off = static_cast<long double>(hold.mean) - sum / acquisitions;
    squares += static_cast<long double>(hold.m2) + static_cast<long double>(hold.count) * off * off;
  }
  EXPECT_NEAR(section.hold.m2 / static_cast<double>(squares), 1, 1e-12);
}

TEST(Merge, DoesNotTakeTheSumsOfFiguresThatWereChanged) {
  const Profile merged = *mergeProfiles({sampleProfile(), otherOrder()});
  Profile changed = merged;
  changed.sections[2].hold.mean *= 2;
  const Profile again = *mergeProfiles({changed, sampleProfile()});
  EXPECT_NEAR(again.sections[2].hold.mean, (2 * 240000 + 200 * 700) / 500.0, 1e-9);
}

TEST(Merge, LeavesWindowsWhereTheyWereInTime) {
  Profile early = otherOrder();
  early.startUnixNs = sampleProfile().startUnixNs - 3'000'000'000;
  early.windows.push_back({2e9, 5e8, {}, {}});
  const Expected<Profile> merged = mergeProfiles({sampleProfile(), early});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->windows.size(), 3u);
  EXPECT_EQ(merged->windows[0].startNs, 2e9);
  EXPECT_EQ(merged->windows[1].startNs, 3e9);
  EXPECT_EQ(merged->windows[2].startNs, 3.5e9);
  const ProfiledSection &section = merged->sections[merged->windows[1].sections[0].section];
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

TEST(Merge, TellsLocksOfThePastAsOneRunMadeThem) {
  Profile run = sampleProfile();
  run.closedLocks = {{0, 3, 1, 15, 4, 1000, 0}, {1, 1, 10, 25, 1, 0, 0}};
  Profile other = run;
  other.closedLocks[0] = {0, 4, 1, 17, 4, 1000, 0};
  const Expected<Profile> two = mergeProfiles({run, other});
  ASSERT_TRUE(two);
  const Expected<Profile> three =
      mergeProfiles({*decodeProfile(encodeProfile(*two), "two"), other});
  ASSERT_TRUE(three);
  const std::vector<ProfiledInstances> closed = closedLocksOfARun(*three);
  ASSERT_EQ(closed.size(), 2u);
  EXPECT_EQ(closed[0].instances, 1u);
  EXPECT_EQ(closed[0].acquisitions, 49u);
  EXPECT_EQ(closed[0].heldNs, 3000);
  EXPECT_EQ(closed[0].bucket, 5u);
  EXPECT_EQ(closed[1].instances, 10u);
  EXPECT_EQ(closed[1].acquisitions, 75u);
  EXPECT_EQ(closedLocksOfARun(run)[1].instances, 10u);
}

TEST(Merge, AddsWhoTakesLocks) {
  Profile one = sampleProfile(), two = otherOrder(), alone = sampleProfile();
  one.takers = {{0, 1, 4, 4, 1000, 1000, 5000, 5000}, {0, std::nullopt, 1, 0, 7, 0, 10, 0}};
  // Classes are in another order there.
  const auto named = [](const auto &classes, const std::string &name) {
    std::size_t found = 0;
    while (classes.at(found).name != name)
      ++found;
    return found;
  };
  two.takers = {{named(two.lockClasses, "Db::m"), named(two.threadClasses, "serve(int)"), 2, 1, 300,
                 200, 700, 600}};
  const Expected<Profile> merged = mergeProfiles({one, two, alone});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->takers.size(), 2u);
  EXPECT_FALSE(merged->takers[0].threadClass);
  const ProfiledTakers &both = merged->takers[1];
  EXPECT_EQ(merged->lockClasses[both.lockClass].name, "Db::m");
  EXPECT_EQ(merged->threadClasses[*both.threadClass].name, "serve(int)");
  EXPECT_EQ(both.runs, 2u);
  EXPECT_EQ(both.threads, 6u);
  EXPECT_EQ(both.owners, 5u);
  EXPECT_EQ(both.acquisitions, 1300u);
  EXPECT_EQ(both.ofOwned, 1200u);
  EXPECT_EQ(both.heldNs, 5700);
  EXPECT_EQ(encodeProfile(*merged), encodeProfile(*mergeProfiles({alone, two, one})));
}

TEST(Merge, KeepsTheRoundsOfAllCopies) {
  Profile one = sampleProfile(), two = otherOrder(), alone = sampleProfile();
  one.copies = {{"b", 2, 2, 3, 4}, {"b", 2, 2, 3, 5}};
  two.copies = {{"a", 4, 4, 1, 2}, {"b", 2, 2, 2, 9}};
  const Expected<Profile> merged = mergeProfiles({one, two, alone});
  ASSERT_TRUE(merged);
  const std::vector<ProfiledCopies> all = {
      {"a", 4, 4, 1, 2}, {"b", 2, 2, 2, 9}, {"b", 2, 2, 3, 4}, {"b", 2, 2, 3, 5}};
  EXPECT_EQ(merged->copies, all);
  EXPECT_EQ(encodeProfile(*merged), encodeProfile(*mergeProfiles({alone, two, one})));
}

TEST(Merge, AddsWhatNoHookToldOf) {
  Profile one = sampleProfile(), two = otherOrder(), alone = sampleProfile();
  one.unseen = {{"/lib/b.so", 3}, {"kvtest", 1}};
  two.unseen = {{"/lib/a.so", 5}, {"/lib/b.so", 4}};
  one.flags |= format::runCountsUnseen;
  const Expected<Profile> merged = mergeProfiles({one, two, alone});
  ASSERT_TRUE(merged);
  EXPECT_TRUE(merged->flags & format::runCountsUnseen);
  ASSERT_EQ(merged->unseen.size(), 3u);
  EXPECT_EQ(merged->unseen[0].module, "/lib/a.so");
  EXPECT_EQ(merged->unseen[1].acquisitions, 7u);
  EXPECT_EQ(merged->unseen[2].module, "kvtest");
  EXPECT_EQ(encodeProfile(*merged), encodeProfile(*mergeProfiles({alone, two, one})));
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
  EXPECT_THAT(merged.error().message, ::testing::HasSubstr("with and without times"));
  EXPECT_FALSE(mergeProfiles({}));
}
