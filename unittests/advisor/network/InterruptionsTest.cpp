// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times that threads did not run: what a recording leaves out of them, and what it keeps.
#include "advisor/network/construction/Preemption.h"
#include "unittests/advisor/network/Constructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

/// So many sections, and so much local computation between them, took 4 ms.
void addDelays(Profile &profile, std::uint64_t sections, std::uint64_t locals) {
  ProfiledSection &section = profile.sections[0];
  section.hold.merge(constant(sections, 4e6));
  addToHistogram(section.holdHistogram, 4e6, sections);
  ProfiledTransition &local = profile.transitions[1];
  local.local.merge(constant(locals, 4e6));
  addToHistogram(local.localHistogram, 4e6, locals);
}

} // namespace

TEST(Interruptions, LeavesOutTimesInWhichTheThreadDidNotRun) {
  ProfileBuilder b = loop(100000, 200, 800);
  // Preempted as often as its share of the time explains: 3 of 15.
  addDelays(b.profile, 3, 12);
  const Construction construction = construct(b.profile);
  EXPECT_NEAR(construction.network.sections[0].hold.mean, 200, 200 * 0.02);
  EXPECT_NEAR(construction.network.transitions[0].local.mean, 790, 800 * 0.02);
  EXPECT_LT(construction.network.sections[0].hold.cv, 0.1);
  EXPECT_LT(skewnessOf(construction.network.sections[0].hold), 1);
  EXPECT_THAT(construction.notes, Contains(HasSubstr("15 times of over 20 us")));
}

TEST(Interruptions, SaysHowMuchIsLeftOutInUnitsThatSuitIt) {
  EXPECT_EQ(preemptionNote({1, 78e3}), "1 time of over 20 us, 78 us in all, looks like an "
                                       "interrupt or the scheduler's and is left out");
  EXPECT_EQ(preemptionNote({785, 75e6}), "785 times of over 20 us, 75 ms in all, look like "
                                         "interrupts or the scheduler's and are left out");
}

/// Of sections that take longer than an interrupt, nobody can take out what they were delayed.
TEST(Interruptions, KnowsWhichSectionsMayHaveWaitedForAProcessor) {
  for (const double holdNs : {200.0, 40e3})
    for (const double delayNs : {0.0, 0.1e9, 0.9e9}) {
      ProfileBuilder b = loop(100000, holdNs, 800);
      b.profile.onProcessorNs = 1e9;
      b.profile.runDelayNs = delayNs;
      const Construction construction = construct(b.profile);
      const bool waited = delayNs > 0.5e9;
      EXPECT_EQ(construction.network.sections[0].delayed, waited && holdNs > 20e3);
      EXPECT_THAT(
          construction.notes,
          Contains(HasSubstr("waited for a processor for 47 % of the time")).Times(waited ? 1 : 0));
    }
}

/// Hooks are taken out of times. But threads spend time in them, and lose their core there, too.
TEST(Interruptions, LeavesOutPreemptionsInsideOfHooks) {
  ProfileBuilder b = loop(100000, 0.5, 30);
  addDelays(b.profile, 8, 12);
  b.profile.hookNs = 0; // of 30.5 ns, half a nanosecond explains none
  EXPECT_GT(construct(b.profile).network.sections[0].hold.mean, 100);
  b.profile.hookNs = 12;
  EXPECT_LT(construct(b.profile).network.sections[0].hold.mean, 2);
}

TEST(Interruptions, KeepsLongTimesThatBelongToASection) {
  // A table that grows under its lock: all of the long times are here.
  ProfileBuilder b = loop(100000, 200, 800);
  addDelays(b.profile, 15, 0);
  const Construction construction = construct(b.profile);
  EXPECT_NEAR(construction.network.sections[0].hold.mean, b.profile.sections[0].hold.mean, 1e-9);
}

/// A queue of jobs, many short ones and a few of 4 ms, and nothing else that the thread does: long
/// times strike in proportion to time whatever they are.
TEST(Interruptions, KeepsLongTimesThatWouldBeMoreThanAThreadCanHaveLost) {
  for (const double waited : {0.0, 0.3, 0.7}) {
    ProfileBuilder b = loop(100000, 1, 800);
    addDelays(b.profile, 0, 80); // four fifths of its time
    b.profile.onProcessorNs = (1 - waited) * 0.4e9;
    b.profile.runDelayNs = waited * 0.4e9;
    const double mean = construct(b.profile).network.transitions[0].local.mean;
    if (waited > 0.5)
      EXPECT_NEAR(mean, 790, 800 * 0.02) << waited;
    else
      EXPECT_NEAR(mean, 4000, 4000 * 0.02) << waited;
  }
}
