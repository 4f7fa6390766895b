// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/Reporter.h"

#include "advisor/report/JsonReporter.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> namesOf(ReportKind report) {
  std::vector<std::string> names;
  for (const ReportFormat *format : formatsOf(report))
    names.emplace_back(format->name);
  return names;
}

/// One lock, one algorithm, two numbers of threads.
PredictionReport prediction() {
  PredictionReport report;
  report.source = "net.toml";
  report.machine = "test machine";
  report.cores = 4;
  report.lockNames = {"Db::m"};
  KindPredictions &kind = report.kinds.emplace_back();
  kind.kind = LockKind::spinlock;
  for (const int threads : {1, 2}) {
    PredictedPoint &at = kind.points.emplace_back();
    at.figures.threads = threads;
    at.figures.throughputPerS = 1e6 * threads;
    at.figures.speedup = threads;
    at.figures.model = "recursion";
    at.figures.locks.resize(1);
    at.figures.locks[0].waitNs = 100;
    at.intervals = {{0.9e6, 1.1e6}, {0.9, 1.1}, {LockIntervals{}}};
    if (threads == 2)
      at.figures.notes = {"a bound"};
  }
  return report;
}

TEST(PredictionReports, PrintNothingThatIsImpossible) {
  PredictionReport report = prediction();
  report.kinds[0].points[1].figures.impossible = "it is no number";
  const std::string text =
      formatsOf(predictionReport)[0]->make(TextStyle())->writePrediction(report);
  EXPECT_THAT(text, HasSubstr("spinlock             1        1 M"));
  EXPECT_THAT(text, HasSubstr("spinlock             2          -               -         - -\n"));
  EXPECT_THAT(text, Not(HasSubstr("2 M")));
  const std::string json =
      formatsOf(predictionReport)[1]->make(TextStyle())->writePrediction(report);
  const auto parsed = nlohmann::json::parse(json);
  const auto &kind = parsed["kinds"]["spinlock"];
  EXPECT_EQ(kind["throughput_per_s"][0], 1e6);
  EXPECT_TRUE(kind["throughput_per_s"][1].is_null());
  EXPECT_TRUE(kind["speedup_ci95"][1].is_null());
  EXPECT_TRUE(kind["locks"][0]["wait_ns"][1].is_null());
  EXPECT_EQ(parsed["threads"][1], 2);
}

/// A program without the lock may be predicted for some numbers of threads only.
TEST(PredictionReports, HaveNullForAnOptimismThatIsNotKnown) {
  PredictionReport report = prediction();
  report.kinds[0].points[0].optimism = {std::nullopt};
  report.kinds[0].points[1].optimism = {PredictedOptimism{0.25, 1.5}};
  const std::string json =
      formatsOf(predictionReport)[1]->make(TextStyle())->writePrediction(report);
  const auto lock = nlohmann::json::parse(json)["kinds"]["spinlock"]["locks"][0];
  EXPECT_TRUE(lock["conflict_probability"][0].is_null());
  EXPECT_EQ(lock["conflict_probability"][1], 0.25);
  EXPECT_TRUE(lock["optimistic_speedup"][0].is_null());
  EXPECT_EQ(lock["optimistic_speedup"][1], 1.5);
}

TEST(ReportFormats, AreThoseOfTheReport) {
  EXPECT_THAT(namesOf(profileReport), ElementsAre("text", "json", "html", "sarif", "pprof"));
  EXPECT_THAT(namesOf(predictionReport), ElementsAre("text", "json", "html", "svg"));
  EXPECT_THAT(namesOf(adviceReport), ElementsAre("text", "json", "html", "sarif", "toml"));
}

TEST(ReportFormats, WriteAllThatTheySay) {
  ProfileReport measured;
  measured.profile = testing::sampleProfile();
  measured.summary = summarize(measured.profile);
  for (const ReportFormat *format : formatsOf(profileReport))
    EXPECT_THAT(format->make({})->writeProfile(measured), Not(IsEmpty())) << format->name;
  for (const ReportFormat *format : formatsOf(predictionReport))
    EXPECT_THAT(format->make({})->writePrediction(prediction()), Not(IsEmpty())) << format->name;
}

TEST(PredictionText, HasATableOfTheProgramAndOneOfEachLock) {
  const std::string text = formatNamed("text").make({})->writePrediction(prediction());
  EXPECT_THAT(
      text,
      HasSubstr("Predicted for net.toml\n"
                "machine: test machine; 4 cores\n"
                "\n"
                "all locks      threads sections/s   95 % interval  speed-up  model\n"
                "spinlock             1        1 M       0.9-1.1 M      1.00  recursion\n"
                "spinlock             2        2 M       0.9-1.1 M      2.00  recursion\n"
                "\n"
                "lock Db::m\n"
                "               threads     wait  95 % interval  queue    held   taken acquired/s\n"
                "spinlock             1   100 ns"));
  EXPECT_THAT(text, HasSubstr("note: a bound (2 threads)\n"));
  EXPECT_THAT(text, Not(HasSubstr("optimistic")));
}

/// Seven locks and all algorithms of a long list, as `predict --threads 1..64` has them.
PredictionReport longPrediction() {
  PredictionReport report = prediction();
  report.lockNames = {"a", "b", "c", "d", "e", "f", "g"};
  report.kinds.clear();
  for (const LockKind algorithm : {LockKind::pthreadMutex, LockKind::spinlock, LockKind::mcs}) {
    KindPredictions &kind = report.kinds.emplace_back();
    kind.kind = algorithm;
    for (int threads = 1; threads <= 64; ++threads) {
      PredictedPoint at = prediction().kinds[0].points[0];
      at.figures.threads = threads;
      at.figures.throughputPerS = 1e6 * (threads <= 10 ? threads : 20 - threads / 10);
      at.figures.locks.resize(7);
      at.intervals.locks.resize(7);
      at.figures.locks[2].waitNs = 1e6; // at lock c
      for (LockPrediction &lock : at.figures.locks)
        lock.throughputPerS = 1000;
      kind.points.push_back(at);
    }
  }
  return report;
}

TEST(PredictionText, IsAScreenOfWhatMattersUnlessAllIsAskedFor) {
  PredictionReport report = longPrediction();
  const auto lines = [](const std::string &text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const std::string screen = formatNamed("text").make({})->writePrediction(report);
  EXPECT_LE(lines(screen), 50) << screen;
  EXPECT_THAT(screen,
              HasSubstr("sections/s at         1        2        5       12       28       "
                        "64  best at\n"
                        "pthread mutex       1 M      2 M      5 M     19 M     18 M     14 M "
                        "      11\n"));
  EXPECT_THAT(screen, HasSubstr("lock c\n"));
  EXPECT_THAT(screen, Not(HasSubstr("lock a\n")));
  EXPECT_THAT(screen, HasSubstr("6 more locks not shown"));
  report.all = true;
  const std::string all = formatNamed("text").make({})->writePrediction(report);
  EXPECT_GT(lines(all), 7 * 3 * 64);
  EXPECT_THAT(all, HasSubstr("lock g\n"));
}

TEST(PredictionJson, HasAColumnForEachFigure) {
  const auto json =
      nlohmann::ordered_json::parse(formatNamed("json").make({})->writePrediction(prediction()));
  EXPECT_EQ(json["threads"], nlohmann::ordered_json({1, 2}));
  EXPECT_EQ(json["kinds"]["spinlock"]["speedup"], nlohmann::ordered_json({1.0, 2.0}));
  EXPECT_EQ(json["kinds"]["spinlock"]["locks"][0]["wait_ns"],
            nlohmann::ordered_json({100.0, 100.0}));
  EXPECT_FALSE(json["kinds"]["spinlock"].contains("run_speedup"));
}

} // namespace
} // namespace qdadvise
