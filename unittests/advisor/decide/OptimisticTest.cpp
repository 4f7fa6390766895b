// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Optimistic.h"

#include "unittests/advisor/profile/SampleProfile.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

SectionMemory memoryOf(const format::ConflictPairs &others, const format::ConflictPairs &own = {}) {
  SectionMemory memory;
  memory.executions = 1000;
  memory.others = others;
  memory.own = own;
  return memory;
}

/// Two readers and a writer of one lock, in a run of a second. The writer is held up for a third of
/// its time, the readers hardly.
struct Program : ProfileBuilder {
  Program() {
    profile.maxThreads = 3;
    reader = threads("read", 2);
    profile.threadClasses[reader].aliveNs = 2e9;
    writer = threads("write", 1);
    db = lockClass("Db::m", LockKind::pthreadMutex);
    get = site("get", 42);
    put = site("put", 57);
    reads = section(reader, get, db, 1000, 1e5);
    writes = section(writer, put, db, 1000, 2e5);
    contend(reads, 100, 1e5);
    contend(writes, 1000, 3e5);
    profile.sections[reads].memory = memoryOf({1000, 100, 300, 100, 300});
    profile.sections[writes].memory = memoryOf({1000, 500, 700, 1000, 1400});
  }

  void contend(std::size_t section, std::uint64_t contended, double waitNs) {
    profile.sections[section].contended = contended;
    profile.sections[section].waitContended = constant(contended, waitNs);
  }
  std::optional<OptimisticProgram> optimistic() const {
    return optimisticProgram(profile, summarize(profile));
  }

  std::size_t reader, writer, db, get, put, reads, writes;
};

} // namespace

/// Figure 1 of the paper. Threads add to a shared counter in 49 % of the executions, and each to
/// its own element of an array that is one cache line.
TEST(Optimistic, AgreesWithThePapersProgram) {
  const auto conflicts = conflictsOf(memoryOf({10000, 2401, 10000, 2401, 12401}));
  ASSERT_TRUE(conflicts);
  EXPECT_NEAR(conflicts->probability, 0.1198, 0.0005);
  EXPECT_EQ(conflicts->lineProbability, 0.5);
  EXPECT_NEAR(conflicts->falseProbability(), 0.38, 0.0005);
  EXPECT_NEAR(conflicts->locations, 1.0, 1e-12);
  EXPECT_NEAR(conflicts->lines, 1.239510, 0.001);
  EXPECT_NEAR(conflictAt(conflicts->probability, 1.626667), 0.187379, 0.0005);

  const OptimisticGain first = optimisticGain(0.187379, 0.373387, 0.289591);
  const OptimisticGain third = optimisticGain(0.187379, 0.591705, 0.363006);
  EXPECT_NEAR(first.speedup, 1.442194, 1e-5);
  EXPECT_NEAR(third.speedup, 2.032524, 1e-5);
  EXPECT_NEAR(first.benefit, 1 - 1 / 1.442194, 1e-5);
}

/// An execution and the `others` beside it start over until none of these has conflicted.
TEST(Optimistic, AgreesWithExecutionsThatAreRepeatedOneByOne) {
  struct Case {
    double pairwise;
    int others;
    double waitShare, sectionShare;
  };
  const Case cases[] = {
      {0.1198, 1, 0.5, 0.3}, {0.05, 3, 0.6, 0.2}, {0.4, 2, 0.3, 0.3}, {0.5, 3, 0.1, 0.001}};
  std::mt19937_64 random(7);
  for (const Case &one : cases) {
    std::bernoulli_distribution conflicts(one.pairwise);
    const int executions = 100000;
    double attempts = 0;
    for (int i = 0; i < executions; ++i)
      for (bool again = true; again; ++attempts) {
        again = false;
        for (int other = 0; other < one.others; ++other)
          again = conflicts(random) || again;
      }
    const double left =
        1 - one.waitShare - one.sectionShare + one.sectionShare * attempts / executions;
    const double conflict = conflictAt(one.pairwise, one.others);
    EXPECT_NEAR(1 - executions / attempts, conflict, 0.005);
    const OptimisticGain gain = optimisticGain(conflict, one.waitShare, one.sectionShare);
    EXPECT_NEAR(gain.speedup * left, 1, 0.01) << one.pairwise;
    EXPECT_NEAR(gain.benefit, std::max(1 - left, 0.0), 0.01) << one.pairwise;
  }
}

TEST(Optimistic, EndsWhereNothingOrEverythingConflicts) {
  EXPECT_EQ(conflictAt(0, 7), 0);
  EXPECT_EQ(conflictAt(0.5, 0), 0) << "nobody waits for anybody";
  EXPECT_EQ(conflictAt(1, 0), 0);
  EXPECT_EQ(conflictAt(1, 2), 1);
  EXPECT_DOUBLE_EQ(optimisticGain(0, 0.75, 0.2).speedup, 4);
  EXPECT_EQ(optimisticGain(0, 0, 0.5).speedup, 1);
  EXPECT_EQ(optimisticGain(1, 0.75, 0.2).speedup, 0) << "no execution ever succeeds";
  EXPECT_EQ(optimisticGain(1, 0.75, 0.2).benefit, 0);
  EXPECT_DOUBLE_EQ(optimisticGain(1, 0.5, 0).speedup, 2) << "there is nothing to repeat";
  EXPECT_LT(optimisticGain(0.9, 0.1, 0.3).speedup, 1);
}

TEST(Optimistic, TakesExecutionsOfOneThreadWhereThereIsNoOther) {
  const format::ConflictPairs own = {100, 50, 100, 50, 100}, others = {10, 1, 1, 1, 1};
  EXPECT_FALSE(conflictsOf(memoryOf({}, {})));
  const auto alone = conflictsOf(memoryOf({}, own)), together = conflictsOf(memoryOf(others, own));
  ASSERT_TRUE(alone && together);
  EXPECT_FALSE(alone->otherThreads);
  EXPECT_EQ(alone->probability, 0.25);
  EXPECT_EQ(alone->pairs, 100);
  EXPECT_TRUE(together->otherThreads);
  EXPECT_EQ(together->probability, 0.05);
}

TEST(Optimistic, AddsUpTheSectionsOfALockByThreadClass) {
  const Program program;
  const auto found = program.optimistic();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->locks.size(), 1u);
  const OptimisticLock &lock = found->locks[0];
  EXPECT_EQ(lock.conflicts.probability, 0.5 * 600 / 2000);
  EXPECT_EQ(lock.conflicts.lineProbability, 0.5 * 1000 / 2000);
  EXPECT_EQ(lock.conflicts.locations, 1100. / 600);
  // 1100 of 2000 acquisitions waited for 310 ms altogether, while the lock is held for 150 us.
  EXPECT_NEAR(lock.waits, 0.31 / 2000 / 150e-6, 1e-9);
  EXPECT_NEAR(lock.conflict, 1 - std::pow(0.85, lock.waits), 1e-12);
  EXPECT_NEAR(lock.lineConflict, 1 - std::pow(0.75, lock.waits), 1e-12);

  ASSERT_EQ(lock.threads.size(), 2u);
  EXPECT_NEAR(lock.threads[0].waitShare, 0.005, 1e-9);
  EXPECT_NEAR(lock.threads[0].sectionShare, 0.05, 1e-9);
  EXPECT_NEAR(lock.threads[1].waitShare, 0.3, 1e-9);
  EXPECT_NEAR(lock.threads[1].sectionShare, 0.2, 1e-9);
  const double repeated = lock.conflict / (1 - lock.conflict);
  EXPECT_NEAR(lock.threads[1].gain.benefit, 0.3 - 0.2 * repeated, 1e-9);

  // Readers would lose by repeating, so that only the writer's third of the time counts.
  EXPECT_EQ(lock.threads[0].gain.benefit, 0);
  EXPECT_NEAR(found->efficiency, lock.threads[1].gain.benefit / 3, 1e-9);
  EXPECT_NEAR(found->speedup, 1 / (1 - found->efficiency), 1e-9);

  ASSERT_EQ(lock.sites.size(), 2u);
  const OptimisticSite &put = lock.sites[0];
  EXPECT_EQ(put.site, program.put) << "the longest held first";
  EXPECT_EQ(put.conflicts.probability, 0.25);
  EXPECT_NEAR(put.waits, 2.0, 1e-9);
  ASSERT_EQ(lock.sites[1].threads.size(), 1u);
  EXPECT_EQ(lock.sites[1].threads[0].threadClass, program.reader);
}

TEST(Optimistic, HasThreadsWaitForOneOtherAtLeastAndForAllAtMost) {
  Program program;
  program.contend(program.reads, 100, 1000); // the rest of a section
  program.contend(program.writes, 0, 0);
  EXPECT_NEAR(program.optimistic()->locks[0].waits, 100. / 2000, 1e-12);
  program.contend(program.reads, 1, 3e8); // others were quicker, two thousand times over
  EXPECT_NEAR(program.optimistic()->locks[0].waits, 1, 1e-12);
  program.contend(program.reads, 1, 1e9);
  EXPECT_NEAR(program.optimistic()->locks[0].waits, 2, 1e-12) << "there are three threads";
}

TEST(Optimistic, LeavesOutBlockedTime) {
  Program program;
  const double before = program.optimistic()->locks[0].threads[1].waitShare;
  program.profile.threadClasses[program.writer].blockedNs = 2e8;
  EXPECT_NEAR(program.optimistic()->locks[0].threads[1].waitShare, before / 0.8, 1e-9);
}

TEST(Optimistic, NeedsTimesAndTracedSections) {
  Program program;
  program.profile.flags |= format::runCountersOnly;
  EXPECT_FALSE(program.optimistic());
  Program untraced;
  untraced.profile.sections[untraced.reads].memory.reset();
  EXPECT_EQ(untraced.optimistic()->locks[0].sites.size(), 1u);
  untraced.profile.sections[untraced.writes].memory.reset();
  EXPECT_FALSE(untraced.optimistic());
}
