// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of what a profile says of its run as a whole: what was serial, and what limits the rest.
#include "advisor/model/workload/Workload.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/profile/merge/RepeatedRuns.h"
#include "runtime/abi/section_facts.h"
#include "unittests/advisor/network/Constructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::testing;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

/// Runs take round times here, of which hooks take nothing unless a test says so.
constexpr double noHooks = 0;

/// A run of a second, in which main is alone for a quarter of the time, and a worker there for the
/// rest.
ProfileBuilder besideMain() {
  ProfileBuilder b = loop(1000, 300, 700);
  b.profile.hookNs = noHooks;
  b.profile.transitions[0].local = constant(1, 0);
  const std::size_t main = b.threads("main", 1, true);
  b.profile.durationNs = b.profile.threadClasses[main].aliveNs = 1e9;
  b.profile.threadClasses[0].aliveNs = 0.75e9;
  return b;
}

/// A worker computes for a millisecond, in sections and between them, and main hands it the work.
ProfileBuilder pipeline() {
  ProfileBuilder b = loop(1000, 300, 700);
  b.profile.hookNs = noHooks;
  const std::size_t main = b.threads("main", 1, true);
  const std::size_t lock = b.lockClass("Queue::m", LockKind::pthreadMutex);
  b.lock(lock, 0x20, 1000);
  const std::size_t hands = b.section(main, b.site("hand()", 20), lock, 1000, 100);
  b.transition(main, std::nullopt, hands, 1, 5e5); // before it has the others to work for
  b.transition(main, hands, hands, 999, 400);
  b.profile.transitions.back().blocked = constant(999, 300);
  b.profile.durationNs = 1.25e6;
  b.profile.threadClasses[0].aliveNs = 1e6;
  b.profile.threadClasses[main].aliveNs = 1.25e6;
  return b;
}

/// Main alone runs so many sections. It begins 5 ms before them, and ends 3 ms after them.
ProfileBuilder mainAlone(std::uint64_t sections, double holdNs, double localNs) {
  ProfileBuilder b;
  b.profile.hookNs = noHooks;
  const std::size_t main = b.threads("main", 1, true);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadMutex);
  b.lock(lock, 0x10, sections);
  const std::size_t run = b.section(main, b.site("run()", 5), lock, sections, holdNs);
  b.transition(main, std::nullopt, run, 1, 5e6);
  b.transition(main, run, run, sections - 1, localNs);
  b.transition(main, run, std::nullopt, 1, 3e6);
  b.profile.durationNs = 1e7;
  return b;
}

} // namespace

TEST(ProfiledRun, FindsWhatMainDoesAloneSerial) {
  ProfileBuilder b = besideMain();
  b.profile.threadClasses[1].blockedNs = 0.7e9;
  const std::optional<qdadvise::Run> run = construct(b.profile).network.run;
  ASSERT_TRUE(run);
  EXPECT_DOUBLE_EQ(run->serialNs, 0.25e9);
  EXPECT_DOUBLE_EQ(run->parallelNs, 0.75e9);
  EXPECT_EQ(run->threads, 1);
  EXPECT_EQ(run->serial, "what main does while there is no worker");
  EXPECT_EQ(run->openSerial, 0);
}

TEST(ProfiledRun, TakesThreadsThatWereRecordedTogetherToHaveLivedTogether) {
  ProfileBuilder b = besideMain();
  b.profile.threadClasses[0].count = b.profile.threadClasses[0].maxAlive = 4;
  b.profile.maxThreads = 5;
  b.profile.threadClasses[0].aliveNs = 4 * 0.75e9;
  const std::optional<qdadvise::Run> even = construct(b.profile).network.run;
  ASSERT_TRUE(even);
  EXPECT_DOUBLE_EQ(even->serialNs, 0.25e9);
  EXPECT_EQ(even->threads, 4);
  // One of them went on while main waited for it.
  b.profile.threadClasses[0].aliveNs = 2.4e9;
  b.profile.threadClasses[1].blockedNs = 0.8e9;
  const std::optional<qdadvise::Run> uneven = construct(b.profile).network.run;
  ASSERT_TRUE(uneven);
  EXPECT_DOUBLE_EQ(uneven->serialNs, 0.2e9);
  EXPECT_EQ(uneven->threads, 3);
}

/// The worker lived for 1.6 ms. Without hooks it computed for one, and was 10 ns at the lock each
/// time.
TEST(ProfiledRun, IsWithoutHooks) {
  ProfileBuilder b = pipeline();
  b.profile.durationNs = 2e6;
  b.profile.threadClasses[0].aliveNs = 1.6e6;
  b.profile.threadClasses[1].aliveNs = 2e6;
  b.profile.transitions.back().blocked = constant(999, 900);
  b.profile.onProcessorNs = 2e6;
  const qdadvise::Run with = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(with.parallelNs, 1.6e6) << "hooks cost nothing";
  EXPECT_NEAR(with.fixedWork, 0.5 / 1.6, 1e-3);
  b.profile.hookNs = 50;
  b.profile.events = 4000;
  const qdadvise::Run without = *construct(b.profile).network.run;
  EXPECT_NEAR(without.parallelNs, 1.01e6, 1);
  EXPECT_DOUBLE_EQ(without.serialNs, with.serialNs);
  // In the serial part one thread computes.
  EXPECT_NEAR(with.computing * with.parallelNs, 1.6e6, 1);
  EXPECT_NEAR(without.computing * without.parallelNs, 1.01e6, 1);
  EXPECT_NEAR(without.fixedWork, 0.5 / 1.01, 1e-3) << "as much, in less time";
  EXPECT_NEAR(without.work, 1.5 / 1.01, 2e-3);
  // Slices are a sample of the time, most of which goes by without hooks.
  b.profile.slicedNs = 10 * b.profile.durationNs;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->parallelNs, with.parallelNs);
  b.profile.slicedNs = 0;
  // So few events did not take all that is left.
  b.profile.events = 1000;
  EXPECT_NEAR(construct(b.profile).network.run->parallelNs, 1.6e6 - 6 * 50 * 1000, 1);
}

TEST(ProfiledRun, OfMainIsWithoutHooks) {
  ProfileBuilder b = mainAlone(1000, 300, 700);
  b.profile.threadClasses[0].aliveNs = b.profile.durationNs;
  b.profile.hookNs = 1000;
  b.profile.events = 3000;
  const qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.serialNs, 8e6);
  EXPECT_DOUBLE_EQ(run.parallelNs, 1000 * (300 + 10) + 999 * 700);
  EXPECT_NEAR(run.openSerial, 8. / 9, 1e-3);
}

/// One phase after the other starts a thread of its own and waits for it; slices of the run do not
/// tell that main did.
TEST(ProfiledRun, AddsUpThreadClassesThatComeOneAfterTheOther) {
  ProfileBuilder b = besideMain();
  const std::size_t second = b.threads("second worker", 1);
  const std::size_t section = b.section(second, b.site("second()", 30), 0, 1000, 300);
  b.transition(second, section, section, 1000, 700);
  for (const std::size_t threads : {std::size_t{0}, second})
    b.profile.threadClasses[threads].aliveNs = 0.375e9;
  b.profile.maxThreads = 2;
  const std::optional<qdadvise::Run> run = construct(b.profile).network.run;
  ASSERT_TRUE(run);
  EXPECT_DOUBLE_EQ(run->serialNs, 0.25e9);
  EXPECT_EQ(run->threads, 1);
}

/// What threads do between two barriers of the C library they divide, as with those of a lock.
TEST(ProfiledRun, KnowsBarriersThatAreNoSections) {
  ProfileBuilder b = besideMain();
  ProfiledTransition &way = b.profile.transitions[1];
  way.local.max = 0.3e9;
  const qdadvise::Run without = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(without.longestStretch, 0.4);
  EXPECT_EQ(without.barriers, 0);
  way.barriers = 500;
  const qdadvise::Run with = *construct(b.profile).network.run;
  EXPECT_EQ(with.longestStretch, 0);
  EXPECT_DOUBLE_EQ(with.barrierStretch, 0.4);
  EXPECT_EQ(with.barriers, 500);
}

TEST(ProfiledRun, FindsWhatCopiesTookOnTheMachine) {
  ProfileBuilder b = besideMain();
  EXPECT_FALSE(construct(b.profile).network.run->copies);
  for (const double took : {1.2e9, 1.2e9})
    b.profile.copies.push_back({"another one", 4, 2, 1e9, took});
  EXPECT_EQ(construct(b.profile).network.run->copies->cpu, "another one") << "there is no other";
  b.profile.copies.push_back({"this one", 8, 2, 1e9, 1.1e9});
  Machine here = machine();
  here.cpu = "this one";
  here.cores = 8;
  here.source = "measured";
  const auto copiesOn = [&](const Machine &on) {
    return *constructNetwork(b.profile, on)->network.run->copies;
  };
  ASSERT_EQ(copiesOn(here).rows.size(), 1u);
  EXPECT_EQ(copiesOn(here).processors, 8);
  EXPECT_DOUBLE_EQ(copiesOn(here).rows[0].slowdown, 1.1);
  EXPECT_EQ(copiesOn(here).rows[0].deviation, 0);
  here.cores = 16;
  EXPECT_EQ(copiesOn(here).cpu, "another one") << "which has most rounds";
}

TEST(ProfiledRun, FindsHowManyThreadsCompute) {
  ProfileBuilder b = besideMain();
  EXPECT_EQ(construct(b.profile).network.run->computing, 1) << "nobody tells otherwise";
  b.profile.onProcessorNs = 0.5e9;
  b.profile.runDelayNs = 0.05e9;
  EXPECT_NEAR(construct(b.profile).network.run->computing, (0.55 - 0.25) / 0.75, 1e-12);
  EXPECT_NEAR(construct(b.profile).network.run->processors, (0.5 - 0.25) / 0.75, 1e-12);
  // In slices the kernel counts all of the time.
  b.profile.slicedNs = 1.1e9;
  EXPECT_NEAR(construct(b.profile).network.run->computing, (0.5 - 0.25) / 0.75, 1e-12);
  b.profile.slicedNs = 0;
  b.profile.onProcessorNs = 1.7e9;
  EXPECT_NEAR(construct(b.profile).network.run->computing, (1.75 - 0.25) / 0.75, 1e-12);
  b.profile.onProcessorNs = 0.1e9;
  EXPECT_EQ(construct(b.profile).network.run->computing, 0);
}

TEST(ProfiledRun, FindsWhatAFixedThreadComputesForTheOthers) {
  ProfileBuilder b = pipeline();
  qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_NEAR(run.fixedWork, 0.5, 1e-3);
  EXPECT_NEAR(run.work, 1.5, 3e-3);
  // While threads wait for processors they compute nothing.
  b.profile.onProcessorNs = 9e8;
  b.profile.runDelayNs = 1e8;
  run = *construct(b.profile).network.run;
  EXPECT_NEAR(run.fixedWork, 0.45, 1e-3);
  EXPECT_NEAR(run.work, 1.35, 3e-3);
  // It computes for no longer than it does not wait.
  b.profile.transitions.back().blocked = constant(999, 800);
  EXPECT_NEAR(construct(b.profile).network.run->fixedWork, 0.2, 1e-3);
  // One that hardly waits may poll.
  b.profile.transitions.back().blocked = constant(999, 30);
  run = *construct(b.profile).network.run;
  EXPECT_EQ(run.fixedWork, 0);
  EXPECT_EQ(run.work, 0);
}

/// A reader without locks is done after a fifth of the run. One that is there throughout, and never
/// blocked, may poll.
TEST(ProfiledRun, FindsWhatAThreadWithoutLocksComputes) {
  ProfileBuilder b = besideMain();
  const std::size_t reader = b.threads("reader", 1);
  b.profile.maxThreads = 3;
  b.profile.threadClasses[reader].aliveNs = 0.15e9;
  b.profile.threadClasses[reader].blockedNs = 0.03e9;
  const qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.fixedWork, 0.12 / 0.75);
  EXPECT_GT(run.work, run.fixedWork);
  b.profile.threadClasses[reader].aliveNs = 0.75e9;
  EXPECT_EQ(construct(b.profile).network.run->fixedWork, 0);
}

TEST(ProfiledRun, IsKnownOfThreadsWithoutLocks) {
  ProfileBuilder b;
  b.profile.durationNs = 10e6;
  b.profile.maxThreads = 2;
  ProfiledThreadClass main, work;
  main.isMain = true;
  main.aliveNs = 10e6;
  main.blockedNs = work.aliveNs = 8e6;
  work.name = "work";
  main.count = main.maxAlive = work.count = work.maxAlive = 1;
  b.profile.threadClasses = {main, work};
  const auto result = constructNetwork(b.profile, Machine{}, {.scale = {}, .withoutLocks = true});
  ASSERT_TRUE(result) << result.error().message;
  const Network &network = result->network;
  EXPECT_TRUE(network.locks.empty() && network.sections.empty() && network.transitions.empty());
  ASSERT_EQ(network.classes.size(), 1u);
  EXPECT_EQ(network.classes[0].name, "work");
  ASSERT_TRUE(network.run);
  EXPECT_DOUBLE_EQ(network.run->serialNs, 2e6);
  EXPECT_DOUBLE_EQ(network.run->parallelNs, 8e6);
  EXPECT_EQ(network.run->barrierStretch, 1);
  EXPECT_EQ(network.run->ends, 0);
  EXPECT_THAT(result->notes, Contains(HasSubstr("takes a lock: there is none to choose")));

  // One thread alone does not tell what others would divide.
  b.profile.threadClasses.pop_back();
  EXPECT_FALSE(constructNetwork(b.profile, Machine{}, {.scale = {}, .withoutLocks = true}));
}

TEST(ProfiledRun, FindsTheLongestStretchOfWork) {
  ProfileBuilder b = besideMain();
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 700 / 0.75e9);
  // Times are those of all runs together. Each had such a stretch, or one of them had the only one.
  b.profile.runs = 3;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 3 * 700 / 0.75e9);
  // So did rounds whose threads were created when those before had ended, and not threads that
  // lived at once.
  b.profile.runs = 1;
  b.profile.threadClasses[0].count = 3;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 3 * 700 / 0.75e9);
  b.profile.threadClasses[0].maxAlive = 3;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 700 / 0.75e9);
  b.profile.threadClasses[0].maxAlive = 1;
  Histogram &lengths = b.profile.transitions[1].localHistogram; // from section to section
  lengths = {};
  addToHistogram(lengths, 700, 1);
  addToHistogram(lengths, 100, 998);
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 700 / 0.75e9);
  b.profile.slicedNs = 16e9; // of which a sixteenth was recorded
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->longestStretch, 700 / 0.75e9 / 16);
}

/// A compressor's thread takes a lock, compresses all that there is, and takes it again. Nobody
/// knows whether two would have half of that each (RUN13).
TEST(ProfiledRun, LeavesOpenWhatEachThreadDoesOnce) {
  ProfileBuilder b = besideMain();
  b.profile.threadClasses[0].count = 2; // one after the other
  const std::size_t begins = b.section(0, b.site("begin()", 30), 0, 2, 100);
  const std::size_t ends = b.section(0, b.site("end()", 40), 0, 2, 100);
  b.transition(0, begins, ends, 2, 0.3e9);
  qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.longestStretch, 2 * 700 / 0.75e9) << "of what they do again and again";
  EXPECT_DOUBLE_EQ(run.ends, 0.8);
  // Two threads that lived at once have one each.
  b.profile.threadClasses[0].maxAlive = 2;
  b.profile.threadClasses[0].aliveNs *= 2;
  b.profile.maxThreads = 3;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->ends, 0.4);
  // One of them does it twice: it has jobs.
  b.profile.sections[begins].acquisitions = b.profile.sections[ends].acquisitions = 3;
  run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.longestStretch, 0.4);
  EXPECT_EQ(run.ends, 0);
}

/// A thread reads all its work before it takes a lock, and nobody knows whether two would have half
/// of it each (RUN13).
TEST(ProfiledRun, LeavesOpenWhatThreadsDoBeforeTheirFirstSection) {
  ProfileBuilder b = besideMain();
  b.transition(0, std::nullopt, 0, 1, 0.3e9);
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->ends, 0.4);
  b.transition(0, 0, std::nullopt, 1, 0.15e9);
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->ends, 0.6) << "or after their last one";
  b.profile.transitions.back().barriers = 1;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->ends, 0.4) << "they divide it at a barrier";
  // Ten threads, one after the other, with a job each, of which the longest may be undivided.
  b.profile.threadClasses[0].count = 10;
  ProfiledTransition &begin = b.profile.transitions[b.profile.transitions.size() - 2];
  begin.local = constant(10, 0.03e9);
  begin.local.max = 0.06e9;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->ends, 0.08);
  // What main does before it begins to repeat is serial.
  EXPECT_EQ(construct(mainAlone(1000, 300, 700).profile).network.run->ends, 0);
}

/// A splitter and a sorter have a thread each. The program may make two of both, or of one (RUN15).
TEST(ProfiledRun, LeavesOpenWhichStageWouldHaveMoreThreads) {
  ProfileBuilder b = besideMain();
  EXPECT_EQ(construct(b.profile).network.run->guessedStages, 0);
  const std::size_t sorter = b.threads("sorter", 1);
  const std::size_t sorts = b.section(sorter, b.site("sort()", 30), 0, 1000, 300);
  b.transition(sorter, sorts, sorts, 1000, 700);
  b.profile.maxThreads = 3;
  b.profile.threadClasses[sorter].aliveNs = 0.75e9;
  b.profile.threadClasses[sorter].blockedNs = 0.45e9;
  EXPECT_DOUBLE_EQ(construct(b.profile).network.run->guessedStages, 0.4);
  EXPECT_EQ(construct(b.profile, {.scale = {"sorter", "worker"}}).network.run->guessedStages, 0);
  b.profile.threadClasses[sorter].count = b.profile.threadClasses[sorter].maxAlive = 2;
  EXPECT_EQ(construct(b.profile).network.run->guessedStages, 0) << "there were more than one";
}

/// What main opens before it begins to repeat is serial, and no part of what threads share.
TEST(ProfiledRun, CountsWhatMainDoesOnceAsSerialOnly) {
  ProfileBuilder b = mainAlone(1000, 300, 700);
  const std::size_t opens = b.section(0, b.site("open()", 20), 0, 1, 100);
  b.profile.transitions[0].to = opens;
  b.transition(0, opens, 0, 1, 1e6);
  const qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_NEAR(run.serialNs, 9e6, 1e3);
  EXPECT_EQ(run.ends, 0);
  EXPECT_DOUBLE_EQ(run.longestStretch, 700 / run.parallelNs);
}

TEST(ProfiledRun, TellsStretchesAtBarriersFromOthers) {
  ProfileBuilder b = besideMain();
  const std::size_t loops = b.profile.transitions[1].from.value();
  const std::size_t barrier = b.section(0, b.site("everybody()", 30), 0, 10, 100);
  b.transition(0, loops, barrier, 10, 5000);
  b.transition(0, barrier, loops, 10, 6000);
  qdadvise::Run run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.longestStretch, 6000 / 0.75e9);
  EXPECT_EQ(run.barrierStretch, 0);
  EXPECT_EQ(run.barriers, 0);
  b.profile.sites[b.profile.sections[barrier].site].facts = factsKnown | factBarrier;
  run = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(run.longestStretch, 700 / 0.75e9);
  EXPECT_DOUBLE_EQ(run.barrierStretch, 6000 / 0.75e9);
  EXPECT_EQ(run.barriers, 10);
  // Who waits for the others takes the lock again, which is no other barrier.
  const std::size_t waits = b.site("everybody()", 31);
  b.profile.sites[waits].facts = factsKnown | factBarrier;
  b.profile.sites[waits].role = static_cast<std::uint32_t>(SiteRole::wait);
  b.section(0, waits, 0, 7, 100);
  EXPECT_EQ(construct(b.profile).network.run->barriers, 10);
}

TEST(ProfiledRun, FindsWhatSurroundsTheSectionsOfMainSerial) {
  ProfileBuilder b = mainAlone(1000, 300, 700);
  const std::optional<qdadvise::Run> found = construct(b.profile).network.run;
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->serialNs, 8e6);
  EXPECT_DOUBLE_EQ(found->openSerial, 0.8) << "the more it is, the more threads may divide";
  EXPECT_EQ(found->threads, 1);
  EXPECT_THAT(found->serial, HasSubstr("before and after what it repeats"));
  // In slices, the beginning is recorded as a whole, and the rest of the run in part.
  b.profile.slicedNs = 1e9;
  const std::optional<qdadvise::Run> sliced = construct(b.profile).network.run;
  ASSERT_TRUE(sliced);
  EXPECT_DOUBLE_EQ(sliced->serialNs, 0.01 * 5e6 + 3e6);
  EXPECT_DOUBLE_EQ(sliced->parallelNs, found->parallelNs);
}

/// Slices began after main's first section, so that what was before has its share of the time.
TEST(ProfiledRun, CountsABeginningThatWasThinnedOutNoLessOften) {
  ProfileBuilder b = mainAlone(1000, 300, 700);
  const qdadvise::Run whole = *construct(b.profile).network.run;
  b.profile.transitions[0].local.max = 64 * 5e6;
  b.profile.slicedNs = 64 * b.profile.durationNs;
  const qdadvise::Run thinned = *construct(b.profile).network.run;
  EXPECT_DOUBLE_EQ(thinned.serialNs, whole.serialNs);
  EXPECT_DOUBLE_EQ(thinned.parallelNs, whole.parallelNs);
}

/// Main opens a file, which takes 40 us, and polls. A twentieth of the run was recorded, in slices:
/// the polls are a sample, and the file was opened once in all of it.
TEST(ProfiledRun, HasWhatMainDoesOnceAsOftenAsInTheWholeRun) {
  constexpr double recordedNs = 30e6;
  ProfileBuilder b = loop(1000, 300, 700);
  const std::size_t main = b.threads("main", 1, true);
  const std::size_t lock = b.lockClass("Files::m", LockKind::pthreadMutex);
  b.lock(lock, 0x20, 101);
  const std::size_t opens = b.section(main, b.site("open()", 20), lock, 1, 40e3);
  const std::size_t polls = b.section(main, b.site("poll()", 30), lock, 100, 1e3);
  b.transition(main, std::nullopt, opens, 1, 1e5);
  b.transition(main, opens, polls, 1, 1e5);
  b.transition(main, polls, polls, 99, 1e3, 2e5);
  b.transition(main, polls, std::nullopt, 1, 1e5);
  b.profile.durationNs = recordedNs;
  const auto timesPerNs = [&](std::size_t section) {
    const Network network = construct(b.profile).network;
    for (const Traffic &one : trafficOf(network))
      if (!one.scales)
        return one.visits[section] / aloneNs(network, one);
    return 0.0;
  };
  const std::size_t open = 1, poll = 2; // after the worker's
  EXPECT_NEAR(timesPerNs(open) * 20.34e6, 1, 1e-2) << "all of it was recorded";
  for (const double share : {0.5, 0.05}) {
    b.profile.slicedNs = recordedNs / share;
    EXPECT_NEAR(timesPerNs(open) * recordedNs / share, 1, 1e-2) << share;
    EXPECT_NEAR(timesPerNs(poll) * recordedNs / (99 + share), 1, 1e-2) << share;
  }
}

/// A thread reads a file and ends: it does not go on reading while the others work.
TEST(ProfiledRun, HasAThreadThatEndsBlockedForTheRest) {
  ProfileBuilder b = loop(1000, 300, 700);
  const std::size_t reader = b.threads("reader", 1);
  const std::size_t lock = b.lockClass("Queue::m", LockKind::pthreadMutex);
  b.lock(lock, 0x20, 200);
  const std::size_t puts = b.section(reader, b.site("put()", 20), lock, 200, 100);
  b.transition(reader, std::nullopt, puts, 1, 400);
  b.transition(reader, puts, puts, 199, 400);
  b.transition(reader, puts, std::nullopt, 1, 0);
  b.profile.durationNs = b.profile.threadClasses[0].aliveNs = 1e6;
  b.profile.threadClasses[reader].aliveNs = 1e5;
  const Network network = construct(b.profile).network;
  for (const Traffic &one : trafficOf(network))
    if (!one.scales)
      EXPECT_NEAR(one.visits[1] / aloneNs(network, one), 200 / 1e6, 1e-6);
  double blockedNs = 0;
  for (const Transition &way : network.transitions)
    if (way.from == 1)
      blockedNs += way.probability * way.blockedNs;
  EXPECT_NEAR(200 * blockedNs, 1e6 - 1e5, 1);
}

/// A program that sorts with one thread comes to its first lock when it merges. Nobody knows
/// whether several threads would sort (RUN13).
TEST(ProfiledRun, LeavesOpenWhatMainDoesBeforeItsFewSections) {
  const ProfileBuilder b = mainAlone(10, 1e5, 0);
  const qdadvise::Run found = *construct(b.profile).network.run;
  EXPECT_EQ(found.serialNs, 0);
  EXPECT_DOUBLE_EQ(found.ends, 0.8);
}

/// A thread shows progress every now and then while main does the work: it is main that scales.
TEST(ProfiledRun, LetsMainScaleWhereOthersOnlyWait) {
  ProfileBuilder b = mainAlone(1000, 300, 700);
  const std::size_t progress = b.threads("progress", 1);
  const std::size_t shows = b.section(progress, b.site("show()", 9), 0, 20, 100);
  b.transition(progress, shows, shows, 19, 100);
  b.transition(progress, shows, std::nullopt, 1, 1e5);
  b.profile.threadClasses[0].aliveNs = b.profile.threadClasses[progress].aliveNs = 1e7;
  b.profile.threadClasses[progress].blockedNs = 0.96e7;
  const auto scales = [&](std::size_t i) { return construct(b.profile).network.classes[i].scales; };
  EXPECT_TRUE(scales(0));
  EXPECT_FALSE(scales(progress));
  EXPECT_THAT(construct(b.profile).network.run->serial, HasSubstr("what it repeats"));
  // One that is busy for a twentieth of its life may do what main waits for,
  b.profile.threadClasses[progress].blockedNs = 0.94e7;
  EXPECT_FALSE(scales(0));
  EXPECT_TRUE(scales(progress));
  // and so may one that main creates late.
  b.profile.threadClasses[progress].aliveNs = 0.04e7;
  b.profile.threadClasses[progress].blockedNs = 0;
  EXPECT_TRUE(scales(progress));
}

TEST(ProfiledRun, SaysNothingOfARunWhoseThreadsHaveNoTimes) {
  ProfileBuilder b = loop(1000, 300, 700);
  b.profile.threadClasses[0].aliveNs = 0;
  EXPECT_FALSE(construct(b.profile).network.run);
}

/// One of three runs took four times as long, as another program had the processor.
TEST(ProfiledRun, OfRepeatedRunsIsThatOfEach) {
  const qdadvise::Run of = *construct(pipeline().profile).network.run;
  std::vector<Profile> runs;
  for (const double slower : {1, 4, 1}) {
    ProfileBuilder b = pipeline();
    b.profile.startUnixNs = runs.size() * 1'000'000'000;
    b.profile.durationNs *= slower;
    for (ProfiledThreadClass &threads : b.profile.threadClasses)
      threads.aliveNs *= slower;
    for (ProfiledSection &section : b.profile.sections)
      section.hold = constant(section.hold.count, slower * section.hold.mean);
    for (ProfiledTransition &transition : b.profile.transitions) {
      transition.local = constant(transition.local.count, slower * transition.local.mean);
      transition.blocked = constant(transition.blocked.count, slower * transition.blocked.mean);
    }
    runs.push_back(b.profile);
  }
  EXPECT_EQ(removeDisturbances(runs), 1u);
  const qdadvise::Run merged = *construct(*mergeProfiles(runs)).network.run;
  EXPECT_NEAR(merged.serialNs, 3 * of.serialNs, 0.01 * of.serialNs);
  EXPECT_NEAR(merged.parallelNs, 3 * of.parallelNs, 0.01 * of.parallelNs);
  EXPECT_NEAR(merged.fixedWork, of.fixedWork, 0.01 * of.fixedWork);
  EXPECT_NEAR(merged.work, of.work, 0.01 * of.work);
  EXPECT_NEAR(merged.longestStretch, of.longestStretch, 0.01 * of.longestStretch);
}

/// Times of preemptions are left out of the network's times, and of the run as well.
TEST(ProfiledRun, IsThatOfTheRunWithoutPreemptions) {
  ProfileBuilder b = loop(100000, 200, 800);
  Profile &profile = b.profile;
  profile.durationNs = profile.threadClasses[0].aliveNs = 200e6;
  profile.onProcessorNs = 100e6;
  profile.runDelayNs = 10e6;
  ProfiledTransition &local = profile.transitions[1];
  local.local.merge(constant(2, 5e6));
  addToHistogram(local.localHistogram, 5e6, 2);
  const double share = profile.computedNs() / profile.durationNs;
  EXPECT_EQ(removePreemptions(profile).observations, 2u);
  EXPECT_NEAR(profile.computedNs(), 100e6, 3e6);
  EXPECT_DOUBLE_EQ(profile.computedNs() / profile.durationNs, share);
  EXPECT_DOUBLE_EQ(profile.threadClasses[0].aliveNs, profile.durationNs);
  EXPECT_NEAR(profile.runDelayNs, 0, 1e6) << "they were the wait for a processor";
  EXPECT_NEAR(profile.onProcessorNs, 100e6, 3e6);
}
