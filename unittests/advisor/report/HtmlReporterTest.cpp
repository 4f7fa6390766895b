// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pages for browsers: one file each, with the JSON that `--format json` prints.

#include "advisor/report/HtmlReporter.h"
#include "advisor/report/JsonReporter.h"
#include "advisor/report/html/HtmlPage.h"
#include "advisor/report/html/PageData.h"
#include "unittests/advisor/model/Networks.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the page's script reads.
Json dataOf(const std::string &page) {
  const std::string begin = R"(<script type="application/json" id="data">)", end = "</script>";
  const std::size_t from = page.find(begin);
  EXPECT_NE(from, std::string::npos);
  if (from == std::string::npos)
    return {};
  const std::size_t first = from + begin.size();
  return Json::parse(page.substr(first, page.find(end, first) - first));
}

ProfileReport sampleReport() {
  ProfileReport report;
  report.profile = testing::sampleProfile();
  report.summary = summarize(report.profile);
  return report;
}

AdviceReport adviceFor(const Network &network) {
  const Machine machine = test::machineOf(16);
  AdviceReport report;
  DecisionOptions options;
  options.threads = report.threads = 16;
  report.cores = 16;
  report.network = network;
  report.decisions = *decide(network, machine, options);
  return report;
}

TEST(HtmlReporter, CarriesTheJsonOfTheReport) {
  const ProfileReport report = sampleReport();
  Json expected = jsonOf(report);
  roundNumbers(expected);
  const Json data = dataOf(HtmlReporter().writeProfile(report));
  EXPECT_EQ(data["document"], expected);
  EXPECT_EQ(data["labels"]["pthread_mutex"], "pthread mutex");
}

TEST(HtmlReporter, CarriesTheNotesOfTheText) {
  ProfileReport report = sampleReport();
  report.profile.dropped = 5;
  const Json data = dataOf(HtmlReporter().writeProfile(report));
  ASSERT_FALSE(shortcomings(report.profile).empty());
  EXPECT_EQ(data["notes"], Json(shortcomings(report.profile)));
}

TEST(HtmlReporter, CarriesAdviceWithItsCurves) {
  AdviceReport report = adviceFor(test::networkOf({{1, 300}}, 500));
  const Machine machine = test::machineOf(16);
  AdviceReport::Curves curves;
  curves.everywhere.lockNames = {"lock0"};
  curves.everywhere.kinds.push_back(
      *predictKind(report.network, {}, LockKind::qd, machine, {1, 2}, {}));
  curves.today = *predictAssignment(report.network, {LockKind::pthreadMutex}, machine, {1, 2}, {});
  report.curves = curves;
  const Json data = dataOf(HtmlReporter().writeAdvice(report));
  EXPECT_EQ(data["document"]["locks"][0]["advice"]["kind"], "qd");
  EXPECT_EQ(data["curves"]["threads"], Json({1, 2}));
  EXPECT_EQ(data["curves"]["kinds"]["qd"]["locks"][0]["wait_ns"].size(), 2u);
  EXPECT_EQ(data["curves"]["today"]["throughput_per_s_ci95"][1].size(), 2u);
  EXPECT_FALSE(data["curves"].contains("advised")); // every lock is kept, say
}

TEST(HtmlReporter, LoadsNothingFromElsewhere) {
  const std::string page = HtmlReporter().writeProfile(sampleReport());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, HasSubstr("The MIT License"));
}

TEST(HtmlReporter, IsLessThanAMegabyteForTwoHundredLocks) {
  constexpr std::size_t locks = 200;
  AdviceReport report = adviceFor(test::networkOf({{1, 300}}, 500));
  const LockDecision decision = report.decisions.locks[0];
  report.network = test::networkOf(std::vector<test::TestLock>(locks, {1.0 / locks, 300}), 500);
  report.decisions.locks.assign(locks, decision);
  const std::vector<int> threads = {1, 2, 4, 8, 16, 32};
  PredictedPoint point;
  point.figures.locks.assign(locks, {123.456, 1, 1, 1, 1, 1, 1});
  point.intervals.locks.assign(locks, {{101.25, 151.75}, {}, {}, {}});
  AdviceReport::Curves curves;
  for (std::size_t i = 0; i < locks; ++i) {
    report.decisions.locks[i].lock = i;
    report.network.locks[i].name = "namespace::Class" + std::to_string(i) + "::lock_";
    curves.everywhere.lockNames.push_back(report.network.locks[i].name);
  }
  for (const LockKind kind :
       {LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd, LockKind::mcs})
    curves.everywhere.kinds.push_back({kind, std::vector(threads.size(), point)});
  curves.today = curves.everywhere.kinds.front();
  curves.advised = curves.today;
  report.curves = curves;
  EXPECT_LT(HtmlReporter().writeAdvice(report).size(), 1'000'000u);
}

TEST(HtmlPage, NoNameEndsTheScriptOrTheTitle) {
  const std::string page = htmlPage("a <b> & @DATA@", {{"name", "</script><b>@SCRIPT@"}});
  EXPECT_THAT(page, HasSubstr("<title>a &lt;b> &amp; @DATA@</title>"));
  EXPECT_THAT(page, HasSubstr("{\"name\":\"\\u003c/script>\\u003cb>@SCRIPT@\"}"));
  EXPECT_EQ(dataOf(page)["name"], "</script><b>@SCRIPT@");
}

TEST(PageData, RoundsNumbersAndKeepsTheRest) {
  Json json = {
      {"a", {1.23456789, 123456789.0, 0.0}}, {"b", 7}, {"c", nullptr}, {"d", "1.23456789"}};
  roundNumbers(json);
  EXPECT_EQ(json, Json::parse(R"({"a": [1.2346, 123460000.0, 0.0], "b": 7, "c": null,
                                  "d": "1.23456789"})"));
}

TEST(PageData, KeepsOfPredictionsWhatChartsShow) {
  const Json kept = forCharts(Json::parse(
      R"({"threads": [1], "kinds": {"qd": {"model": ["a"], "throughput_per_s": [1],
          "locks": [{"name": "l", "wait_ns": [2], "utilization": [1]}]}}})"));
  EXPECT_EQ(kept, Json::parse(R"({"threads": [1], "kinds": {"qd": {"throughput_per_s": [1],
                                  "locks": [{"name": "l", "wait_ns": [2]}]}}})"));
}

TEST(PageData, ExcerptsTheLinesAroundASite) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "qdadvise-excerpts-test.cpp").string();
  std::ofstream(path) << "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const auto siteAt = [&](int line) { return Json{{"file", path}, {"line", line}}; };
  const Json document = {
      {"locks",
       {{{"sites", {siteAt(2), siteAt(9), siteAt(99), {{"file", "none"}, {"line", 1}}}}}}}};
  const Json excerpts = excerptsOf(document);
  std::filesystem::remove(path);
  ASSERT_EQ(excerpts.size(), 2u);
  EXPECT_EQ(excerpts[path + ":2"], Json::parse(R"({"first": 1, "lines": ["1","2","3","4","5"]})"));
  EXPECT_EQ(excerpts[path + ":9"], Json::parse(R"({"first": 6, "lines": ["6","7","8","9"]})"));
}

TEST(AdviceJson, HasTheGraphOfSections) {
  const Json json = jsonOf(adviceFor(test::networkOf({{0.75, 300}, {0.25, 100}}, 500)));
  const Json &graph = json["graph"];
  ASSERT_EQ(graph["sections"].size(), 2u);
  EXPECT_EQ(graph["sections"][0]["lock"], "lock0");
  EXPECT_NEAR(graph["sections"][0]["share"], 0.75, 1e-9);
  double all = 0;
  for (const Json &route : graph["routes"])
    all += route["share"].get<double>();
  EXPECT_NEAR(all, 1, 1e-9);
}

} // namespace
} // namespace qdadvise
