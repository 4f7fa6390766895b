// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/RepeatedRuns.h"
#include "advisor/profile/merge/Merge.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// The `number`th run of a command; each takes a second.
Profile runOf(std::uint64_t number, double holdNs, double localNs) {
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadMutex);
  b.lock(lock, 0x10, 1000);
  const std::size_t run = b.section(worker, b.site("run()", 5), lock, 1000, holdNs);
  b.transition(worker, run, run, 999, localNs);
  b.profile.command = "program";
  b.profile.startUnixNs = number * 2'000'000'000;
  b.profile.durationNs = 1e9;
  return b.profile;
}

std::vector<Profile> runsOf(const std::vector<std::pair<double, double>> &times) {
  std::vector<Profile> runs;
  for (const auto &[holdNs, localNs] : times)
    runs.push_back(runOf(runs.size() + 1, holdNs, localNs));
  return runs;
}

} // namespace

TEST(RepeatedRuns, AreOfOneCommandOneAfterTheOther) {
  std::vector<Profile> runs = runsOf({{100, 500}, {100, 500}});
  EXPECT_TRUE(areRepeated(runs));
  EXPECT_FALSE(areRepeated({runs.front()}));
  runs[1].startUnixNs = runs[0].startUnixNs + 1000; // two processes of one run
  EXPECT_FALSE(areRepeated(runs));
  runs = runsOf({{100, 500}, {100, 500}});
  runs[1].command = "program --another";
  EXPECT_FALSE(areRepeated(runs));
  runs = runsOf({{100, 500}, {100, 500}});
  runs[1].flags |= format::runCountersOnly;
  EXPECT_FALSE(areRepeated(runs));
}

TEST(RepeatedRuns, OfWhichOneIsDisturbedSayWhatTheOthersSay) {
  for (const std::size_t disturbed : {0u, 1u, 2u}) {
    std::vector<std::pair<double, double>> times{{100, 500}, {104, 510}, {102, 505}};
    times[disturbed] = {400, 2000};
    std::vector<Profile> runs = runsOf(times);
    EXPECT_EQ(removeDisturbances(runs), 1u);
    const Profile merged = *mergeProfiles(runs);
    ASSERT_EQ(merged.sections.size(), 1u);
    EXPECT_EQ(merged.sections[0].acquisitions, 3000u);
    EXPECT_EQ(merged.sections[0].hold.count, 2000u);
    EXPECT_NEAR(merged.sections[0].hold.mean, 102, 3);
    EXPECT_EQ(merged.transitions[0].local.count, 3u * 999);
    EXPECT_NEAR(merged.transitions[0].local.mean, 505, 6);
  }
}

/// What is left of a disturbed run is the same share of it as all was of the whole.
TEST(RepeatedRuns, AreShorterByWhatIsLeftOut) {
  std::vector<Profile> runs = runsOf({{100, 500}, {400, 2000}, {102, 505}});
  for (Profile &run : runs) {
    run.threadClasses[0].aliveNs = 9e8;
    run.threadClasses[0].blockedNs = 1e8;
    run.transitions[0].blocked = {999, 200, 999 * 400.0, 150, 250};
    run.locks[0].heldNs = 1000 * run.sections[0].hold.mean;
    run.onProcessorNs = 8e8;
    run.runDelayNs = 1e8;
  }
  EXPECT_EQ(removeDisturbances(runs), 1u);
  const Profile &run = runs[1];
  const double left = (1000 * 102 + 999 * 505) / (1000 * 400 + 999 * 2000.0);
  EXPECT_NEAR(run.durationNs, 1e9 * left, 1);
  EXPECT_NEAR(run.threadClasses[0].aliveNs, 9e8 * left, 1);
  EXPECT_NEAR(run.threadClasses[0].blockedNs, 1e8 * left, 1);
  const Moments &blocked = run.transitions[0].blocked;
  EXPECT_EQ(blocked.count, 999u);
  EXPECT_NEAR(blocked.mean, 200 * left, 1e-9);
  EXPECT_NEAR(std::sqrt(blocked.variance()), 20 * left, 1e-9);
  EXPECT_NEAR(blocked.min, 150 * left, 1e-9);
  EXPECT_NEAR(blocked.max, 250 * left, 1e-9);
  EXPECT_NEAR(run.locks[0].heldNs / run.durationNs, 400'000 / 1e9, 1e-12) << "utilization";
  // Of the 1.8 ms that are left out, some may be the wait for a processor.
  const double removedNs = 1000 * (400 - 102) + 999 * (2000 - 505);
  EXPECT_NEAR(run.runDelayNs, std::min(1e8 * left, 1e8 - removedNs), 1);
  EXPECT_NEAR(run.onProcessorNs + run.runDelayNs, 9e8 * left, 1);
  EXPECT_EQ(runs[0].durationNs, 1e9);
}

TEST(RepeatedRuns, KeepTheirWindowsUnlessMuchIsLeftOut) {
  std::vector<Profile> runs = runsOf({{100, 500}, {130, 500}, {400, 500}, {100, 500}, {100, 500}});
  for (Profile &run : runs)
    run.windows.push_back({0, 1e9, {}, {}});
  EXPECT_EQ(removeDisturbances(runs), 2u);
  EXPECT_EQ(runs[1].windows.size(), 1u) << "a twentieth";
  EXPECT_TRUE(runs[2].windows.empty());
}

TEST(RepeatedRuns, OfWhichNoneIsDisturbedStayAsTheyAre) {
  std::vector<Profile> runs = runsOf({{100, 500}, {110, 550}, {90, 460}, {2, 4}, {3.9, 5}});
  runs.resize(3);
  EXPECT_EQ(removeDisturbances(runs), 0u);
  EXPECT_EQ(mergeProfiles(runs)->sections[0].hold.count, 3000u);
  std::vector<Profile> shortOnes = runsOf({{1, 4}, {2.9, 5.5}, {1.5, 4}}); // below the resolution
  EXPECT_EQ(removeDisturbances(shortOnes), 0u);
}

TEST(RepeatedRuns, OfTwoTheShorterOneCounts) {
  std::vector<Profile> runs = runsOf({{400, 500}, {100, 500}});
  EXPECT_EQ(removeDisturbances(runs), 1u);
  EXPECT_EQ(mergeProfiles(runs)->sections[0].hold.mean, 100);
}

/// Busy programs beside most of the runs make them all alike, and longer.
TEST(RepeatedRuns, OfWhichMostWaitedForProcessorsSayWhatTheOthersSay) {
  std::vector<Profile> runs = runsOf({{4000, 500}, {4100, 510}, {100, 505}});
  for (Profile &run : runs)
    run.onProcessorNs = 1e9;
  runs[0].runDelayNs = runs[1].runDelayNs = 1e9;
  EXPECT_EQ(removeDisturbances(runs), 2u);
  Profile merged = *mergeProfiles(runs);
  EXPECT_EQ(merged.sections[0].acquisitions, 3000u);
  EXPECT_EQ(merged.sections[0].hold.count, 1000u);
  EXPECT_NEAR(merged.sections[0].hold.mean, 100, 3);
  EXPECT_FALSE(merged.isDelayed()) << "what waited is not in it";
  const auto left = [](double holdNs, double localNs) {
    return (1000 * 100 + 999 * localNs) / (1000 * holdNs + 999 * localNs);
  };
  EXPECT_NEAR(merged.onProcessorNs, 1e9 + 2e9 * (left(4000, 500) + left(4100, 510)), 1e4)
      << "what they wanted besides is";
  // Where all did, nobody knows better.
  runs = runsOf({{4000, 500}, {4100, 510}, {3900, 505}});
  for (Profile &run : runs)
    run.onProcessorNs = run.runDelayNs = 1e9;
  EXPECT_EQ(removeDisturbances(runs), 0u);
  EXPECT_NEAR(mergeProfiles(runs)->runDelayShare(), 0.5, 1e-9);
}
