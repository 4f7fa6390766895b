// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/ProfileReport.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const Profile &profile, bool colour = false) {
  return profileReportText(profile, summarize(profile), TextStyle{colour});
}

Json jsonOf(const Profile &profile) { return profileReportJson(profile, summarize(profile)); }

std::vector<std::string> keys(const Json &json) {
  std::vector<std::string> result;
  for (const auto &[key, value] : json.items())
    result.push_back(key);
  return result;
}

/// The words of the line that holds `text`.
std::vector<std::string> lineWith(const std::string &report, const std::string &text) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(text) == std::string::npos)
      continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

} // namespace

TEST(ReportText, HasTheFiguresOfALockAndOfItsSitesUnderIt) {
  const std::string text = textOf(sampleProfile());
  EXPECT_THAT(lineWith(text, "Db::m"), ElementsAre("0.0%", "0.0%", "460", "ns", "900", "ns", "10",
                                                   "ns", "10", "ns", "1001", "Db::m"));
  EXPECT_THAT(lineWith(text, "db.cc:42"),
              ElementsAre("0.0%", "0.0%", "400", "ns", "400", "ns", "10", "ns", "10", "ns", "800",
                          "db.cc:42", "Db::get"));
  EXPECT_LT(text.find("Db::m"), text.find("db.cc:42"));
  EXPECT_LT(text.find("db.cc:57"), text.find("Log::m")) << "the longest held comes first";
}

TEST(ReportText, FitsEightyColumns) {
  Profile profile = sampleProfile();
  profile.lockClasses[0].name = "a_rather_long_namespace::Container<int>::Shard::mutex_";
  profile.sites[1].file = "src/a_file_with_a_rather_long_name_too.cc";
  profile.sites[0].function = "a_rather_long_namespace::Container<int>::Shard::lookup_or_insert()";
  std::istringstream lines(textOf(profile));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(textOf(profile), HasSubstr("a_rather_long_namespace::Container<int>::Shard::mutex_"))
      << "the name of a lock is never cut";
  EXPECT_THAT(textOf(profile), HasSubstr("..:57\n")) << "nor is a line's number";
}

TEST(ReportText, SaysWhatWasMeasuredAndListsWhatWasNot) {
  const std::string text = textOf(sampleProfile());
  EXPECT_THAT(text, HasSubstr("kvtest: 1.000 s measured on lab"));
  EXPECT_THAT(text, HasSubstr("Threads: 1 main, 1 serve"));
  EXPECT_THAT(text, HasSubstr("Not executed: 1 critical section\n  src/db.cc:77 Db::drop\n"));
  EXPECT_THAT(text, Not(HasSubstr("note:")));
  Profile incomplete = sampleProfile();
  incomplete.dropped = 5;
  EXPECT_THAT(textOf(incomplete), HasSubstr("note: 5 events were dropped"));
}

TEST(ReportText, SaysSoWhereNoLockWasTaken) {
  EXPECT_THAT(textOf(ProfileBuilder().profile), HasSubstr("No lock was acquired"));
}

TEST(ReportText, ShowsNoTimesWhereNoneWereTaken) {
  Profile profile = sampleProfile();
  profile.flags |= format::runCountersOnly;
  EXPECT_THAT(lineWith(textOf(profile), "Db::m"),
              ElementsAre("-", "0.0%", "-", "-", "-", "-", "1001", "Db::m"));
}

TEST(ReportText, IsColouredOnlyWhenAsked) {
  EXPECT_THAT(textOf(sampleProfile()), Not(HasSubstr("\033")));
  EXPECT_THAT(textOf(sampleProfile(), true), HasSubstr("\033[1mDb::m\033[0m"));
}

TEST(ReportJson, HasTheFieldsOfItsSchema) {
  const Json json = jsonOf(sampleProfile());
  EXPECT_THAT(keys(json), ElementsAre("program", "duration_s", "threads", "dropped", "unmatched",
                                      "locks", "not_executed", "findings"));
  EXPECT_EQ(json["findings"], Json::array());
  EXPECT_EQ(json["threads"][1],
            (Json{{"class", "serve"}, {"start", "src/server.cc:90"}, {"count", 1}}));
  const Json &lock = json["locks"][0];
  EXPECT_THAT(keys(lock), ElementsAre("name", "class", "type", "kind", "instances", "acquisitions",
                                      "contended", "distribution", "utilization", "hold_ns",
                                      "wait_ns", "wait_contended_ns", "sites"));
  EXPECT_THAT(keys(lock["distribution"][0]), ElementsAre("acquisitions_from", "acquisitions_to",
                                                         "instances", "acquisitions", "contended"));
  EXPECT_EQ(lock["class"], "src/db.h:10:14");
  EXPECT_THAT(keys(lock["hold_ns"]), ElementsAre("mean", "cv", "min", "p50", "p99", "max"));
  EXPECT_THAT(keys(lock["wait_ns"]), ElementsAre("mean", "max"));
  EXPECT_THAT(keys(lock["wait_contended_ns"]), ElementsAre("mean"));
  EXPECT_THAT(keys(lock["sites"][0]),
              ElementsAre("file", "line", "column", "function", "mode", "acquisitions", "contended",
                          "try_failures", "hold_ns", "wait_ns", "wait_contended_ns", "facts"));
  EXPECT_EQ(json["not_executed"][0], (Json{{"file", "src/db.cc"},
                                           {"line", 77},
                                           {"column", 5},
                                           {"function", "Db::drop()"},
                                           {"expression", "m"}}));
}

TEST(ReportJson, NamesTheFactsOfASection) {
  Profile profile = sampleProfile();
  EXPECT_TRUE(jsonOf(profile)["locks"][0]["sites"][0]["facts"].is_null());
  profile.sites[0].facts = factsKnown;
  EXPECT_EQ(jsonOf(profile)["locks"][0]["sites"][0]["facts"], Json::array());
  profile.sites[0].facts = factsKnown | factReturns | factCallsUnknown;
  EXPECT_EQ(jsonOf(profile)["locks"][0]["sites"][0]["facts"],
            Json::array({"returns", "calls_unknown"}));
}

TEST(ReportJson, HasTheFigures) {
  const Json json = jsonOf(sampleProfile());
  const Json &lock = json["locks"][0];
  EXPECT_EQ(json["duration_s"], 1.0);
  EXPECT_EQ(lock["acquisitions"], 1001);
  EXPECT_NEAR(lock["hold_ns"]["mean"].get<double>(), 460900.0 / 1001, 1e-9);
  EXPECT_EQ(lock["hold_ns"]["min"], 400.0);
  EXPECT_EQ(lock["hold_ns"]["max"], 900.0);
  EXPECT_NEAR(lock["hold_ns"]["p50"].get<double>(), 400, 400 * 0.05);
  EXPECT_EQ(lock["sites"][1]["acquisitions"], 201);
}

TEST(ReportJson, SeparatesTheModesOfASite) {
  Profile profile = sampleProfile();
  profile.sections[2].shared = true; // Db::put by workers; main's stays exclusive
  const Json json = jsonOf(profile);
  std::vector<std::string> modes;
  for (const Json &site : json["locks"][0]["sites"])
    if (site["line"] == 57)
      modes.push_back(site["mode"]);
  EXPECT_THAT(modes, ::testing::UnorderedElementsAre("shared", "exclusive"));
}

TEST(ReportJson, HasNullForTimesThatWereNotTaken) {
  Profile profile = sampleProfile();
  profile.flags |= format::runCountersOnly;
  const Json json = jsonOf(profile);
  EXPECT_TRUE(json["locks"][0]["hold_ns"].is_null());
  EXPECT_TRUE(json["locks"][0]["utilization"].is_null());
  EXPECT_EQ(json["locks"][0]["acquisitions"], 1001);
}

TEST(ReportJson, PrintsTextThatIsNotUtf8) {
  Profile profile = sampleProfile();
  profile.sites[0].file = "src/caf\xe9.cc";
  EXPECT_THAT(printJson(jsonOf(profile)), HasSubstr("src/caf\xEF\xBF\xBD.cc"));
}
