// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"
#include "bench/accuracy/Assignments.h"
#include "bench/accuracy/Cases.h"
#include "bench/accuracy/Replications.h"
#include "bench/accuracy/Results.h"
#include "bench/accuracy/Scores.h"
#include "bench/accuracy/Tables.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

namespace qdadvise::accuracy {
namespace {

using testing::HasSubstr;
using testing::Not;

Simulated simulatedWith(double perS, double waitNs, double residenceNs) {
  return {{perS, perS / 100}, {{{waitNs, waitNs / 50}, residenceNs}}};
}

TEST(Cases, PartsHaveAllOfTheMetaBenchmarkAndAllRandomNetworksBetweenThem) {
  std::set<std::string> names;
  std::size_t meta = 0, random = 0;
  for (const Part part : {Part::develop, Part::score})
    for (const Case &one : casesOf(part)) {
      EXPECT_TRUE(names.insert(one.name).second) << one.name << " is in both parts";
      ++(one.metaMatrix ? meta : random);
    }
  EXPECT_EQ(meta, 3500u);
  EXPECT_GE(random, 500u);
}

TEST(Cases, TheMetaBenchmarkIsWhatBothPartsHaveOfIt) {
  std::set<std::string> whole, parts;
  for (const Case &one : metaCases())
    whole.insert(one.name);
  for (const Part part : {Part::develop, Part::score})
    for (const Case &one : casesOf(part))
      if (one.metaMatrix)
        parts.insert(one.name);
  EXPECT_EQ(whole, parts);
}

TEST(Cases, TheFirstOnesAreASampleOfBothFamilies) {
  const auto cases = casesOf(Part::develop);
  std::set<double> sections;
  std::size_t meta = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    meta += cases[i].metaMatrix ? 1 : 0;
    if (cases[i].metaMatrix)
      sections.insert(cases[i].network.sections[0].hold.mean);
  }
  EXPECT_EQ(meta, 50u);
  EXPECT_EQ(sections.size(), workloads::metaSectionNs.size());
}

TEST(Assignments, AreCalledAfterTheirOneAlgorithm) {
  EXPECT_EQ(labelOf({LockKind::qd, LockKind::qd}), "qd");
  EXPECT_EQ(labelOf({LockKind::qd, LockKind::mcs, LockKind::qd}), "qd+mcs+qd");
}

TEST(Assignments, ThoseThatPromiseMostComeFirst) {
  const std::vector<Case> cases = casesOf(Part::develop);
  const auto which = std::find_if(cases.begin(), cases.end(), [](const Case &one) {
    return one.threads > 4 && one.network.locks.size() == 3;
  });
  ASSERT_NE(which, cases.end());
  const auto choices =
      choicesOf(*which, genericMachine(), {LockKind::pthreadMutex, LockKind::qd}, 100);
  ASSERT_TRUE(choices) << choices.error().message;
  EXPECT_EQ(choices->advised.size(), 3u);
  EXPECT_EQ(choices->promising.size(), 8u);
  EXPECT_EQ(std::set<Assignment>(choices->promising.begin(), choices->promising.end()).size(), 8u);
  double before = INFINITY;
  for (const Assignment &one : choices->promising) {
    const auto predicted =
        predict(which->network, one, genericMachine(), which->threads, {0, "auto", 10e6});
    ASSERT_TRUE(predicted) << predicted.error().message;
    EXPECT_LE(predicted->throughputPerS, before);
    before = predicted->throughputPerS;
  }
}

TEST(Assignments, ARuleLosesWhatTheBestHasMore) {
  Outcome good{"good", "qd", "qd", 100, 100, 50, 100, 100};
  Outcome bad{"bad", "mcs", "spinlock", 90, 100, 0, 97, 98};
  const std::string table = printAssignments({good, bad});
  EXPECT_THAT(table, HasSubstr("| `advise` | 2 | 50.0 | 50.0 | 5.0 | 0.0 | 10.0 |"));
  EXPECT_THAT(table, HasSubstr("| keep everything (`pthread_mutex`) | 1 | 0.0 | 0.0 | 50.0 |"));
  EXPECT_THAT(table, HasSubstr("| `qd` everywhere | 2 | 50.0 | 100.0 | 1.5 |"));
  const std::string worst = printWorst({good, bad}, 1);
  EXPECT_THAT(worst, HasSubstr("| bad | `mcs` | `spinlock` | 10.0 |"));
  EXPECT_THAT(worst, Not(HasSubstr("good")));
}

TEST(Lines, AreReadAsTheyWereWritten) {
  const Simulated written{{1e6, 2e3}, {{{100, 3}, 250}, {{0, 0}, 70.5}}};
  std::uint64_t key = 0;
  Simulated read;
  ASSERT_TRUE(parseLine(printLine(0xabcu, "name", written), key, read));
  EXPECT_EQ(key, 0xabcu);
  EXPECT_EQ(read.throughputPerS.value, 1e6);
  EXPECT_EQ(read.throughputPerS.half, 2e3);
  ASSERT_EQ(read.locks.size(), 2u);
  EXPECT_EQ(read.locks[0].waitNs.half, 3);
  EXPECT_EQ(read.locks[1].residenceNs, 70.5);
  for (const char *damaged :
       {"", "abc", "0000000000000abc\tname\t1\t2\t", "0000000000000abc\tname\t1\t2\t3 4",
        "000000000000zabc\tn\t1\t2\t3 4 5", "0000000000000abc\tname\tinf\t2\t3 4 5"})
    EXPECT_FALSE(parseLine(damaged, key, read)) << damaged;
}

Simulated waiting(double waitNs, double half) {
  return {{1e9 / waitNs, 1}, {{{waitNs, half}, waitNs + 1000}}};
}

TEST(Replications, OneIsWhatItWas) {
  const Simulated one = combine({waiting(100, 60)});
  EXPECT_EQ(one.locks[0].waitNs.value, 100);
  EXPECT_EQ(one.locks[0].waitNs.half, 60);
  EXPECT_FALSE(one.locks[0].chance) << "a single run does not tell";
}

TEST(Replications, AreAveraged) {
  const Simulated all = combine({waiting(100, 1), waiting(200, 1), waiting(600, 1)});
  EXPECT_NEAR(all.locks[0].waitNs.value, 300, 1e-9);
  EXPECT_NEAR(all.locks[0].residenceNs, 1300, 1e-9);
  EXPECT_NEAR(all.throughputPerS.value, (1e7 + 5e6 + 1e9 / 600) / 3, 1);
}

TEST(Replications, ThatDifferMakeAWiderInterval) {
  // Standard deviation 10, so 4.303 * 10 / sqrt(3).
  const Simulated all = combine({waiting(90, 3), waiting(100, 3), waiting(110, 3)});
  EXPECT_NEAR(all.locks[0].waitNs.half, 24.84, 0.01);
  EXPECT_FALSE(all.locks[0].chance);
}

TEST(Replications, ThatAgreeAreNoSurerThanTheirIntervals) {
  // sqrt(6^2 + 6^2 + 3^2) / 3
  const Simulated all = combine({waiting(100, 6), waiting(100, 6), waiting(100, 3)});
  EXPECT_NEAR(all.locks[0].waitNs.half, 3, 1e-9);
}

TEST(Replications, ThatEndInDifferentStatesAreChance) {
  EXPECT_TRUE(combine({waiting(23000, 50), waiting(250, 5)}).locks[0].chance);
  EXPECT_TRUE(combine({waiting(23000, 50), waiting(250, 5), waiting(240, 5)}).locks[0].chance);
  // As many as it takes to know the mean nevertheless.
  std::vector<Simulated> many;
  for (int i = 0; i < 200; ++i)
    many.push_back(waiting(i % 2 == 0 ? 23000 : 250, 50));
  EXPECT_FALSE(combine(many).locks[0].chance);
}

TEST(Replications, OfNextToNoWaitingTimeAreNoChance) {
  EXPECT_FALSE(combine({waiting(1, 1), waiting(10, 1)}).locks[0].chance);
}

class ResultsFile : public testing::Test {
protected:
  ResultsFile() : path(testing::TempDir() + "accuracy-" + std::to_string(getpid())) {}
  ~ResultsFile() override { std::remove(path.c_str()); }
  std::string text() const {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  std::string path;
};

TEST_F(ResultsFile, KeepsWhatWasAdded) {
  {
    Results results;
    ASSERT_TRUE(results.open(path, true));
    EXPECT_TRUE(results.add(1, "one", simulatedWith(10, 5, 20)));
    EXPECT_TRUE(results.add(2, "two", simulatedWith(20, 5, 20)));
  }
  Results results;
  ASSERT_TRUE(results.open(path, true));
  EXPECT_EQ(results.size(), 2u);
  ASSERT_NE(results.find(2), nullptr);
  EXPECT_EQ(results.find(2)->throughputPerS.value, 20);
  EXPECT_EQ(results.find(3), nullptr);
}

TEST_F(ResultsFile, DropsALineThatWasCutShortAndGoesOn) {
  {
    Results results;
    ASSERT_TRUE(results.open(path, true));
    EXPECT_TRUE(results.add(1, "one", simulatedWith(10, 5, 20)));
  }
  const std::string whole = text();
  std::ofstream(path, std::ios::app) << "0000000000000002\ttwo\t12";
  {
    Results results;
    ASSERT_TRUE(results.open(path, true));
    EXPECT_EQ(results.size(), 1u);
    EXPECT_EQ(text(), whole);
    EXPECT_TRUE(results.add(3, "three", simulatedWith(10, 5, 20)));
  }
  Results results;
  ASSERT_TRUE(results.open(path, false));
  EXPECT_EQ(results.size(), 2u);
}

TEST_F(ResultsFile, RefusesWhatItDidNotWrite) {
  std::ofstream(path) << "precious\n";
  Results results;
  const auto opened = results.open(path, true);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr(":1:1: error: "));
  EXPECT_EQ(text(), "precious\n");
}

TEST_F(ResultsFile, OneWriterAtATime) {
  Results first, second;
  ASSERT_TRUE(first.open(path, true));
  const auto opened = second.open(path, true);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("in use"));
}

TEST(Errors, MeanPercentileAndBias) {
  Errors errors;
  for (const double predicted : {90.0, 100.0, 110.0, 150.0})
    errors.add(predicted, 100);
  EXPECT_EQ(errors.count(), 4u);
  EXPECT_NEAR(errors.mean(), 0.175, 1e-12);
  EXPECT_NEAR(errors.percentile(0.5), 0.1, 1e-12);
  EXPECT_NEAR(errors.percentile(0.95), 0.5, 1e-12);
  EXPECT_NEAR(errors.bias(), 0, 1e-12);
}

/// One case on one machine with three algorithms.
class Scoring : public testing::Test {
protected:
  Scoring() : one(casesOf(Part::develop)[1]) {
    one.network.locks.resize(1);
    add(LockKind::ideal, 200, 200, 0, 0);
    add(LockKind::pthreadMutex, 100, 100, 300, 200);
    add(LockKind::qd, 120, 90, 110, 100);
  }
  void add(LockKind kind, double predictedPerS, double simulatedPerS, double predictedWaitNs,
           double simulatedWaitNs) {
    Scored scored;
    scored.which = &one;
    scored.machine = "machine";
    scored.kind = nameOf(kind);
    scored.model = "auto";
    scored.predicted.model = "sleeping";
    scored.cores = 32;
    scored.predicted.throughputPerS = predictedPerS;
    LockPrediction lock;
    lock.waitNs = predictedWaitNs;
    lock.residenceNs = predictedWaitNs + 1000;
    scored.predicted.locks = {lock};
    scored.simulated = simulatedWith(simulatedPerS, simulatedWaitNs, simulatedWaitNs + 1000);
    all.push_back(scored);
  }
  Case one;
  std::vector<Scored> all;
};

TEST_F(Scoring, AWrongDecisionCostsWhatTheBestWouldHaveGiven) {
  const auto regrets = regretsOf(all);
  ASSERT_EQ(regrets.size(), 1u);
  EXPECT_EQ(regrets[0].advised, "qd");
  EXPECT_EQ(regrets[0].best, "pthread_mutex") << "ideal is no choice";
  EXPECT_NEAR(regrets[0].lost, 0.1, 1e-12);
}

TEST_F(Scoring, WaitIsScoredFromTwoPercentOfTheHoldingTimeOn) {
  EXPECT_TRUE(waitIsScored(simulatedWith(1, 20, 1020).locks[0]));
  EXPECT_FALSE(waitIsScored(simulatedWith(1, 19, 1019).locks[0]));
  EXPECT_FALSE(waitIsScored(simulatedWith(1, -3, 997).locks[0]));
}

TEST_F(Scoring, TablesHaveARowAnAlgorithm) {
  const std::string text = printScores(all);
  EXPECT_THAT(text, HasSubstr("## machine\n"));
  EXPECT_THAT(text, HasSubstr("| `pthread_mutex` | 1 | 0.0 | 0.0 | 0.0 | +0.0 | 1 | 8.3 |"));
  EXPECT_THAT(text, HasSubstr("| everything | 1 | 0.0 | 0.0 | 10.0 | 10.0 | 10.0 | 0.0 | 10.0 |"));
  EXPECT_THAT(printWorst(all, 1), HasSubstr("| `pthread_mutex` | `sleeping` | fifo | 300 | 200 |"));
}

TEST_F(Scoring, LocksThatAreChanceAreLeftOutAndCounted) {
  add(LockKind::qd, 120, 90, 110, 100);
  all.back().simulated.locks[0].chance = true;
  EXPECT_FALSE(waitIsScored(all.back().simulated.locks[0]));
  const std::string text = printScores(all);
  EXPECT_THAT(text, HasSubstr("| `qd` | 2 | 33.3 | 33.3 | 33.3 | +33.3 | 1 | "));
  EXPECT_THAT(text, HasSubstr("\nLocks left out, as replications tell W to no better than 25 %: "
                              "`qd` 1 of 2.\n"));
  all.pop_back();
  EXPECT_THAT(printScores(all), Not(HasSubstr("left out")));
}

TEST_F(Scoring, PlainCasesAreApart) {
  const auto rowOf = [&] {
    std::string rows;
    const std::string text = printScores(all);
    for (const char *region : {"plain, cv up to 1.5", "plain, a section of cv > 1.5", "not plain"})
      rows += text.find(fmt::format("\n| {} | 1 |", region)) == std::string::npos ? '-' : '+';
    return rows;
  };
  Network &network = one.network;
  network.classes.resize(1);
  network.sections.resize(1);
  network.sections[0].hold.cv = 1.5;
  network.locks[0].instances = 3;
  EXPECT_EQ(rowOf(), "+--");
  network.sections[0].hold.cv = 1.6;
  EXPECT_EQ(rowOf(), "-+-");
  const Network heavy = network;
  network.locks[0].shares = {0.5};
  EXPECT_EQ(rowOf(), "--+");
  network = heavy;
  network.sections[0].shared = true;
  EXPECT_EQ(rowOf(), "--+");
  network = heavy;
  network.classes.push_back(network.classes[0]);
  EXPECT_EQ(rowOf(), "--+");
  network = heavy;
  network.sections.push_back(network.sections[0]);
  network.sections[1].inside = 0;
  EXPECT_EQ(rowOf(), "--+");
}

TEST_F(Scoring, SeveralModelsStandBesideEachOther) {
  all = {all.back(), all.back()};
  all[0].model = "mascots2015";
  all[1].model = "auto";
  all[1].predicted.locks[0].waitNs = 105;
  const std::string text = printScores(all);
  EXPECT_THAT(text, HasSubstr("| region | cases | `qd`, `mascots2015` | `qd`, `auto` |"));
  EXPECT_THAT(text,
              HasSubstr("| everything | 1 | 33.3 / 0.9 / 10.0 (10) | 33.3 / 0.9 / 5.0 (5) |"));
  EXPECT_THAT(text, Not(HasSubstr("Decisions")));
  EXPECT_THAT(printWorst(all, 1), HasSubstr("| `qd` | `mascots2015` | fifo | 110 | 100 |"));
}

} // namespace
} // namespace qdadvise::accuracy
