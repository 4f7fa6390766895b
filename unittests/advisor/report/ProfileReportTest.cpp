// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/JsonReporter.h"
#include "advisor/report/ProfileJson.h"
#include "advisor/report/ProfileText.h"
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

std::string textOf(const Profile &profile, const ReportView &view = {}, bool colour = false) {
  return profileReportText(profile, summarize(profile), view, TextStyle{colour});
}

Json jsonOf(const Profile &profile, const ReportView &view = {}) {
  return profileReportJson(profile, summarize(profile), view);
}

/// The sample, with 90 of the 800 calls of `Db::get` waiting, 2 us on average.
Profile contendedProfile() {
  Profile profile = sampleProfile();
  ProfiledSection &get = profile.sections[1];
  get.contended = 90;
  get.waitContended = momentsOf({1000, 2000, 3000});
  get.waitContended.count = 90;
  get.waitContended.m2 *= 30;
  return profile;
}

std::vector<std::string> keys(const Json &json) {
  std::vector<std::string> result;
  for (const auto &[key, value] : json.items())
    result.push_back(key);
  return result;
}

/// `Db::get`, the first site of the first lock, reached by one path and by others.
ProfileSummary summaryWithPaths(const Profile &profile) {
  ProfileSummary summary = summarize(profile);
  PathSummary known, others;
  known.frames = {{{"/bin/kvtest", 0x1000}, "", "", 0, true},
                  {{}, "Server::answer(int)", "src/server.cc", 12, false},
                  {{"/bin/kvtest", 0x1234}, "", "", 0, false},
                  {{}, "start_thread", "", 0, false}};
  known.measured.acquisitions = 600;
  known.measured.hold = constant(600, 400);
  known.measured.waitContended = constant(60, 2000);
  others.measured.acquisitions = 200;
  others.measured.hold = constant(200, 400);
  others.measured.waitContended = constant(30, 2000);
  summary.locks[0].sites[0].paths = {known, others};
  return summary;
}

/// From the first table on.
std::string tablesOf(const std::string &report) { return report.substr(report.find("---")); }

/// The words of the first line of a table that holds `text`.
std::vector<std::string> lineWith(const std::string &report, const std::string &text) {
  std::istringstream lines(tablesOf(report));
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
  const std::string text = textOf(contendedProfile());
  EXPECT_THAT(text, HasSubstr("SPINLOCKS AND MUTEXES\n"));
  EXPECT_THAT(lineWith(text, "Db::m"),
              ElementsAre("0.0%", "9.0%", "460ns(900ns)", "2.0us(3.0us)", "1001", "90", "Db::m"));
  EXPECT_THAT(lineWith(text, "db.cc:42"),
              ElementsAre("0.0%", "11.2%", "400ns(400ns)", "2.0us(3.0us)", "800", "90", "db.cc:42",
                          "Db::get"));
  EXPECT_THAT(lineWith(text, "db.cc:57"),
              ElementsAre("0.0%", "0.0%", "701ns(900ns)", "-", "201", "0", "db.cc:57", "Db::put"))
      << "nobody waited there";
  EXPECT_LT(text.find("Db::m\n"), text.find("db.cc:42"));
  EXPECT_LT(text.find("db.cc:57"), text.find("Log::m\n")) << "the longest held comes first";
}

TEST(Report, SaysOfHowManyRunsItIs) {
  Profile profile = sampleProfile();
  EXPECT_THAT(textOf(profile), HasSubstr("UTC, pid 4711\n"));
  EXPECT_EQ(jsonOf(profile)["runs"], 1);
  profile.runs = 3;
  EXPECT_THAT(textOf(profile), HasSubstr("UTC, 3 runs merged\n"));
  EXPECT_EQ(jsonOf(profile)["runs"], 3);
  profile.runs = 0; // merged when they were not counted
  EXPECT_THAT(textOf(profile), HasSubstr("several runs"));
  EXPECT_EQ(jsonOf(profile)["runs"], nullptr);
}

TEST(ReportText, SaysFirstWhichLocksCostMost) {
  // 90 waits of 2 us, in the 2 s of two threads of which 0.9 s were blocked.
  Profile profile = contendedProfile();
  profile.threadClasses[0].blockedNs = 9e8;
  profile.sections[3].contended = 10;
  profile.sections[3].waitContended = constant(10, 2000);
  EXPECT_THAT(
      textOf(profile),
      HasSubstr("\nWaited for locks: 0.0% of the 1.1 s that threads were not blocked; 90.0% "
                "of it\n  at Db::m, 10.0% of it at Log::m\n"));
  EXPECT_THAT(textOf(sampleProfile()), Not(HasSubstr("Waited for")));
}

TEST(ReportText, ShowsRatesInPlaceOfUtilizationIfAsked) {
  Profile profile = contendedProfile();
  EXPECT_THAT(textOf(profile), HasSubstr(" UTIL   CON"));
  const std::string text = textOf(profile, {.rate = true});
  EXPECT_THAT(text, HasSubstr(" RATE   CON"));
  EXPECT_THAT(lineWith(text, "Db::m")[0], "1001");
  profile.durationNs = 1e6;
  EXPECT_THAT(lineWith(textOf(profile, {.rate = true}), "Db::m")[0], "1001k");
}

TEST(ReportText, ShowsPercentilesInsteadOfMeanAndMaximumIfAsked) {
  Profile profile = contendedProfile();
  addToHistogram(profile.sections[1].waitHistogram, 3000, 90);
  profile.sections[1].wait.max = 3000;
  const std::string text = textOf(profile, {.percentiles = true});
  EXPECT_THAT(text, HasSubstr("P50   P90   P99"));
  EXPECT_THAT(lineWith(text, "db.cc:57"),
              ElementsAre("0.0%", "0.0%", "700ns", "702ns", "704ns", "10ns", "10ns", "10ns", "201",
                          "db.cc:57", "Db::put"));
  EXPECT_THAT(lineWith(text, "db.cc:42"), ::testing::Contains("3.0us"));
  EXPECT_THAT(text, HasSubstr("CON of TOTAL found the lock taken (SPIN)"));
}

/// The same, of a lock for readers and writers.
Profile sharedProfile() {
  Profile profile = contendedProfile();
  profile.sections[1].shared = true; // Db::get reads
  profile.lockClasses[0].readers = {3, 3.2e5, {4, 5e7, 0, 4e7, 6e7}};
  profile.sections[2].contended = 20; // Db::put of workers
  profile.sections[2].waitContended = constant(20, 4000);
  profile.sections[2].contendedByWriter = 5;
  profile.sections[2].waitByWriter = constant(5, 100);
  return profile;
}

TEST(ReportText, HasAllOtherColumnsBesidePercentiles) {
  const Profile profile = sharedProfile();
  const std::string text = tablesOf(textOf(profile, {.percentiles = true}));
  EXPECT_THAT(text, HasSubstr("\nRWLOCK READERS, CONTINUED\n"));
  EXPECT_THAT(text, HasSubstr("   3  50ms( 60ms)  Db::m\n"));
  EXPECT_THAT(text, HasSubstr("\nRWLOCK WRITERS, CONTINUED\n"));
  EXPECT_THAT(text, HasSubstr("100ns(100ns)      5  Db::m\n"));
  EXPECT_THAT(text, HasSubstr("that found another writer inside"));
  EXPECT_THAT(tablesOf(textOf(profile)), Not(HasSubstr("CONTINUED")));
}

TEST(ReportText, PutsReadersAndWritersOfALockIntoPartsOfTheirOwn) {
  const Profile profile = sharedProfile();
  const std::string text = tablesOf(textOf(profile));
  const std::size_t readers = text.find("\nRWLOCK READERS\n");
  const std::size_t writers = text.find("\nRWLOCK WRITERS\n");
  ASSERT_NE(readers, std::string::npos);
  ASSERT_NE(writers, std::string::npos);
  EXPECT_THAT(text.substr(0, readers), HasSubstr(" Log::m\n"));
  EXPECT_THAT(text.substr(0, readers), Not(HasSubstr(" Db::m\n")));
  EXPECT_THAT(lineWith(text.substr(readers), " 800 "),
              ElementsAre("20.0%", "11.2%", "400ns(400ns)", "3", "50ms(", "60ms)", "2.0us(3.0us)",
                          "800", "90", "Db::m"))
      << "busy for 4 x 50 ms of 1 s";
  EXPECT_THAT(
      text.substr(readers),
      HasSubstr("\n   db.cc:42 Db::get\n 0.0% 11.2% 400ns(400ns)                   2.0us(3.0us)  "
                "     800      90\n"))
      << "sites have no busy periods";
  EXPECT_THAT(text.substr(readers, writers - readers), Not(HasSubstr("db.cc:57")));
  EXPECT_THAT(lineWith(text.substr(writers), " 201 "),
              ElementsAre("0.0%", "10.0%", "701ns(900ns)", "4.0us(4.0us)", "100ns(100ns)", "201",
                          "20", "5"));
  EXPECT_THAT(text.substr(writers), HasSubstr("\n   db.cc:57 Db::put\n"));
  EXPECT_THAT(text.substr(writers), Not(HasSubstr("db.cc:42")));
}

TEST(ReportText, SaysWhichLocksAreHeldByBlockedThreads) {
  Profile profile = contendedProfile();
  profile.locks[0].heldNs = 10 * 472900; // 0.5 % of the run
  EXPECT_THAT(textOf(profile), Not(HasSubstr("blocked\n")));
  profile.locks[0].heldNs = 1000 * 472900;
  const std::string text = textOf(profile);
  EXPECT_EQ(lineWith(text, "Db::m").front(), "47.3%");
  EXPECT_THAT(text,
              HasSubstr("Db::m\n    99.9% of the time that it was held its holder was blocked\n"));
  EXPECT_EQ(lineWith(text, "db.cc:42").front(), "0.0%");
  EXPECT_DOUBLE_EQ(jsonOf(profile)["locks"][0]["blocked_share"], 0.999);
}

TEST(ReportText, CountsTheAttemptsThatFailed) {
  Profile profile = sampleProfile();
  EXPECT_THAT(textOf(profile), Not(HasSubstr("failed")));
  profile.sections[0].tryFailures = 40;
  EXPECT_THAT(textOf(profile),
              HasSubstr("db.cc:57 Db::put\n    40 of 241 attempts there failed\n"));
}

TEST(ReportText, ShowsManyLocksOfAClassAsOneAndTheBusiestIfAsked) {
  Profile profile = sampleProfile();
  profile.locks = {{0, 0xa0, 100, 0, 1e6, 0}, {0, 0xb0, 801, 80, 5e8, 0}, {0, 0xc0, 100, 0, 0, 0}};
  EXPECT_THAT(textOf(profile), HasSubstr("    3 locks; the busiest has 80% of the "
                                         "traffic, half of it is on 1\n"));
  EXPECT_THAT(textOf(profile), HasSubstr(" Db::m x3\n"));
  EXPECT_THAT(textOf(profile), Not(HasSubstr("0xb0")));
  EXPECT_THAT(textOf(profile, {.instances = 2}),
              HasSubstr("    0xb0: 80% of the traffic, 80 of 801 waited, held 50.0%\n"
                        "    0xa0: 10% of the traffic, 0 of 100 waited, held 0.1%\n 0.0%"));
  EXPECT_THAT(textOf(profile, {.instances = 2}), Not(HasSubstr("0xc0")));
}

TEST(Report, SaysHowMuchIsOnLocksThatOneThreadHasForItself) {
  Profile profile = sampleProfile();
  const std::string line = " of it is on locks that one thread has for itself\n";
  profile.locks = {{0, 0xa0, 500, 0, 1e6, 0}, {0, 0xb0, 501, 80, 5e8, 0}};
  EXPECT_THAT(textOf(profile), Not(HasSubstr(line)));
  EXPECT_TRUE(jsonOf(profile)["locks"][0]["owned_share"].is_null());
  profile.takers = {{0, 1, 4, 4, 1000, 900, 0, 0}};
  EXPECT_THAT(textOf(profile), HasSubstr("half of it is on 1\n    90.0%" + line));
  EXPECT_EQ(jsonOf(profile)["locks"][0]["owned_share"], 0.9);
  profile.takers[0].ofOwned = 90; // not worth a line
  EXPECT_THAT(textOf(profile), Not(HasSubstr(line)));
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
  EXPECT_THAT(textOf(profile), HasSubstr("\n   a_file_with_a_rather_long_name_too.cc:57 Db::put\n"))
      << "nor is a place, and a line of its own has room for the function";
}

TEST(ReportText, FitsEightyColumnsInEveryForm) {
  Profile profile = contendedProfile();
  profile.sections[1].shared = true;
  for (const ReportView &view :
       {ReportView(), ReportView{.rate = true}, ReportView{.percentiles = true}}) {
    ProfileSummary summary = summaryWithPaths(profile);
    SiteSummary &site = summary.locks[0].sites[0];
    site.measured.acquisitions = 12'345'678'901;
    for (PathSummary &path : site.paths) {
      path.measured.acquisitions = 1'234'567'890;
      for (CallFrame &frame : path.frames)
        frame.function += "Server::" + std::string(100, 'x') + "(int)";
    }
    std::istringstream lines(profileReportText(profile, summary, view, TextStyle()));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << line;
  }
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
  for (ProfiledSection &section : profile.sections)
    section.hold = section.wait = {};
  EXPECT_THAT(lineWith(textOf(profile), "Db::m"),
              ElementsAre("-", "0.0%", "-", "-", "1001", "0", "Db::m"));
  profile.sections[1].shared = true;
  profile.lockClasses[0].readers = {2, 0, {4, 0, 0, 0, 0}}; // how many, but not for how long
  EXPECT_THAT(lineWith(textOf(profile), " 800 "),
              ElementsAre("-", "0.0%", "-", "2", "-", "-", "800", "0", "Db::m"));
}

TEST(ReportText, IsColouredOnlyWhenAsked) {
  EXPECT_THAT(textOf(sampleProfile()), Not(HasSubstr("\033")));
  EXPECT_THAT(textOf(sampleProfile(), {}, true), HasSubstr("\033[1mDb::m\033[0m"));
}

TEST(ReportJson, ListsWhatNoHookToldOfWhereItWasCounted) {
  Profile profile = sampleProfile();
  profile.flags |= format::runCountsUnseen;
  EXPECT_EQ(jsonOf(profile)["unseen"], Json::array());
  profile.unseen = {{"/lib/libother.so", 5}};
  EXPECT_EQ(jsonOf(profile)["unseen"],
            (Json::array({{{"module", "/lib/libother.so"}, {"acquisitions", 5}}})));
  EXPECT_THAT(textOf(profile), HasSubstr("note: not seen: libother.so took locks 5 times, where"));
}

TEST(ReportJson, HasTheFieldsOfItsSchema) {
  const Json json = jsonOf(sampleProfile());
  EXPECT_THAT(keys(json), ElementsAre("program", "runs", "duration_s", "threads", "dropped",
                                      "unmatched", "locks", "not_executed", "findings"));
  EXPECT_EQ(json["findings"], Json::array());
  EXPECT_EQ(json["threads"][1],
            (Json{{"class", "serve"}, {"start", "src/server.cc:90"}, {"count", 1}}));
  const Json &lock = json["locks"][0];
  EXPECT_THAT(keys(lock),
              ElementsAre("name", "class", "type", "kind", "instances", "acquisitions", "contended",
                          "distribution", "owned_share", "utilization", "blocked_share", "hold_ns",
                          "wait_ns", "wait_contended_ns", "sites"));
  EXPECT_THAT(keys(lock["distribution"][0]), ElementsAre("acquisitions_from", "acquisitions_to",
                                                         "instances", "acquisitions", "contended"));
  EXPECT_EQ(lock["class"], "src/db.h:10:14");
  EXPECT_THAT(keys(lock["hold_ns"]), ElementsAre("mean", "cv", "min", "p50", "p90", "p99", "max"));
  EXPECT_THAT(keys(lock["wait_ns"]), ElementsAre("mean", "p50", "p90", "p99", "max"));
  EXPECT_THAT(keys(lock["wait_contended_ns"]), ElementsAre("mean", "max"));
  EXPECT_THAT(keys(lock["sites"][0]),
              ElementsAre("file", "line", "column", "function", "mode", "acquisitions", "contended",
                          "try_failures", "utilization", "hold_ns", "wait_ns", "wait_contended_ns",
                          "facts"));
  EXPECT_EQ(json["not_executed"][0], (Json{{"file", "src/db.cc"},
                                           {"line", 77},
                                           {"column", 5},
                                           {"function", "Db::drop()"},
                                           {"expression", "m"}}));
}

TEST(ReportText, ShowsCallPathsUnderTheirSite) {
  const Profile profile = contendedProfile();
  const std::string text = profileReportText(profile, summaryWithPaths(profile), {}, TextStyle());
  EXPECT_THAT(text,
              HasSubstr("db.cc:42 Db::get\n"
                        "      600 times (75.0%), 66.7% of WAIT, 75.0% of HOLD, by\n"
                        "        server.cc:12 Server::answer\n"
                        "        kvtest+0x1234\n"
                        "        start_thread\n"
                        "      200 times (25.0%), 33.3% of WAIT, 25.0% of HOLD, by other paths\n"));
  Profile counted = profile;
  counted.flags |= format::runCountersOnly;
  EXPECT_THAT(profileReportText(counted, summaryWithPaths(counted), {}, TextStyle()),
              HasSubstr("      600 times (75.0%), by\n"));
}

TEST(ReportText, ShowsTheTenMostTravelledCallPaths) {
  const Profile profile = sampleProfile();
  ProfileSummary summary = summaryWithPaths(profile);
  std::vector<PathSummary> &paths = summary.locks[0].sites[0].paths;
  paths.insert(paths.begin(), 10, paths.front());
  const std::string text = profileReportText(profile, summary, {}, TextStyle());
  EXPECT_THAT(text, HasSubstr("start_thread\n      and 2 paths more\n"));
}

TEST(ReportJson, HasCallPathsWhereTheyWereAskedFor) {
  const Profile profile = contendedProfile();
  const Json json = profileReportJson(profile, summaryWithPaths(profile));
  const Json &paths = json["locks"][0]["sites"][0]["paths"];
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_THAT(keys(paths[0]), ElementsAre("acquisitions", "contended", "hold_ns", "wait_ns",
                                          "wait_contended_ns", "callers"));
  EXPECT_EQ(paths[0]["acquisitions"], 600);
  EXPECT_EQ(paths[0]["hold_ns"]["mean"], 400);
  EXPECT_EQ(
      paths[0]["callers"],
      Json::array({{{"function", "Server::answer(int)"}, {"file", "src/server.cc"}, {"line", 12}},
                   {{"function", "kvtest+0x1234"}, {"file", ""}, {"line", 0}},
                   {{"function", "start_thread"}, {"file", ""}, {"line", 0}}}));
  EXPECT_EQ(paths[1]["callers"], Json::array()) << "others";
  EXPECT_FALSE(json["locks"][0]["sites"][1].contains("paths"));
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

TEST(ReportJson, HasTheModesOfAReaderWriterLock) {
  Profile profile = contendedProfile();
  EXPECT_FALSE(jsonOf(profile)["locks"][0].contains("readers"));
  profile.sections[1].shared = true;
  const Json lock = jsonOf(profile)["locks"][0];
  EXPECT_THAT(keys(lock["readers"]),
              ElementsAre("acquisitions", "contended", "utilization", "hold_ns", "wait_ns",
                          "wait_contended_ns", "max_readers", "busy_ns"));
  EXPECT_THAT(keys(lock["writers"]),
              ElementsAre("acquisitions", "contended", "utilization", "hold_ns", "wait_ns",
                          "wait_contended_ns", "contended_by_writer", "wait_by_writer_ns"));
  EXPECT_EQ(lock["readers"]["acquisitions"], 800);
  EXPECT_EQ(lock["readers"]["contended"], 90);
  EXPECT_EQ(lock["writers"]["acquisitions"], 201);
  EXPECT_NEAR(lock["readers"]["utilization"].get<double>() +
                  lock["writers"]["utilization"].get<double>(),
              lock["utilization"].get<double>(), 1e-15);
  EXPECT_EQ(lock["readers"]["wait_contended_ns"]["max"], 3000.0);
}

TEST(ReportJson, HasLockObjectsIfAsked) {
  Profile profile = sampleProfile();
  profile.locks.push_back({0, 0xb0, 2000, 7, 2.5e8, 0});
  EXPECT_FALSE(jsonOf(profile)["locks"][0].contains("objects"));
  EXPECT_EQ(jsonOf(profile, {.instances = 1})["locks"][0]["objects"],
            Json::array({{{"address", "0xb0"},
                          {"acquisitions", 2000},
                          {"contended", 7},
                          {"utilization", 0.25}}}));
}

TEST(ReportJson, HasNullForTimesThatWereNotTaken) {
  Profile profile = sampleProfile();
  profile.flags |= format::runCountersOnly;
  const Json json = jsonOf(profile);
  EXPECT_TRUE(json["locks"][0]["hold_ns"].is_null());
  EXPECT_TRUE(json["locks"][0]["utilization"].is_null());
  EXPECT_TRUE(json["locks"][0]["blocked_share"].is_null());
  EXPECT_EQ(json["locks"][0]["acquisitions"], 1001);
}

TEST(ReportJson, PrintsTextThatIsNotUtf8) {
  Profile profile = sampleProfile();
  profile.sites[0].file = "src/caf\xe9.cc";
  EXPECT_THAT(printJson(jsonOf(profile)), HasSubstr("src/caf\xEF\xBF\xBD.cc"));
}
