// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The JSON of decisions, key by key.

#include "advisor/report/AdviceReport.h"
#include "advisor/network/construction/Construction.h"
#include "advisor/report/AdviceJson.h"
#include "advisor/report/AdviceText.h"
#include "advisor/report/ProfileJson.h"
#include "advisor/report/ProfileReport.h"
#include "unittests/advisor/model/Networks.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace qdadvise {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> keys(const Json &json) {
  std::vector<std::string> result;
  for (const auto &[key, value] : json.items())
    result.push_back(key);
  return result;
}

AdviceReport reportFor(const Network &network) {
  AdviceReport report;
  DecisionOptions options;
  options.threads = report.threads = 16;
  report.cores = 16;
  report.machine = "test machine";
  report.network = network;
  const Expected<Decisions> decisions = decide(network, test::machineOf(16), options);
  EXPECT_TRUE(decisions) << decisions.error().message;
  if (decisions)
    report.decisions = *decisions;
  return report;
}

Json adviceOn(const Profile &profile) {
  Json document = profileReportJson(profile, summarize(profile));
  const Expected<Construction> made = constructNetwork(profile, test::machineOf(16));
  EXPECT_TRUE(made) << made.error().message;
  addAdviceJson(document, reportFor(made ? made->network : Network()));
  return document;
}

const std::vector<std::string> adviceKeys{
    "kind",     "today",           "keep",         "threads", "speedup",
    "interval", "contention_rate", "alternatives", "reasons", "obstacles"};

TEST(AdviceJson, AddsToTheReportsJson) {
  const Json json = adviceOn(testing::sampleProfile());
  EXPECT_THAT(keys(json), ElementsAre("program", "runs", "duration_s", "threads", "dropped",
                                      "unmatched", "locks", "not_executed", "findings", "advice"));
  EXPECT_THAT(keys(json["advice"]), ElementsAre("threads", "cores", "machine", "throughput_per_s",
                                                "speedup", "interval", "lower_bound", "notes"));
  EXPECT_EQ(keys(json["locks"][0]["advice"]), adviceKeys);
  EXPECT_EQ(json["locks"][0]["advice"]["interval"].size(), 2u);
  EXPECT_EQ(json["locks"][0]["what_if"], Json::array());
}

TEST(AdviceJson, SaysWhatFixesWouldGain) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500));
  WhatIf one;
  one.request = {"shrink", 0.5};
  one.section = 0;
  one.condition = "if 50 % of section 'section0' ran after its release";
  one.today = {1.5, 1.2, 1.9};
  one.advised = {1.25, 1.0, 1.5};
  report.whatIfs = {one};
  Json document;
  addAdviceJson(document, report);
  const Json expected = Json::parse(R"([{"fix": "shrink", "amount": 0.5, "section": "section0",
      "condition": "if 50 % of section 'section0' ran after its release",
      "speedup": 1.5, "interval": [1.2, 1.9],
      "over_advised": 1.25, "over_advised_interval": [1.0, 1.5]}])");
  EXPECT_EQ(document["locks"][0]["what_if"], expected);
}

TEST(AdviceReport, SaysNothingOfFixesWithABoundOnly) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500));
  WhatIf one;
  one.request = {"split", 4};
  one.condition = "if it were 4 locks, with the traffic divided evenly";
  one.today.known = one.advised.known = false;
  report.whatIfs = {one};
  Json document;
  addAdviceJson(document, report);
  const Json expected = Json::parse(R"([{"fix": "split", "amount": 4.0,
      "condition": "if it were 4 locks, with the traffic divided evenly",
      "speedup": null, "interval": null, "over_advised": null, "over_advised_interval": null}])");
  EXPECT_EQ(document["locks"][0]["what_if"], expected);
  EXPECT_THAT(whatIfText(report, 0, {}),
              HasSubstr("divided evenly: nothing can be\n"
                        "    said: threads that hold one lock of a class"));
  report.whatIfs[0].today = {2, 1.5, 3};
  EXPECT_THAT(whatIfText(report, 0, {}),
              HasSubstr("    3.0x); over the program as advised nothing can be said: threads"));
  report.decisions.locks[0].keep = true; // nothing else is advised
  EXPECT_THAT(whatIfText(report, 0, {}), Not(HasSubstr("nothing")));
}

TEST(AdviceReport, HasTheVerdictsFirst) {
  const AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500));
  ASSERT_FALSE(report.decisions.locks[0].keep);
  const std::string text = adviceReportText(report, {});
  const std::size_t table = text.find("lock                        should be              taken"
                                      "  gain of the program\nlock0 "),
                    sum = text.find("With this change: "), details = text.find("lock0: make it a");
  ASSERT_NE(table, std::string::npos) << text;
  EXPECT_LT(table, sum);
  EXPECT_LT(sum, details);
  EXPECT_NE(details, std::string::npos);
}

TEST(AdviceReport, ABoundIsNoFigure) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500));
  report.decisions.locks[0].keep = true;
  report.decisions.today.worstCase = true;
  report.explained.emplace();
  const std::string text = adviceReportText(report, {});
  EXPECT_THAT(text, HasSubstr("Keep every lock: no model tells what another one would gain"));
  EXPECT_THAT(text, Not(HasSubstr("of their time")));
  Json document;
  addAdviceJson(document, report);
  EXPECT_EQ(document["advice"]["lower_bound"], true);
  const Json &advice = document["locks"][0]["advice"];
  EXPECT_TRUE(advice["contention_rate"].is_null());
  for (const Json &alternative : advice["alternatives"])
    EXPECT_TRUE(alternative["wait_ns"].is_null());
}

TEST(AdviceReport, IsAsWideAsTheScreen) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500));
  report.network.locks[0].name = "a_namespace::another::Class::lock_";
  report.explained.emplace();
  for (const std::size_t width : {60U, 80U, 120U}) {
    std::istringstream lines(adviceReportText(report, {.width = width}));
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);)
      longest = std::max(longest, line.size());
    EXPECT_LE(longest, std::max<std::size_t>(width, 77)); // figures need so much
    EXPECT_GT(longest, width - 20);
  }
  EXPECT_THAT(adviceReportText(report, {.width = 120}),
              HasSubstr("\na_namespace::another::Class::lock_ "));
}

TEST(AdviceReport, IsAScreenUnlessLocksAreExplained) {
  std::vector<test::TestLock> locks(14, {0.02, 3});
  for (int i = 0; i < 4; ++i)
    locks.push_back({0.18, 300});
  AdviceReport report = reportFor(test::networkOf(locks, 500));
  const auto changes = std::count_if(report.decisions.locks.begin(), report.decisions.locks.end(),
                                     [](const LockDecision &one) { return !one.keep; });
  ASSERT_GT(changes, 0);
  report.notes.assign(30, "a note");
  report.explained.emplace();
  const std::string text = adviceReportText(report, {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20) << text;
  EXPECT_THAT(text, HasSubstr("\nlock17 "));
  EXPECT_THAT(text, Not(HasSubstr("kept (pthread mutex)")));
  EXPECT_THAT(text, HasSubstr(" locks stay as they are (lock"));
  EXPECT_THAT(text, HasSubstr("--explain LOCK, or --explain all"));
  EXPECT_THAT(text, HasSubstr("note: a note\n"));
  EXPECT_THAT(text, HasSubstr(" more notes, and these in full: --explain all\n"));
  EXPECT_THAT(text, Not(HasSubstr("lock17: make it")));
  report.explained->insert(17);
  const std::string one = adviceReportText(report, {});
  EXPECT_THAT(one, HasSubstr("lock17: make it"));
  EXPECT_THAT(one, Not(HasSubstr("lock16: make it")));
}

TEST(AdviceReport, SaysOnAScreenThatEveryLockStays) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500'000));
  report.explained.emplace();
  const std::string text = adviceReportText(report, {});
  EXPECT_THAT(text, HasSubstr("One lock stays as it is (lock0): threads wait there in"));
  EXPECT_THAT(text, HasSubstr("\nKeep every lock; "));
  EXPECT_THAT(text, Not(HasSubstr("should be"))); // no table without changes
}

TEST(AdviceReport, HasOneSentenceForLocksThatCostNothing) {
  const auto textFor = [](const std::vector<test::TestLock> &locks) {
    return adviceReportText(reportFor(test::networkOf(locks, 500'000)), {});
  };
  EXPECT_THAT(textFor({{0.5, 3}, {0.5, 3}}), HasSubstr("lock0: keep the pthread mutex"));
  const std::string many = textFor({{0.5, 3}, {0.25, 3}, {0.25, 3}});
  EXPECT_THAT(many, Not(HasSubstr("lock0: keep")));
  EXPECT_THAT(many, HasSubstr("Nothing more is to be said of lock0, lock1 and lock2"));
}

TEST(AdviceReport, SaysWhetherTheProgramScalesWhereEveryLockIsKept) {
  AdviceReport report = reportFor(test::networkOf({{1, 300}}, 500'000));
  ASSERT_TRUE(report.decisions.locks[0].keep);
  const auto inOneLine = [&] {
    std::string text = adviceReportText(report, {});
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(std::unique(text.begin(), text.end(),
                           [](char one, char other) { return one == ' ' && other == ' '; }),
               text.end());
    return text;
  };
  report.scaling = {{1, 1}, {4, 3.9}, {16, 15}};
  EXPECT_THAT(inOneLine(), HasSubstr("The program scales: 16 threads do 15.0x the work of one."));
  report.decisions.today.blockedShare = 0.62;
  EXPECT_THAT(inOneLine(), HasSubstr("How far the program scales is not known: its threads are "
                                     "blocked for 62% of their time, in waits that locks do not "
                                     "explain."));
  report.decisions.today.blockedShare = 0.5;
  report.scaling = {{1, 1}, {4, 3.9}, {16, 5}};
  EXPECT_THAT(inOneLine(),
              HasSubstr("The program scales in part: 16 threads do 5.0x the work of one."));
  report.scaling = {{1, 1}, {4, 1.05}, {16, 1.07}};
  EXPECT_THAT(inOneLine(),
              HasSubstr("The program hardly scales: 16 threads do 1.07x the work of one."));
  report.scaling = {{1, 1}, {4, 0.4}, {16, 0.1}};
  EXPECT_THAT(inOneLine(), HasSubstr("The program does not scale: 16 threads do 0.10x the work"));
  report.scaling = {{1, 1}, {4, 3.9}, {16, 2}};
  WhatIf one;
  one.condition = "if it were 4 locks";
  one.today = {1.5, 1.2, 1.9};
  report.whatIfs = {one};
  EXPECT_THAT(inOneLine(), HasSubstr("it is fastest at about 4 threads, with 3.9x the work of one, "
                                     "and 16 threads do 2.0x."));
  EXPECT_THAT(inOneLine(), HasSubstr("what would help most is a change to the sections of lock0: "
                                     "1.50x (1.20x to 1.90x) if it were 4 locks."));
}

TEST(AdviceReport, DoesNotSayThatNothingHelpsAtALockOfWhichTheHoldingTimeIsUnknown) {
  Network network = test::networkOf({{1, 50'000}}, 50'000);
  network.sections[0].delayed = true;
  const std::string text = adviceReportText(reportFor(network), {});
  EXPECT_THAT(text, HasSubstr("nobody can tell"));
  EXPECT_THAT(text, HasSubstr("how long lock0 is held"));
  EXPECT_THAT(text, Not(HasSubstr("no change to the sections")));
}

TEST(AdviceJson, KeepsLocksThatTheNetworkLeavesOutAndSaysWhy) {
  testing::ProfileBuilder b;
  b.profile = testing::sampleProfile();
  const std::size_t left = b.lockClass("Left::m", LockKind::pthreadMutex);
  b.lock(left, 0x7000, 10);
  const std::size_t section = b.section(1, b.site("left()", 99), left, 10, 100);
  b.profile.sections[section].other = true;
  const Json json = adviceOn(b.profile);
  const auto lock = std::find_if(json["locks"].begin(), json["locks"].end(),
                                 [](const Json &at) { return at["name"] == "Left::m"; });
  ASSERT_NE(lock, json["locks"].end());
  const Json &advice = (*lock)["advice"];
  EXPECT_EQ(keys(advice), adviceKeys);
  EXPECT_EQ(advice["kind"], "pthread_mutex");
  EXPECT_EQ(advice["keep"], true);
  EXPECT_EQ(advice["speedup"], 1.0);
  EXPECT_EQ(advice["interval"], Json::array({1.0, 1.0}));
  ASSERT_EQ(advice["reasons"].size(), 1u);
  EXPECT_THAT(advice["reasons"][0].get<std::string>(), HasSubstr("max_sections"));
}

TEST(AdviceJson, NamesTheLocksOfANetworkWithoutAProfile) {
  Json document;
  addAdviceJson(document, reportFor(test::networkOf({{1, 300}}, 500)));
  ASSERT_EQ(document["locks"].size(), 1u);
  EXPECT_EQ(document["locks"][0]["name"], "lock0");
  EXPECT_EQ(keys(document["locks"][0]["advice"]), adviceKeys);
}

} // namespace
} // namespace qdadvise
