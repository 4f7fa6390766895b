// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/MemoryTrace.h"
#include "advisor/profile/merge/Merge.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

SectionMemory reading(std::uint64_t reads) {
  SectionMemory memory;
  memory.executions = 1;
  memory.reads = reads;
  return memory;
}

/// The sample's sections: main's Db::put, the worker's Db::get and Db::put, and Log::add inside.
Profile diagnosisOfSample() {
  Profile profile = sampleProfile();
  profile.flags |= format::runMemory | format::runCountersOnly;
  return profile;
}

TEST(Diagnosis, GivesSectionsTheMemoryOfTheSameThreadsAndLock) {
  Profile diagnosis = diagnosisOfSample();
  diagnosis.sections[0].memory = reading(10); // main's
  diagnosis.sections[2].memory = reading(30); // the worker's, at the same place
  const Expected<Profile> joined = withMemoryTrace(sampleProfile(), diagnosis);
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->sections[0].memory->reads, 10u);
  EXPECT_FALSE(joined->sections[1].memory);
  EXPECT_EQ(joined->sections[2].memory->reads, 30u);
  EXPECT_FALSE(isMemoryTrace(*joined));
  EXPECT_EQ(joined->sections[2].hold.mean, 700) << "times stay the run's";
}

TEST(Diagnosis, TakesOtherThreadsWhereTheSameHaveNone) {
  Profile diagnosis = diagnosisOfSample();
  diagnosis.sections[0].memory = reading(10);
  const Expected<Profile> joined = withMemoryTrace(sampleProfile(), diagnosis);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->sections[2].memory->reads, 10u);
}

TEST(Diagnosis, TakesTheSameSectionInsideAnotherOneToo) {
  Profile diagnosis = diagnosisOfSample();
  diagnosis.sections[3].inside.reset();
  diagnosis.sections[3].memory = reading(7);
  const Expected<Profile> joined = withMemoryTrace(sampleProfile(), diagnosis);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->sections[3].memory->reads, 7u);
}

TEST(Diagnosis, IsRefusedWhereItHasTracedOtherCode) {
  Profile diagnosis = diagnosisOfSample();
  for (ProfiledSite &site : diagnosis.sites)
    site.file = "other.cc";
  diagnosis.sections[0].memory = reading(10);
  const Expected<Profile> joined = withMemoryTrace(sampleProfile(), diagnosis);
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message, ::testing::HasSubstr("compile both from the same source"));
}

TEST(Diagnosis, RunsAreMergedAndStayDiagnoses) {
  Profile diagnosis = diagnosisOfSample();
  diagnosis.sections[1].memory = reading(5);
  const Expected<Profile> both = mergeProfiles({diagnosis, diagnosis});
  ASSERT_TRUE(both);
  EXPECT_TRUE(isMemoryTrace(*both));
  const Expected<Profile> joined = withMemoryTrace(sampleProfile(), *both);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->sections[1].memory->reads, 10u);
  EXPECT_EQ(joined->sections[1].memory->executions, 2u);
}

} // namespace
