// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileJson.h"
#include "advisor/report/findings/FindingsJson.h"
#include "advisor/report/findings/FindingsText.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;

namespace {

/// Two workers, of which each finds the lock of the sample taken half of the time.
Profile contendedProfile() {
  Profile profile = sampleProfile();
  profile.threadClasses[1].maxAlive = 2;
  for (ProfiledSection &section : profile.sections) {
    section.contended = section.lockClass == 0 ? section.acquisitions / 2 : 0;
    if (section.contended > 0)
      section.wait = constant(section.acquisitions, 1e5);
  }
  return profile;
}

std::vector<Finding> findingsOf(const Profile &profile) {
  return qdadvise::findingsOf(profile, summarize(profile), {});
}

nlohmann::ordered_json jsonOf(const Profile &profile) {
  const ProfileSummary summary = summarize(profile);
  nlohmann::ordered_json document = profileReportJson(profile, summary);
  addFindingsJson(document, findingsOf(profile), profile, summary, {});
  return document;
}

} // namespace

TEST(FindingsText, SaysWhatWhereAndWhatToDo) {
  const Profile profile = contendedProfile();
  EXPECT_EQ(findingsText(findingsOf(profile), profile, {}),
            "Findings, the costliest first:\n"
            "\n"
            "Db::m: high-contention (Q2)\n"
            "  found taken in 50% of acquisitions; taken 1001 times, 1001 a second; waiting\n"
            "  for it took 5.0% of the threads' time\n"
            "  - improper-primitives: if its sections only update one integer: make that\n"
            "    integer atomic and drop the lock\n"
            "  - improper-granularity: if it protects data that has little to do with each\n"
            "    other: give each part a lock of its own\n"
            "  - over-synchronization: if its sections touch nothing that threads share:\n"
            "    remove it\n"
            "  at src/db.cc:42 Db::get, src/db.cc:57 Db::put\n");
}

TEST(FindingsText, IsNothingWhereNothingIsWrong) {
  Profile profile = sampleProfile();
  profile.durationNs = 1e10;
  EXPECT_EQ(findingsText(findingsOf(profile), profile, {}), "");
}

TEST(FindingsText, ShowsTheFiveCostliest) {
  const Profile profile = contendedProfile();
  const std::vector<Finding> seven(7, findingsOf(profile).at(0));
  const std::string text = findingsText(seven, profile, {});
  EXPECT_THAT(text, EndsWith("\nand 2 more: --format json lists them all\n"));
  std::size_t shown = 0;
  for (std::size_t at = text.find("Db::m:"); at != std::string::npos;
       at = text.find("Db::m:", at + 1))
    ++shown;
  EXPECT_EQ(shown, 5u);
}

TEST(FindingsText, ShowsHowThreadsAreBestAssigned) {
  Profile profile = sampleProfile();
  profile.threadClasses.push_back({"rank(void*)", "src/rank.cc", 7, 2, 2, false, 2e9, 0});
  profile.threadClasses[1].count = profile.threadClasses[1].maxAlive = 2;
  profile.threadClasses[1].aliveNs = 2e9;
  profile.threadClasses[1].blockedNs = 1.4e9;
  const std::string text = findingsText(findingsOf(profile), profile, {});
  EXPECT_THAT(text, HasSubstr("load-imbalance\n"));
  EXPECT_THAT(text, HasSubstr("  computes   waits  threads  exact  best\n"
                              "     30.0%   70.0%        2    0.9     1  serve\n"
                              "    100.0%    0.0%        2    3.1     3  rank\n"));
  EXPECT_THAT(text, HasSubstr("at src/server.cc:90, src/rank.cc:7\n"));
}

TEST(FindingsJson, HasTheSchemaOfTheDocumentation) {
  const nlohmann::ordered_json document = jsonOf(contendedProfile());
  ASSERT_EQ(document["findings"].size(), 1u);
  const nlohmann::ordered_json &finding = document["findings"][0];
  EXPECT_EQ(finding["id"], "high-contention");
  EXPECT_EQ(finding["quadrant"], "Q2");
  EXPECT_EQ(finding["lock"], "Db::m");
  EXPECT_EQ(finding["sites"], nlohmann::ordered_json({"src/db.cc:42", "src/db.cc:57"}));
  EXPECT_EQ(finding["numbers"]["acquisitions"], 1001);
  EXPECT_EQ(finding["causes"][1]["id"], "much-data");
  EXPECT_EQ(finding["causes"][1]["category"], "improper-granularity");
  EXPECT_EQ(finding["causes"][1]["verdict"], "open");
  EXPECT_EQ(finding["remedies"].size(), finding["causes"].size());
  EXPECT_FALSE(finding.contains("threads"));
}

TEST(FindingsJson, SaysInWhichQuadrantEachLockAndSiteIs) {
  Profile profile = contendedProfile();
  const nlohmann::ordered_json locks = jsonOf(profile)["locks"];
  EXPECT_EQ(locks[0]["quadrant"], "Q2");
  EXPECT_EQ(locks[0]["sites"][0]["quadrant"], "Q1");
  EXPECT_EQ(locks[1]["quadrant"], "Q3");
  profile.maxThreads = 1;
  EXPECT_EQ(jsonOf(profile)["locks"][0]["quadrant"], "Q4");
}
