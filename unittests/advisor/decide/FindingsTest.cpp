// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Findings.h"

#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

/// Four workers on one lock, in a run of a second.
struct Program : ProfileBuilder {
  Program() {
    profile.maxThreads = 4;
    worker = threads("work(void*)", 4);
    db = lockClass("Db::m", LockKind::pthreadMutex);
    lock(db, 0x1000, 1);
    get = site("Db::get(int)", 42);
  }

  ProfiledSection &visits(std::uint64_t acquisitions, std::uint64_t contended, double holdNs = 100,
                          std::optional<std::size_t> inside = std::nullopt) {
    return visits(get, db, acquisitions, contended, holdNs, inside);
  }
  ProfiledSection &visits(std::size_t site, std::size_t lockClass, std::uint64_t acquisitions,
                          std::uint64_t contended, double holdNs = 100,
                          std::optional<std::size_t> inside = std::nullopt) {
    ProfiledSection &one =
        profile.sections[section(worker, site, lockClass, acquisitions, holdNs, inside)];
    one.contended = contended;
    return one;
  }
  void instance(std::uint64_t acquisitions, std::uint64_t contended) {
    profile.locks.push_back(
        {db, 0x2000 + 64 * profile.locks.size(), acquisitions, contended, 0, 0});
  }

  std::vector<Finding> findings(const FindingThresholds &thresholds = ofAnyCost()) const {
    return findingsOf(profile, summarize(profile), thresholds);
  }
  /// Its locks are taken in no time.
  static FindingThresholds ofAnyCost() {
    FindingThresholds thresholds;
    thresholds.lockingShare = 0;
    return thresholds;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    for (const Finding &finding : findings())
      ids.emplace_back(finding.id);
    return ids;
  }
  /// Of the only finding.
  std::vector<std::string> causes() const {
    std::vector<std::string> causes;
    const std::vector<Finding> found = findings();
    EXPECT_EQ(found.size(), 1u);
    if (!found.empty())
      for (const CauseFound &one : found.front().causes)
        causes.emplace_back(one.cause->id);
    return causes;
  }

  std::size_t worker, db, get;
};

double number(const Finding &finding, const std::string &name) {
  for (const auto &[key, value] : finding.numbers)
    if (key == name)
      return value;
  ADD_FAILURE() << name << " is not among the numbers";
  return 0;
}

} // namespace

TEST(Findings, DivideLocksIntoFourQuadrants) {
  struct Case {
    std::uint64_t acquisitions, contended;
    double durationNs;
    Quadrant quadrant;
  };
  const Case cases[] = {
      {100, 11, 1e9, Quadrant::q1},   // canneal's kind
      {100, 10, 1e9, Quadrant::q3},   // the threshold itself is not above it
      {1001, 101, 1e9, Quadrant::q2}, //
      {1000, 101, 1e9, Quadrant::q1}, //
      {1001, 100, 1e9, Quadrant::q4}, //
      {10010, 0, 1e10, Quadrant::q4}, //
      {10000, 0, 1e10, Quadrant::q3}, //
      {500, 0, 1e8, Quadrant::q3},    // too short a run to speak of 5000 a second
      {9, 9, 1e9, Quadrant::q3},      // too few to tell a rate
      {0, 0, 0, Quadrant::q3},
  };
  for (const Case &one : cases)
    EXPECT_EQ(quadrantOf(one.acquisitions, one.contended, one.durationNs, {}), one.quadrant)
        << one.acquisitions << " acquisitions, " << one.contended << " contended";
}

TEST(Findings, CountPerSecondThatWasRecorded) {
  // A tenth of a second of one, and of a run that was no longer than that.
  EXPECT_EQ(quadrantOf(500, 0, 1e8, {}, 0.1), Quadrant::q4);
  EXPECT_EQ(quadrantOf(500, 0, 1e8, {}, 1), Quadrant::q3);
  EXPECT_EQ(quadrantOf(50, 0, 1e8, {}, 0.1), Quadrant::q3);
}

TEST(Findings, NameTheLockItsSitesAndNumbers) {
  Program program;
  program.visits(40000, 20000).wait = constant(40000, 10000);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  const Finding &finding = found.front();
  EXPECT_STREQ(finding.id, "high-contention");
  EXPECT_EQ(finding.quadrant, Quadrant::q2);
  EXPECT_EQ(finding.lock, "Db::m");
  EXPECT_THAT(finding.places, ElementsAre("src/db.cc:42"));
  EXPECT_EQ(number(finding, "acquisitions_per_s"), 40000);
  EXPECT_EQ(number(finding, "contention_rate"), 0.5);
  EXPECT_EQ(number(finding, "wait_ns"), 10000);
  // The builder's threads live for a second together.
  EXPECT_NEAR(finding.lost, 0.4, 1e-12);
  EXPECT_EQ(finding.message, "found taken in 50% of acquisitions; taken 40 thousand times, "
                             "40 thousand a second; waiting for it took 40% of the threads' time");
}

TEST(Findings, FollowTheThresholds) {
  Program program;
  program.visits(2000, 100);
  EXPECT_THAT(program.ids(), ElementsAre("extensive-acquisitions"));
  FindingThresholds thresholds = Program::ofAnyCost();
  thresholds.acquisitionsPerS = 3000;
  EXPECT_THAT(program.findings(thresholds), IsEmpty());
  thresholds.contentionRate = 0.04;
  EXPECT_STREQ(program.findings(thresholds).at(0).id, "high-contention");
}

TEST(Findings, OfFrequentAcquisitionsNeedThatLockingTakesTime) {
  Program program;
  program.visits(2000, 0).wait = constant(2000, 4000);
  EXPECT_THAT(program.findings({}), IsEmpty()) << "0.8 % of a second";
  program.profile.sites[program.get].facts = factsKnown | factOneIntegerUpdate;
  EXPECT_EQ(program.findings({}).size(), 1u) << "what the source shows is said at any cost";
  Program dearer;
  dearer.visits(2000, 0).wait = constant(2000, 10000);
  EXPECT_STREQ(dearer.findings({}).at(0).id, "extensive-acquisitions");
}

TEST(Findings, OfFrequentAcquisitionsLeaveOutWaitsForAProcessor) {
  Program program;
  ProfiledSection &section = program.visits(2000, 4);
  section.wait = constant(1996, 100);
  section.waitContended = constant(4, 15e6);
  section.wait.merge(section.waitContended);
  EXPECT_STREQ(program.findings({}).at(0).id, "extensive-acquisitions");
  program.profile.onProcessorNs = 0.5e9;
  program.profile.runDelayNs = 0.5e9;
  EXPECT_THAT(program.findings({}), IsEmpty()) << "four waits, of threads that were preempted";
}

TEST(Findings, OfLocksThatOneThreadTookAreWhatTheSourceTells) {
  Program program;
  program.profile.threadClasses[program.worker].maxAlive = 1;
  // A preempted owner looks like contention to a lock without a reader.
  program.visits(50000, 9000);
  EXPECT_THAT(program.ids(), IsEmpty());
  program.profile.sites[program.get].facts = factsKnown | factOneIntegerUpdate;
  EXPECT_THAT(program.ids(), ElementsAre("extensive-acquisitions"));
  EXPECT_THAT(program.causes(), ElementsAre("one-integer"));
  EXPECT_THAT(program.findings()[0].message, Not(HasSubstr("contended")));
}

TEST(Findings, CountTwoClassesOfOneThreadAsTwoThreads) {
  Program program;
  program.profile.threadClasses[program.worker].maxAlive = 1;
  const std::size_t other = program.threads("other", 1);
  program.visits(500, 100);
  program.visits(500, 100).threadClass = other;
  EXPECT_THAT(program.ids(), ElementsAre("high-contention"));
}

TEST(Findings, AreNarrowedByTheFactsOfTheSections) {
  const std::pair<SectionFactBits, std::vector<std::string>> cases[] = {
      {0, {"short-section", "small-sections", "one-integer", "nothing-shared"}},
      {factsKnown, {"short-section", "small-sections", "nothing-shared"}},
      {factsKnown | factOneIntegerUpdate, {"one-integer"}},
      {factsKnown | factEmpty, {"nothing-shared"}},
      {factsKnown | factDoesIo, {"small-sections", "nothing-shared"}},
  };
  for (const auto &[facts, causes] : cases) {
    Program program;
    program.visits(50000, 0);
    program.profile.sites[program.get].facts = facts;
    EXPECT_EQ(program.causes(), causes) << facts;
  }
}

TEST(Findings, TellLongSectionsFromMuchDataByTheHoldingTime) {
  Program few, longer, shorter, sleeping;
  few.visits(100, 50, 1e6);
  EXPECT_THAT(few.causes(), ElementsAre("long-section", "much-data"));
  longer.visits(50000, 9000, 2000);
  EXPECT_THAT(longer.causes(), ElementsAre("long-section", "one-integer", "read-only", "much-data",
                                           "nothing-shared"));
  shorter.visits(50000, 9000, 50);
  shorter.profile.sites[shorter.get].facts = factsKnown;
  EXPECT_THAT(shorter.causes(), ElementsAre("much-data", "nothing-shared"));
  sleeping.visits(100, 50, 1e6);
  sleeping.profile.sites[sleeping.get].facts = factsKnown | factWaits;
  EXPECT_THAT(sleeping.causes(), ElementsAre("sleeping-section", "much-data"));
  // A condition wait gives the lock up meanwhile.
  const std::size_t wait = sleeping.site("Db::get(int)", 44);
  sleeping.profile.sites[wait].role = static_cast<std::uint32_t>(SiteRole::wait);
  sleeping.profile.sites[wait].facts = factsKnown;
  sleeping.visits(wait, sleeping.db, 100, 0, 1e6);
  EXPECT_THAT(sleeping.causes(), ElementsAre("long-section", "much-data"));
}

TEST(Findings, ShowLocksThatAnotherOneProtectsAlready) {
  Program program;
  const std::size_t inner = program.lockClass("Log::m", LockKind::pthreadMutex);
  program.lock(inner, 0x9000, 1);
  const std::size_t add = program.site("Log::add()", 12, "src/log.cc");
  program.visits(100, 0);
  program.visits(add, inner, 20000, 0, 50, 0);
  EXPECT_THAT(program.causes(), ElementsAre("always-inside"));
  EXPECT_EQ(program.findings()[0].lock, "Log::m");
  EXPECT_THAT(program.findings()[0].causes[0].text, HasSubstr("while 'Db::m' is held"));
  // Not if readers are in together, nor if another path takes it alone, nor if there are
  // several outer ones.
  Program readers = program, another = program, several = program;
  readers.profile.sections[0].shared = true;
  another.visits(add, inner, 1, 0);
  several.instance(1, 0);
  for (const Program *one : {&readers, &another, &several})
    EXPECT_THAT(one->causes(),
                ElementsAre("short-section", "small-sections", "one-integer", "nothing-shared"));
}

TEST(Findings, ShowLocksThatSerializeOthers) {
  Program program;
  const std::size_t inner = program.lockClass("Row::m", LockKind::pthreadMutex);
  const std::size_t put = program.site("Row::put()", 12);
  program.lock(inner, 0x9000, 1);
  program.lock(inner, 0x9040, 1);
  program.visits(20000, 9000, 3000);
  program.visits(put, inner, 20000, 0, 2000, 0);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].lock, "Db::m");
  EXPECT_STREQ(found[0].causes.at(0).cause->id, "common-lock");
  // One of the two can go, not both.
  EXPECT_STRNE(found[1].causes.at(0).cause->id, "always-inside");
}

TEST(Findings, ShowSectionsOfOneFunctionInARow) {
  Program program;
  const std::size_t again = program.site("Db::get(int)", 48);
  program.visits(5000, 0);
  program.visits(again, program.db, 5000, 0);
  EXPECT_THAT(program.causes(),
              ElementsAre("short-section", "small-sections", "one-integer", "nothing-shared"));
  program.transition(program.worker, 0, 1, 5000, 300);
  EXPECT_THAT(program.causes(), ElementsAre("sections-in-a-row"));
  EXPECT_THAT(program.findings()[0].causes[0].text, HasSubstr("Db::get takes it several times"));
  program.profile.transitions[0].local = constant(5000, 20000);
  EXPECT_THAT(program.causes(), Not(ElementsAre("sections-in-a-row")));
}

TEST(Findings, TakeTheMedianForTheLengthOfASection) {
  Program program;
  ProfiledSection &often = program.visits(49000, 0, 100);
  // Somebody lost the core with the lock held, now and then.
  often.hold.merge(constant(1000, 4e6));
  addToHistogram(often.holdHistogram, 4e6, 1000);
  often.acquisitions += 1000;
  program.profile.sites[program.get].facts = factsKnown;
  EXPECT_THAT(program.causes(), ElementsAre("short-section", "small-sections", "nothing-shared"));
}

TEST(Findings, KnowTheLockOfAConditionVariable) {
  Program program;
  const std::size_t wait = program.site("Db::get(int)", 44);
  program.profile.sites[wait].role = static_cast<std::uint32_t>(SiteRole::wait);
  program.profile.sites[program.get].facts = program.profile.sites[wait].facts = factsKnown;
  program.visits(5000, 0);
  program.visits(wait, program.db, 5000, 0);
  program.transition(program.worker, 0, 1, 5000, 300);
  EXPECT_THAT(program.causes(), ElementsAre("small-sections"));
}

TEST(Findings, AddUpTheLocksOfOneSite) {
  Program program;
  const std::size_t other = program.lockClass("Other::m", LockKind::pthreadMutex);
  program.lock(other, 0x9000, 1);
  program.visits(program.get, program.db, 700, 0);
  program.visits(program.get, other, 800, 0);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].quadrant, Quadrant::q4);
  EXPECT_THAT(found[0].message, HasSubstr("2 kinds of locks at one place"));
  EXPECT_THAT(found[0].places, ElementsAre("src/db.cc:42"));
}

TEST(Findings, ShowTheOneSiteWhereALockIsContended) {
  Program program;
  const std::size_t flush = program.site("Db::flush()", 90);
  program.visits(900, 0);
  program.visits(flush, program.db, 50, 40);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].quadrant, Quadrant::q1);
  EXPECT_THAT(found[0].places, ElementsAre("src/db.cc:90"));
}

TEST(Findings, TellAsymmetricContentionWhereThereIsEnoughToTell) {
  struct Case {
    std::uint64_t highAcquisitions, highContended, lowAcquisitions, lowContended;
    bool found;
  };
  const Case cases[] = {
      {8586, 1168, 300, 0, true}, // dedup: 13.6 %, and under 1 %
      {8586, 1168, 3, 0, false},  // three acquisitions say nothing
      {8586, 1168, 8000, 700, false}, {8586, 3000, 8000, 1000, true},
      {8586, 800, 8000, 10, false}, // nobody is highly contended
      {20, 4, 20, 1, false},
  };
  for (const Case &one : cases) {
    Program program;
    program.profile.locks.clear();
    program.instance(one.highAcquisitions, one.highContended);
    program.instance(one.lowAcquisitions, one.lowContended);
    program.visits(one.highAcquisitions + one.lowAcquisitions,
                   one.highContended + one.lowContended);
    const std::vector<std::string> ids = program.ids();
    EXPECT_EQ(std::count(ids.begin(), ids.end(), "asymmetric-contention"), one.found)
        << one.highAcquisitions << " and " << one.lowAcquisitions;
    if (one.found) {
      EXPECT_EQ(ids.size(), 1u) << "contention that is explained is told once";
    }
  }
}

TEST(Findings, SeeAsymmetryAmongLocksThatAreNoMore) {
  Program program;
  program.profile.locks.clear();
  program.profile.closedLocks.push_back({program.db, 13, 1, 8586, 4000, 0, 0});
  program.profile.closedLocks.push_back({program.db, 8, 60, 20000, 100, 0, 0});
  program.visits(28586, 4100);
  EXPECT_THAT(program.ids(), ElementsAre("asymmetric-contention"));
  EXPECT_NEAR(number(program.findings()[0], "highest_contention_rate"), 4000. / 8586, 1e-12);
}

TEST(Findings, CountFailingTriesButNotTimedOnes) {
  Program program;
  program.visits(1000, 0).tryFailures = 9000;
  program.profile.sites[program.get].flags = siteTry;
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].id, "try-lock-failures");
  EXPECT_EQ(number(found[0], "try_failure_rate"), 0.9);
  EXPECT_EQ(number(found[0], "tries_per_s"), 10000);
  program.profile.sites[program.get].flags = siteTimed;
  EXPECT_THAT(program.ids(), IsEmpty());
}

TEST(Findings, ShareOutTheThreadsOfAnUnbalancedPipeline) {
  Program program;
  program.profile.threadClasses.clear();
  // Four threads a stage, four seconds: 0.2, 1 and 3.6 s of them compute.
  for (const double computing : {0.2, 1.0, 3.6}) {
    const std::size_t stage = program.threads("stage", 4);
    program.profile.threadClasses[stage].aliveNs = 4e9;
    program.profile.threadClasses[stage].blockedNs = 4e9 - computing * 1e9;
  }
  program.threads("main", 1, true);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].id, "load-imbalance");
  ASSERT_EQ(found[0].threads.size(), 3u);
  EXPECT_NEAR(found[0].threads[0].exact, 0.5, 1e-9);
  EXPECT_NEAR(found[0].threads[2].exact, 9, 1e-9);
  EXPECT_NEAR(found[0].threads[2].waiting, 0.1, 1e-9);
  EXPECT_EQ(found[0].threads[0].best, 1u);
  EXPECT_EQ(found[0].threads[1].best, 3u);
  EXPECT_EQ(found[0].threads[2].best, 8u);
  EXPECT_NEAR(found[0].lost, 0.5, 1e-9);
}

TEST(Findings, CallNoLoadUnbalancedThatCannotBeSharedOutBetter) {
  struct Case {
    const char *what;
    std::vector<std::pair<std::uint32_t, double>> classes; ///< threads, each one's computing share
  };
  const Case cases[] = {
      {"within 20 %", {{4, 0.50}, {4, 0.60}}},
      {"nobody waits", {{4, 0.85}, {4, 1.0}}},
      {"one thread each", {{1, 0.1}, {1, 1.0}}},
      {"in proportion", {{1, 0.4}, {7, 1.0}}},
      {"one class", {{8, 0.5}}},
  };
  for (const Case &one : cases) {
    Program program;
    program.profile.threadClasses.clear();
    for (const auto &[count, share] : one.classes) {
      const std::size_t stage = program.threads("stage", count);
      program.profile.threadClasses[stage].aliveNs = count * 1e9;
      program.profile.threadClasses[stage].blockedNs = count * (1 - share) * 1e9;
    }
    program.threads("main", 1, true);
    program.profile.threadClasses.back().blockedNs = 1e9;
    EXPECT_THAT(program.ids(), IsEmpty()) << one.what;
  }
}

TEST(Findings, ComeTheCostliestFirst) {
  Program program;
  const std::size_t other = program.lockClass("Other::m", LockKind::pthreadMutex);
  program.lock(other, 0x9000, 1);
  const std::size_t site = program.site("Other::f()", 7);
  program.visits(2000, 1000).wait = constant(2000, 100);
  program.visits(site, other, 50, 20).wait = constant(50, 1e6);
  EXPECT_THAT(program.ids().size(), 2u);
  EXPECT_EQ(program.findings()[0].lock, "Other::m");
}

TEST(Findings, SayNothingOfTheSectionsBeyondMaxSections) {
  Program program;
  program.visits(50000, 20000).other = true;
  EXPECT_THAT(program.ids(), IsEmpty());
}

TEST(Findings, NeedNoTimes) {
  Program program;
  program.profile.flags |= format::runCountersOnly;
  program.visits(20000, 9000);
  const std::vector<Finding> found = program.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].message, Not(HasSubstr("time of")));
  EXPECT_EQ(found[0].message,
            "found taken in 45% of acquisitions; taken 20 thousand times, 20 thousand a second");
}
