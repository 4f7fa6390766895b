// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/MemoryJson.h"
#include "advisor/report/MemoryText.h"
#include "advisor/report/ProfileJson.h"
#include "advisor/report/ProfileText.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

using Json = nlohmann::ordered_json;

/// A thousand executions of 1234 instructions.
SectionMemory traced() {
  SectionMemory memory;
  memory.executions = 1000;
  memory.instructions = 1234000;
  memory.reads = 20000;
  memory.writes = 5000;
  memory.atomics = 10;
  memory.stackAccesses = 3500;
  memory.sharedAccesses = 10000;
  memory.locationsRead = 12500;
  memory.locationsWritten = 1490;
  memory.linesRead = 3000;
  memory.linesWritten = 1000;
  memory.others = {2000, 400, 1000, 600, 1500};
  memory.lines[0] = memory.lines[1] = 1;
  return memory;
}

/// The sample, with `Db::get` traced, which waited for half of its thread's second.
Profile tracedProfile() {
  Profile profile = sampleProfile();
  profile.sections[1].memory = traced();
  profile.sections[1].contended = 800;
  profile.sections[1].waitContended = constant(800, 625000);
  profile.threadClasses[1].maxAlive = 2;
  return profile;
}

std::string textOf(const Profile &profile) {
  const ProfileSummary summary = summarize(profile);
  return memoryText(profile, summary, optimisticProgram(profile, summary), {});
}

Json jsonOf(const Profile &profile) {
  const ProfileSummary summary = summarize(profile);
  Json document = profileReportJson(profile, summary);
  addOptimisticJson(document, optimisticProgram(profile, summary), profile, summary);
  return document;
}

/// The words of the `number`th line that ends with `label`.
std::vector<std::string> lineOf(const std::string &text, const std::string &label, int number = 1) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < label.size() || line.substr(line.size() - label.size()) != label ||
        --number > 0)
      continue;
    std::istringstream words(line.substr(0, line.size() - label.size()));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

} // namespace

TEST(MemoryText, IsNothingWithoutAMemoryTrace) {
  const Profile profile = sampleProfile();
  EXPECT_EQ(textOf(profile), "");
  EXPECT_THAT(profileReportText(profile, summarize(profile), {}, {}), Not(HasSubstr("MEMORY")));
}

TEST(MemoryText, HasWhatASectionDoesToMemory) {
  const std::string text = textOf(tracedProfile());
  EXPECT_THAT(text, HasSubstr("\nMEMORY\n"));
  std::istringstream lines(text.substr(text.find("db.cc:42 Db::get\n")));
  std::string place, figures;
  std::getline(lines, place);
  std::getline(lines, figures);
  std::istringstream words(figures);
  EXPECT_THAT((std::vector<std::string>{std::istream_iterator<std::string>(words), {}}),
              ElementsAre("1234", "20.0", "5.00", "3.50", "12.5", "1.49", "3.00", "1.00", "2.00",
                          "40.0%", "10.0%", "15.0%"));
  EXPECT_THAT(text, Not(HasSubstr("db.cc:57"))) << "which was not traced";
}

TEST(MemoryText, SaysWhereOneThreadStandsInForOthers) {
  Profile profile = tracedProfile();
  EXPECT_THAT(textOf(profile), Not(HasSubstr("stand in")));
  std::swap(profile.sections[1].memory->others, profile.sections[1].memory->own);
  EXPECT_THAT(textOf(profile), HasSubstr("Executions of one thread stand in for other threads'."));
  profile.sections[3].memory = traced();
  EXPECT_THAT(textOf(profile),
              HasSubstr("At Db::m, executions of one thread stand in for other threads'."));
}

TEST(MemoryText, ShowsNoConflictsWhereNothingWasCompared) {
  Profile profile = tracedProfile();
  profile.sections[1].memory->others = {};
  const std::string text = textOf(profile);
  EXPECT_THAT(text, HasSubstr(" 40.0%     -     -"));
  EXPECT_THAT(text, Not(HasSubstr("takes times")));
  EXPECT_THAT(text, Not(HasSubstr("stand in")));
}

TEST(MemoryText, HasWhatOptimisticConcurrencyWouldBring) {
  const std::string all = textOf(tracedProfile());
  EXPECT_THAT(all, HasSubstr("\nOPTIMISTIC CONCURRENCY\n"));
  const std::string text = all.substr(all.find("\nOPTIMISTIC CONCURRENCY\n"));
  // Two workers: one waits for the other, and one in ten executions conflicts.
  EXPECT_THAT(lineOf(text, "db.cc:42 Db::get"),
              ElementsAre("1.00", "10.0%", "25.0%", "50.0%", "0.0%", "2.00"));
  // The lock is taken by main, too.
  EXPECT_THAT(lineOf(text, " serve"), ElementsAre("50.0%", "0.0%", "2.00"));
  EXPECT_THAT(lineOf(text, " main"), ElementsAre("0.0%", "0.0%", "1.00"));
  EXPECT_THAT(text, HasSubstr("Maximum OCC efficiency 25.0%: "));
  EXPECT_THAT(text, HasSubstr("program: 1.33."));
}

TEST(MemoryText, NeedsTimesForThat) {
  Profile profile = tracedProfile();
  profile.flags |= format::runCountersOnly | format::runMemory;
  EXPECT_THAT(textOf(profile), AllOf(HasSubstr("MEMORY"), Not(HasSubstr("OPTIMISTIC")),
                                     HasSubstr("takes times to tell")));
}

TEST(MemoryText, StaysWithinEightyColumns) {
  Profile profile = tracedProfile();
  for (std::uint64_t format::MemoryEntry::*sum :
       {&format::MemoryEntry::instructions, &format::MemoryEntry::reads,
        &format::MemoryEntry::writes, &format::MemoryEntry::stackAccesses,
        &format::MemoryEntry::locationsRead, &format::MemoryEntry::locationsWritten,
        &format::MemoryEntry::linesRead, &format::MemoryEntry::linesWritten})
    (*profile.sections[1].memory).*sum = 9'999'999'499;
  profile.sections[1].waitContended = constant(800, 2e9);
  std::istringstream lines(textOf(profile));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
}

TEST(MemoryJson, HasTheSchemaOfTheDocumentation) {
  const Json site = jsonOf(tracedProfile())["locks"][0]["sites"][0];
  Json memory = site["memory"];
  EXPECT_NEAR(memory["distinct_cache_lines"], 2, 0.1);
  memory.erase("distinct_cache_lines");
  EXPECT_EQ(memory, Json({{"executions", 1000},
                          {"instructions", 1234.0},
                          {"reads", 20.0},
                          {"writes", 5.0},
                          {"atomics", 0.01},
                          {"stack_accesses", 3.5},
                          {"locations", 13.99},
                          {"locations_written", 1.49},
                          {"cache_lines", 4.0},
                          {"cache_lines_written", 1.0},
                          {"shared_share", 0.4},
                          {"conflict_probability", 0.1},
                          {"false_conflict_probability", 0.15},
                          {"conflict_locations", 1.5},
                          {"conflict_cache_lines", 1.5},
                          {"pairs", "other_threads"},
                          {"pairs_compared", 2000.0}}));
  EXPECT_NEAR(site["optimistic"]["waits"], 1, 1e-9);
  EXPECT_NEAR(site["optimistic"]["conflict_probability"], 0.1, 1e-9);
  EXPECT_NEAR(site["optimistic"]["line_conflict_probability"], 0.25, 1e-9);
  const Json threads = site["optimistic"]["threads"];
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0]["class"], "serve");
  EXPECT_NEAR(threads[0]["wait_share"], 0.5, 1e-9);
  EXPECT_NEAR(threads[0]["section_share"], 0.00032, 1e-9);
  EXPECT_NEAR(threads[0]["benefit"], 0.5 - 0.00032 / 9, 1e-9);
  EXPECT_NEAR(threads[0]["speedup"], 1 / (0.5 + 0.00032 / 9), 1e-9);
}

TEST(MemoryJson, HasNullForWhatIsNotKnown) {
  Profile profile = tracedProfile();
  EXPECT_NEAR(jsonOf(profile)["optimistic"]["efficiency"], 0.25, 1e-4);
  EXPECT_NEAR(jsonOf(profile)["optimistic"]["speedup"], 4. / 3, 1e-3);
  EXPECT_FALSE(jsonOf(profile)["locks"][0]["sites"][1].contains("memory"));
  EXPECT_FALSE(jsonOf(profile)["locks"][1].contains("optimistic"));
  profile.sections[1].memory->others = {};
  const Json memory = jsonOf(profile)["locks"][0]["memory"];
  EXPECT_TRUE(memory["conflict_probability"].is_null());
  EXPECT_TRUE(memory["pairs"].is_null());
  EXPECT_TRUE(jsonOf(profile)["optimistic"].is_null());
  profile.sections[1].memory->own = {10, 10, 10, 10, 10};
  EXPECT_EQ(jsonOf(profile)["locks"][0]["memory"]["pairs"], "own_executions");
}
