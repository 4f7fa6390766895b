// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a diagnosis run adds to findings.

#include "advisor/decide/Findings.h"

#include "unittests/advisor/profile/SampleProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

constexpr std::uint64_t executions = 1000;

/// Sections of a hundred instructions that all read and write one shared structure.
SectionMemory traced() {
  SectionMemory memory;
  memory.executions = executions;
  memory.instructions = 100 * executions;
  memory.reads = 10 * executions;
  memory.writes = 5 * executions;
  memory.sharedAccesses = 15 * executions;
  memory.locationsRead = 5 * executions;
  memory.locationsWritten = 5 * executions;
  memory.linesRead = 2 * executions;
  memory.linesWritten = 2 * executions;
  memory.others = {2 * executions, 2 * executions, 2 * executions, 10 * executions, 4 * executions};
  memory.lines[0] = memory.lines[1] = memory.lines[2] = memory.lines[3] = 1;
  return memory;
}

void spread(SectionMemory &memory) {
  for (std::uint8_t &rank : memory.lines)
    rank = 3;
}

/// Four workers contend for one lock, in a run of a second; its sections of 3 us were traced.
struct Program : ProfileBuilder {
  explicit Program(std::uint64_t contended = 9000) {
    profile.maxThreads = 4;
    worker = threads("work(void*)", 4);
    db = lockClass("Db::m", LockKind::pthreadMutex);
    lock(db, 0x1000, 1);
    get = site("Db::get(int)", 42);
    profile.sites[get].facts = factsKnown;
    section(worker, get, db, 20000, 3000);
    profile.sections[0].contended = contended;
    profile.sections[0].memory = traced();
  }

  SectionMemory &memory() { return *profile.sections[0].memory; }
  void runAlone() { profile.threadClasses[worker].maxAlive = 1; }

  /// Its locks are taken in no time.
  static FindingThresholds ofAnyCost() {
    FindingThresholds thresholds;
    thresholds.lockingShare = 0;
    return thresholds;
  }
  std::vector<Finding> findings(const FindingThresholds &thresholds = ofAnyCost()) const {
    return findingsOf(profile, summarize(profile), thresholds);
  }
  /// Of the first finding.
  std::vector<std::string> causes(const FindingThresholds &thresholds = ofAnyCost()) const {
    std::vector<std::string> ids;
    const std::vector<Finding> found = findings(thresholds);
    if (!found.empty())
      for (const CauseFound &one : found.front().causes)
        ids.emplace_back(one.cause->id);
    return ids;
  }
  std::string text() const { return findings().at(0).causes.at(0).text; }

  std::size_t worker, db, get;
};

/// An outer lock that is held while two others are taken.
struct Nested : Program {
  Nested() {
    const std::size_t row = lockClass("Row::m", LockKind::pthreadMutex);
    lock(row, 0x9000, 1);
    lock(row, 0x9040, 1);
    const std::size_t put = site("Row::put()", 12);
    profile.sections[section(worker, put, row, 20000, 2000, 0)].memory = traced();
    profile.sites[get].facts = factsKnown | factTakesLock;
  }
};

} // namespace

TEST(Diagnosis, LeavesNothingOpenThatItHasSeen) {
  Program program;
  EXPECT_THAT(program.causes(), ElementsAre("long-section"));
  program.profile.sections[0].memory.reset();
  EXPECT_THAT(program.causes(),
              ElementsAre("long-section", "read-only", "much-data", "nothing-shared"));
}

TEST(Diagnosis, GivesItsNumbers) {
  const Finding finding = Program().findings().at(0);
  EXPECT_STREQ(finding.id, "high-contention");
  const auto has = [&](const char *name, double value) {
    EXPECT_THAT(finding.numbers, Contains(std::pair<std::string, double>(name, value)));
  };
  has("traced_executions", 1000);
  has("instructions", 100);
  has("shared_accesses", 15);
  has("unsafe_accesses", 15);
  has("cache_lines_written", 2);
  has("conflict_probability", 0.5);
}

TEST(Diagnosis, FindsManyDataUnderOneLock) {
  Program program;
  spread(program.memory());
  EXPECT_THAT(program.causes(), ElementsAre("long-section", "much-data"))
      << "all executions conflict: it may be so, but was not seen";
  program.memory().others.conflicts = executions / 50;
  EXPECT_THAT(program.causes(), ElementsAre("much-data"));
  EXPECT_THAT(program.text(), HasSubstr("one of two executions spoils the other in 0.5%)"));
  FindingThresholds thresholds;
  thresholds.manyLines = 1e5;
  EXPECT_THAT(program.causes(thresholds), Not(Contains("much-data")));
}

TEST(Diagnosis, FindsSectionsWithoutCommonDataUnderOneLock) {
  Program program;
  const auto add = [&](std::uint32_t line, std::uint64_t acquisitions, std::uint32_t site,
                       std::uint32_t with = 0) {
    const std::size_t place = program.site("Db::more()", line);
    program.profile.sites[place].facts = factsKnown;
    SectionMemory memory = traced();
    memory.site = site;
    if (with != 0)
      memory.overlaps[0] = {with, 0, 1};
    program.profile.sections[program.section(program.worker, place, program.db, acquisitions, 3000)]
        .memory = memory;
  };
  add(57, 20000, 2);
  add(63, 20000, 3, 2);
  EXPECT_THAT(program.causes(), Not(Contains("much-data"))) << "of one it is not known";
  program.memory().site = 1;
  EXPECT_THAT(program.causes(), ElementsAre("much-data"));
  EXPECT_THAT(program.text(),
              HasSubstr("; in 3000 traced executions, the sections at src/db.cc:42, and those at "
                        "src/db.cc:57, src/db.cc:63 shared none: give each part a lock"));
  add(70, 300, 4, 1);
  program.profile.sections[3].memory->overlaps[1] = {2, 0, 1};
  EXPECT_THAT(program.causes(), ElementsAre("much-data")) << "a rare one may take both";
  program.profile.sections[3].acquisitions = 3000;
  EXPECT_THAT(program.causes(), Not(Contains("much-data")));
  program.profile.sections[3].memory->overlaps[1] = {};
  program.profile.sites[program.get].facts |= factCallsUnknown;
  EXPECT_THAT(program.causes(), Contains("much-data"));
  EXPECT_EQ(program.findings().at(0).causes.size(), 2u)
      << "nor is it shown, where calls are unseen";
}

TEST(Diagnosis, FindsSectionsThatDoTooMuch) {
  Program program;
  program.memory().instructions = 47109 * executions;
  program.memory().sharedAccesses = 28 * executions;
  EXPECT_THAT(program.causes(), ElementsAre("large-section"));
  EXPECT_EQ(program.text(),
            "less than 0.1% of the 47.1 thousand instructions of its sections access what others "
            "access, too: leave in them what touches the shared data, and do the rest before or "
            "after");
  // What takes that long may be all about shared data.
  program.memory().sharedAccesses = 20000 * executions;
  EXPECT_THAT(program.causes(), IsEmpty());
  FindingThresholds thresholds;
  thresholds.sharedShare = 0.5;
  EXPECT_THAT(program.causes(thresholds), ElementsAre("large-section"));
}

TEST(Diagnosis, FindsSectionsOfLocalData) {
  Program program;
  program.memory().sharedAccesses = 0;
  EXPECT_THAT(program.causes(), ElementsAre("nothing-shared"));
  EXPECT_THAT(program.text(), HasSubstr("in 1000 traced executions: remove it"));
  program.memory().linesWritten = 0;
  program.memory().instructions = 1000 * executions;
  EXPECT_THAT(program.causes(), ElementsAre("nothing-shared")) << "whatever else it does";
  EXPECT_EQ(program.findings().at(0).causes.at(0).verdict, Verdict::shown);
  // Not surely so where there may be more than was seen, nor at all with a shared access.
  program.profile.sites[program.get].facts = factsKnown | factCallsUnknown;
  EXPECT_THAT(program.causes(), ElementsAre("nothing-shared"));
  EXPECT_EQ(program.findings().at(0).causes.at(0).verdict, Verdict::fits);
  program.memory().sharedAccesses = 1;
  EXPECT_THAT(program.causes(), Not(Contains("nothing-shared")));
}

TEST(Diagnosis, FindsSectionsThatAreAtomicAlready) {
  const auto verdict = [](const Program &program) {
    const std::vector<Finding> found = program.findings();
    for (const CauseFound &one : found.at(0).causes)
      if (one.cause->id == std::string("already-atomic"))
        return one.verdict;
    return Verdict::excluded;
  };
  Program program;
  SectionMemory &memory = program.memory();
  memory.atomics = executions;
  memory.safeAccesses = memory.sharedAccesses = 15 * executions;
  EXPECT_EQ(verdict(program), Verdict::shown);
  EXPECT_THAT(program.causes(), ElementsAre("already-atomic"));
  EXPECT_THAT(program.text(), HasSubstr("none of them writes: remove it, unless several"));
  memory.safeAccesses -= executions / 10;
  EXPECT_EQ(verdict(program), Verdict::fits) << "a few may have got in by mistake, or matter";
  EXPECT_THAT(program.findings().at(0).causes.back().text, HasSubstr("but for 0.7% of it"));
  memory.safeAccesses -= executions / 10;
  EXPECT_EQ(verdict(program), Verdict::excluded);
  memory.safeAccesses = memory.sharedAccesses;
  program.profile.sites[program.get].facts = factsKnown | factCallsUnknown;
  EXPECT_EQ(verdict(program), Verdict::fits) << "there may be more than was seen";
  memory.atomics = 0;
  EXPECT_EQ(verdict(program), Verdict::excluded) << "there are no atomic operations";
  memory.atomics = executions;
  memory.safeAccesses = memory.sharedAccesses = 0;
  EXPECT_EQ(verdict(program), Verdict::excluded);
}

TEST(Diagnosis, FindsUpdatesOfOneInteger) {
  const auto counting = [] {
    Program program;
    SectionMemory &memory = program.memory();
    memory.instructions = 5 * executions;
    memory.reads = memory.writes = memory.locationsWritten = executions;
    memory.sharedAccesses = 2 * executions;
    memory.locationsRead = memory.linesRead = 0;
    return program;
  };
  EXPECT_THAT(counting().causes(), Contains("one-integer"));
  Program many = counting(), reading = counting(), twice = counting();
  many.memory().instructions = 500 * executions;
  reading.memory().locationsRead = 1;
  twice.memory().writes = 2 * executions;
  for (const Program *one : {&many, &reading, &twice})
    EXPECT_THAT(one->causes(), Not(Contains("one-integer")));
}

TEST(Diagnosis, FindsSectionsThatMostlyRead) {
  Program program;
  program.memory().linesWritten = executions / 20;
  EXPECT_THAT(program.causes(), ElementsAre("read-only"));
  EXPECT_THAT(program.text(), HasSubstr("write to 0.05 cache lines on average"));
  program.memory().linesWritten = executions / 5;
  EXPECT_THAT(program.causes(), Not(Contains("read-only")));
}

TEST(Diagnosis, FindsLocksThatOnlySerialiseOthers) {
  Nested program;
  program.memory().sharedAccesses = 0;
  EXPECT_THAT(program.causes(), ElementsAre("common-lock"))
      << "and not one that protects nothing: it does, by the locks inside";
  EXPECT_EQ(program.findings().at(0).lock, "Db::m");
  program.memory().sharedAccesses = 15 * executions;
  EXPECT_THAT(program.causes(), ElementsAre("long-section", "common-lock"))
      << "it protects data of its own, too";
  program.memory().instructions = 100000 * executions;
  EXPECT_THAT(program.causes(), ElementsAre("long-section", "common-lock"))
      << "what is shared may be in the sections inside";
}

/// Then the outer lock is what protects it.
TEST(Diagnosis, KeepsTheCommonLockOfSectionsWithCommonData) {
  Nested program;
  program.memory().sharedAccesses = 0;
  const std::size_t cell = program.lockClass("Cell::m", LockKind::pthreadMutex);
  program.lock(cell, 0x9080, 1);
  const std::size_t put = program.site("Cell::put()", 22);
  const std::size_t inner = program.section(program.worker, put, cell, 20000, 500, 0);
  SectionMemory memory = traced();
  memory.site = 3;
  program.profile.sections[inner].memory = memory;
  program.profile.sections[1].memory->site = 2;
  EXPECT_THAT(program.causes(), ElementsAre("common-lock"));
  program.profile.sections[1].memory->overlaps[0] = {3, 0, 1};
  EXPECT_THAT(program.causes(), Not(Contains("common-lock")));
}

TEST(Diagnosis, FindsSmallSectionsInARow) {
  const auto inARow = [](double localNs) {
    Program program(0);
    const std::size_t again = program.site("Db::get(int)", 48);
    program.profile.sites[again].facts = factsKnown;
    program.profile.sections[0].hold = constant(20000, 100);
    program.profile.sections[0].holdHistogram = {};
    addToHistogram(program.profile.sections[0].holdHistogram, 100, 20000);
    program.profile.sections[program.section(program.worker, again, program.db, 20000, 100)]
        .memory = traced();
    program.transition(program.worker, 0, 1, 20000, localNs);
    return program;
  };
  EXPECT_THAT(inARow(300).causes(), ElementsAre("sections-in-a-row"));
  EXPECT_THAT(inARow(30000).causes(), Not(Contains("sections-in-a-row")));
}

TEST(Diagnosis, TellsOfLocksOfWhichNobodyKnowsHowContendedTheyAre) {
  Program alone, counted, idle(0);
  alone.runAlone();
  counted.profile.flags |= format::runCountersOnly | format::runMemory;
  idle.profile.durationNs = 1e11;
  for (Program *one : {&alone, &counted, &idle}) {
    EXPECT_THAT(one->findings(), IsEmpty()) << "nothing was seen that is wrong";
    one->memory().instructions = 47109 * executions;
  }
  for (const Program *one : {&alone, &counted}) {
    const std::vector<Finding> found = one->findings();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_STREQ(found[0].id, "memory-diagnosis");
    EXPECT_FALSE(found[0].quadrant);
    EXPECT_EQ(found[0].lock, "Db::m");
    EXPECT_THAT(found[0].places, ElementsAre("src/db.cc:42"));
    EXPECT_EQ(found[0].message,
              "1000 executions were traced, of 47.1 thousand instructions on average; how "
              "several threads contend for it was not measured");
    EXPECT_THAT(one->causes(), ElementsAre("large-section"));
  }
  EXPECT_THAT(idle.findings(), IsEmpty()) << "four threads did not contend for it";
}

TEST(Diagnosis, RulesOutThatLargeSectionsAreTakenTooOften) {
  Program program(0);
  EXPECT_THAT(program.causes(), ElementsAre("small-sections"));
  program.memory().instructions = 1000 * executions;
  program.memory().sharedAccesses = 500 * executions;
  EXPECT_THAT(program.findings(), IsEmpty());
}

TEST(Diagnosis, NeedsEnoughExecutionsOfAllSections) {
  Program few, partly;
  few.memory().sharedAccesses = partly.memory().sharedAccesses = 0;
  few.memory().executions = 9;
  EXPECT_THAT(few.causes(), Contains("much-data")) << "as without a diagnosis";
  const std::size_t put = partly.site("Db::put(int)", 57);
  partly.profile.sites[put].facts = factsKnown;
  partly.section(partly.worker, put, partly.db, 100, 3000);
  EXPECT_THAT(partly.causes(), ElementsAre("nothing-shared")) << "half a per cent was not traced";
  partly.profile.sections[1].acquisitions = 1000;
  EXPECT_THAT(partly.causes(), Contains("much-data"));
}
