// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results for code review: places, numbers, fixes, and what identifies them.

#include "advisor/report/SarifReporter.h"
#include "advisor/report/sarif/LockChange.h"
#include "advisor/report/sarif/SarifLog.h"
#include "advisor/report/sarif/SarifRules.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A source file for the time of a test.
struct TemporarySource {
  explicit TemporarySource(const std::string &text)
      : path((std::filesystem::temp_directory_path() / "qdadvise-sarif-test.cpp").string()) {
    std::ofstream(path) << text;
  }
  ~TemporarySource() { std::filesystem::remove(path); }
  std::string path;
};

SarifResult resultAt(const SarifPlace &place) {
  SarifResult result;
  result.rule = &lockAlgorithmRule();
  result.message = "m";
  result.place = place;
  result.identity = "i";
  return result;
}

Json firstResult(const SarifResult &result) {
  return sarifJson({"c", {result}, {}})["runs"][0]["results"][0];
}

Advice adviceAt(std::uint32_t line) {
  Advice advice;
  advice.file = "src/db.cc";
  advice.function = "Db::get(int)";
  advice.expression = "m";
  advice.line = line;
  advice.column = 5;
  advice.lock = "Db::m";
  advice.today = "pthread_mutex";
  advice.advised = "mcs";
  advice.label = "MCS lock";
  advice.keep = false;
  advice.threads = 16;
  advice.contentionRate = 0.5;
  advice.speedup = 2;
  advice.low = 1.5;
  advice.high = 2.5;
  advice.waitNs = {{"pthread mutex", 1000}, {"MCS lock", 100}};
  return advice;
}

Json logOf(const AdviceReport &report) { return Json::parse(SarifReporter().writeAdvice(report)); }

TEST(SarifReporter, TellsOfEachSiteWhoseLockShouldChange) {
  AdviceReport report;
  report.program = "app";
  report.file.advice = {adviceAt(10), adviceAt(20), adviceAt(30)};
  report.file.advice[1].speedup = 3;
  report.file.advice[1].lock = "Log::m";
  report.file.advice[2].keep = true;
  const Json run = logOf(report)["runs"][0];
  EXPECT_EQ(run["automationDetails"]["id"], "qdadvise/advise/app/");
  ASSERT_EQ(run["results"].size(), 2u);
  EXPECT_EQ(run["results"][0]["properties"]["lock"], "Log::m"); // the greater gain
  const Json result = run["results"][1];
  EXPECT_EQ(result["ruleId"], run["tool"]["driver"]["rules"][0]["id"]);
  EXPECT_EQ(result["message"]["text"],
            "lock 'Db::m' is predicted to be waited for in 50% of acquisitions at 16 threads; an "
            "MCS lock raises throughput 2.0x (1.5x to 2.5x). Predicted mean waiting time at 16 "
            "threads: pthread mutex 1.0 us, MCS lock 100 ns.");
  EXPECT_EQ(result["locations"][0]["physicalLocation"],
            Json::parse(R"({"artifactLocation": {"uri": "src/db.cc", "uriBaseId": "%SRCROOT%"},
                            "region": {"startLine": 10, "startColumn": 5}})"));
  EXPECT_EQ(result["properties"]["interval"], Json({1.5, 2.5}));
  EXPECT_EQ(result["properties"]["meanWaitNs"]["MCS lock"], 100);
  EXPECT_FALSE(result.contains("suppressions"));
}

TEST(SarifReporter, NamesTheOtherSitesOfTheLockAndWhatIsSuppressed) {
  AdviceReport report;
  report.file.advice = {adviceAt(10), adviceAt(20)};
  report.file.advice[1].function = "Db::put(int)";
  report.suppressedSites = {1};
  const Json results = logOf(report)["runs"][0]["results"];
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 20);
  EXPECT_EQ(results[1]["suppressions"][0]["kind"], "external");
  EXPECT_NE(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
}

TEST(SarifReporter, KnowsAResultAgainWhereOnlyItsLineHasChanged) {
  AdviceReport before, after;
  before.file.advice = {adviceAt(10)};
  after.file.advice = {adviceAt(99)};
  after.file.advice[0].file = "/elsewhere/src/db.cc";
  after.file.advice[0].speedup = 1.5;
  const auto fingerprints = [](const AdviceReport &report) {
    return logOf(report)["runs"][0]["results"][0]["partialFingerprints"];
  };
  EXPECT_EQ(fingerprints(before), fingerprints(after));
  after.file.advice[0].ordinal = 1;
  EXPECT_NE(fingerprints(before), fingerprints(after));
}

TEST(SarifReporter, TellsOfFindingsWithTheirNumbers) {
  ProfileReport report;
  report.profile = testing::sampleProfile();
  Finding finding;
  finding.id = "high-contention";
  finding.lock = "Db::m";
  finding.message = "found taken in 40% of acquisitions";
  finding.numbers = {{"contention_rate", 0.4}};
  finding.sites = {0};
  Finding nowhere = finding;
  nowhere.sites.clear();
  report.findings = {finding, nowhere};
  const Json run = Json::parse(SarifReporter().writeProfile(report))["runs"][0];
  ASSERT_EQ(run["results"].size(), 1u); // a result without a place cannot be shown
  EXPECT_EQ(run["results"][0]["message"]["text"], "'Db::m': found taken in 40% of acquisitions.");
  EXPECT_EQ(run["results"][0]["properties"]["contention_rate"], 0.4);
  EXPECT_THAT(run["tool"]["driver"]["rules"][0]["help"]["text"].get<std::string>(),
              HasSubstr("split the lock"));
}

TEST(SarifLog, HasRangesWhereTheSourceIsThere) {
  const TemporarySource source("one\n  lock(m);  \n");
  const Json place =
      firstResult(resultAt({source.path, "", 2, 3}))["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["region"], Json::parse(R"({"startLine": 2, "startColumn": 3, "endColumn": 11,
                                             "snippet": {"text": "lock(m);"}})"));
  EXPECT_EQ(place["contextRegion"], Json::parse(R"({"startLine": 1, "endLine": 2,
                            "snippet": {"text": "one\n  lock(m);  \n"}})"));
}

TEST(SarifLog, WritesPathsAsUris) {
  const auto artifactOf = [](const std::string &file) {
    return firstResult(
        resultAt({file, "", 1, 1}))["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(artifactOf("./a b/c#.cc")["uri"], "a%20b/c%23.cc");
  EXPECT_EQ(artifactOf("/usr/include/x.h"), Json({{"uri", "file:///usr/include/x.h"}}));
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(artifactOf(here + "/src/a.cc")["uri"], "src/a.cc");
}

TEST(SarifLog, KeepsToTheLimitsOfCodeScanning) {
  SarifResult result = resultAt({"a.cc", "", 1, 1});
  result.related.assign(1500, {SarifPlace{"b.cc", "", 1, 1}, "r"});
  EXPECT_LE(firstResult(result)["relatedLocations"].size(), 1000u);
  const Json log =
      sarifJson({"c", std::vector<SarifResult>(5001, resultAt({"a.cc", "", 1, 1})), {}});
  EXPECT_EQ(log["runs"][0]["results"].size(), 5000u);
  EXPECT_EQ(log["runs"][0]["properties"]["leftOut"], 1);
}

TEST(SarifRules, HaveOneForFindingsOfAnyKind) {
  EXPECT_STREQ(findingRule("load-imbalance").id, "load-imbalance");
  EXPECT_STREQ(findingRule("something-new").id, "lock-use");
}

const char *const counter = "#include <mutex>\n"                                           // 1
                            "struct Counter {\n"                                           // 2
                            "  std::mutex lock_;\n"                                        // 3
                            "  void a() { std::lock_guard<std::mutex> g(lock_); }\n"       // 4
                            "  void b() { std::lock_guard g(lock_); }\n"                   // 5
                            "  void c() { lock_.lock(); lock_.unlock(); }\n"               // 6
                            "  void d() { std::unique_ptr<Guard> g(new Guard(lock_)); }\n" // 7
                            "};\n";

TEST(LockChange, EditsTheDeclarationAndWhatNamesItsType) {
  const TemporarySource file(counter);
  SourceLines source;
  const auto edits =
      lockChange("std::mutex", LockKind::mcs, {file.path, "", 3, 14},
                 {{file.path, "", 4, 3}, {file.path, "", 5, 3}, {file.path, "", 6, 3}}, source);
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[0].text, "#include <qdadvise/locks/mcs_lock.h>\n");
  EXPECT_EQ(edits[0].begin.line, 2u);
  EXPECT_EQ(edits[1].text, "qdadvise::mcs_lock");
  EXPECT_EQ(edits[1].begin.column, 3u);
  EXPECT_EQ(edits[1].endColumn, 13u);
  EXPECT_EQ(edits[2].begin.line, 4u);
  EXPECT_EQ(edits[2].begin.column, 30u);
}

TEST(LockChange, LeavesToPeopleWhatAProgramCannotJudge) {
  const TemporarySource file(counter);
  SourceLines source;
  const SarifPlace declaration{file.path, "", 3, 14};
  const std::vector<SarifPlace> sites = {{file.path, "", 4, 3}};
  EXPECT_THAT(lockChange("std::recursive_mutex", LockKind::mcs, declaration, sites, source),
              IsEmpty());
  EXPECT_THAT(lockChange("std::mutex", LockKind::qd, declaration, sites, source), IsEmpty());
  EXPECT_THAT(lockChange("std::mutex", LockKind::pthreadMutex, declaration, sites, source),
              IsEmpty());
  EXPECT_THAT(lockChange("std::mutex", LockKind::mcs, declaration, {{file.path, "", 7, 3}}, source),
              IsEmpty());
  EXPECT_THAT(lockChange("std::mutex", LockKind::mcs, {"not there", "", 3, 14}, sites, source),
              IsEmpty());
}

} // namespace
} // namespace qdadvise
