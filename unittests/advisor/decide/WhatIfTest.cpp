// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which fixes are offered for which locks, and that their gains are those of the fixed network.

#include "advisor/decide/WhatIf.h"
#include "advisor/decide/Fixes.h"
#include "advisor/decide/Optimistic.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/model/Networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr int threads = 8;

Machine machine(int cores) {
  Machine result = machineOf(cores);
  result.line["transfer_same_socket_ns"].value = 50;
  return result;
}

Decisions decided(const Network &network, const std::vector<LockKind> &menu, int cores) {
  DecisionOptions options;
  options.threads = threads;
  options.menu = menu;
  const Expected<Decisions> decisions = decide(network, machine(cores), options);
  EXPECT_TRUE(decisions) << decisions.error().message;
  return decisions ? *decisions : Decisions();
}

WhatIfs asked(const Network &network, const std::string &fixes = "",
              const std::vector<LockKind> &menu = {}, int cores = 32,
              const SectionMemories &memory = {}) {
  WhatIfOptions options;
  options.threads = threads;
  if (!fixes.empty())
    options.requests = parseFixes(fixes).value();
  const Expected<WhatIfs> found =
      whatIfs(network, machine(cores), decided(network, menu, cores), memory, options);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : WhatIfs();
}

Network calm() { return networkOf({{1, 100}}, 100'000); }
Network busy() { return networkOf({{1, 1000}}, 2000); }

TEST(WhatIf, NothingIsSaidOfALockThatNobodyWaitsFor) {
  EXPECT_THAT(asked(calm()).found, IsEmpty());
}

TEST(WhatIf, OfALockThatHoldsThreadsUpTheBestFixesComeFirst) {
  const std::vector<WhatIf> found = asked(busy()).found;
  ASSERT_GE(found.size(), 2u);
  EXPECT_LE(found.size(), 3u);
  for (std::size_t i = 0; i != found.size(); ++i) {
    EXPECT_GT(found[i].today.ratio, 1.05);
    EXPECT_LE(found[i].today.low, found[i].today.ratio);
    EXPECT_LE(found[i].today.ratio, found[i].today.high);
    if (i > 0)
      EXPECT_GE(found[i - 1].today.ratio, found[i].today.ratio);
  }
}

TEST(WhatIf, WhatIsAskedForIsSaidOfEveryLock) {
  const std::vector<WhatIf> found = asked(calm(), "shrink=30,split=8").found;
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found, Contains(Field(&WhatIf::condition, HasSubstr("30 % of section 'section0'"))));
  EXPECT_THAT(found, Contains(Field(&WhatIf::condition, HasSubstr("8 locks"))));
  for (const WhatIf &one : found)
    EXPECT_NEAR(one.today.ratio, 1, 0.05);
}

TEST(WhatIf, TheGainIsThatOfTheFixedNetworkOverTodaysAndOverTheAdvised) {
  const Network network = busy();
  const std::vector<WhatIf> found = asked(network, "split=4", {LockKind::spinlock}).found;
  ASSERT_THAT(found, SizeIs(1));
  const PredictOptions options = DecisionOptions().predict;
  const auto ratio = [&](LockKind kind) {
    return predict(split(network, 0, 4), {kind}, machine(32), threads, options)->throughputPerS /
           predict(network, {kind}, machine(32), threads, options)->throughputPerS;
  };
  ASSERT_EQ(decided(network, {LockKind::spinlock}, 32).locks[0].advised, LockKind::spinlock);
  EXPECT_NEAR(found[0].today.ratio, ratio(LockKind::pthreadMutex), 1e-9);
  EXPECT_NEAR(found[0].advised.ratio, ratio(LockKind::spinlock), 1e-9);
}

TEST(WhatIf, FewSamplesWidenTheInterval) {
  Network network = networkOf({{1, 1000}}, 7000);
  const std::vector<WhatIf> sure = asked(network, "shrink=50").found;
  network.sections[0].hold.samples = 10;
  const std::vector<WhatIf> unsure = asked(network, "shrink=50").found;
  ASSERT_THAT(sure, SizeIs(1));
  ASSERT_THAT(unsure, SizeIs(1));
  EXPECT_GT(unsure[0].today.high - unsure[0].today.low,
            1.05 * (sure[0].today.high - sure[0].today.low));
}

TEST(WhatIf, SectionsThatHardlyHoldTheLockAreNotShrunk) {
  Network network = busy();
  network.sections.push_back(network.sections[0]);
  network.sections[1].name = "rare";
  network.sections[1].hold.mean = 10;
  network.transitions = {{0, 0, 1, 1, {1000}}, {0, 1, 0, 1, {1000}}};
  const std::vector<WhatIf> found = asked(network, "shrink=50").found;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].section, 0u);
}

TEST(WhatIf, ALockWithoutAModelHasNone) {
  Network network = busy();
  network.locks[0].kind = LockKind::unknown;
  EXPECT_THAT(asked(network, "split=2").found, IsEmpty());
}

TEST(WhatIf, NothingFollowsFromABoundThatTheFixLeads) {
  // Behind a lock that holds everybody up, a list whose locks are taken hand over hand.
  Network network = networkOf({{0.9, 1000}, {0.1, 1000}, {0, 1000}}, 200);
  network.locks.pop_back();
  network.locks[1].instances = 4;
  network.sections[2].lock = network.sections[2].inside.emplace(1);
  network.sections[2].visits = 1;
  std::erase_if(network.transitions,
                [](const Transition &one) { return one.from == 2 || one.to == 2; });
  const std::vector<WhatIf> found = asked(network, "split=1000,shrink=10").found;
  ASSERT_THAT(found, SizeIs(testing::Ge(2)));
  for (const WhatIf &one : found)
    EXPECT_EQ(one.today.known, one.lock != 0 || one.request.fix != "split") << one.condition;
}

SectionMemory traced(std::uint64_t written, std::uint64_t conflicts, std::uint64_t read = 1000) {
  SectionMemory memory;
  memory.executions = 1000;
  memory.reads = read;
  memory.writes = memory.locationsWritten = written;
  memory.locationsRead = read > written ? read - written : 0;
  memory.others.pairs = 1000;
  memory.others.conflicts = conflicts;
  return memory;
}

/// Of these, not traced unless `memory` says so.
std::vector<std::string> offered(const Network &network, const SectionMemories &memory,
                                 const std::string &fixes = "share-reads,atomic,optimistic") {
  std::vector<std::string> result;
  for (const WhatIf &one : asked(network, fixes, {}, 32, memory).found)
    result.push_back(one.request.fix);
  return result;
}

TEST(WhatIf, WithoutAMemoryTraceWhatNeedsOneIsNotOfferedAndTheTraceIsAskedFor) {
  const WhatIfs none = asked(busy());
  EXPECT_THAT(none.found,
              Each(Field(&WhatIf::request, Field(&FixRequest::fix, AnyOf("shrink", "split")))));
  EXPECT_TRUE(none.wantsTrace);
  EXPECT_FALSE(asked(busy(), "", {}, 32, {traced(1, 1)}).wantsTrace);
  EXPECT_FALSE(asked(calm()).wantsTrace);
  EXPECT_FALSE(asked(busy(), "shrink=50").wantsTrace);
}

TEST(WhatIf, SectionsThatOnlyReadCanShare) {
  const std::vector<WhatIf> found = asked(busy(), "share-reads", {}, 32, {traced(0, 0)}).found;
  ASSERT_THAT(found, SizeIs(2));
  std::vector<LockKind> kinds;
  for (const WhatIf &one : found) {
    kinds.push_back(one.kind);
    EXPECT_THAT(one.condition, HasSubstr("if section 'section0', which does not write, shared a"));
  }
  EXPECT_THAT(kinds, UnorderedElementsAre(LockKind::pthreadRwlock, LockKind::mrqd));
  EXPECT_THAT(offered(busy(), {traced(1, 0)}, "share-reads"), IsEmpty());
  Network waits = busy();
  waits.sections[0].site = SourceSite{};
  waits.sections[0].site->role = static_cast<std::uint32_t>(SiteRole::wait);
  EXPECT_THAT(offered(waits, {traced(0, 0)}), IsEmpty());
  waits.sections[0].site->flags = siteAnyLock;
  EXPECT_THAT(offered(waits, {traced(0, 0)}), ElementsAre("share-reads", "share-reads"));
}

TEST(WhatIf, OneLocationCanBeAnAtomicOperation) {
  EXPECT_THAT(offered(busy(), {traced(1000, 1000)}), Contains("atomic"));
  EXPECT_THAT(offered(busy(), {traced(2000, 1000)}), Not(Contains("atomic")));
  EXPECT_THAT(offered(busy(), {traced(1000, 1000, 2000)}), Not(Contains("atomic")));
  // The source may say it without a memory trace.
  Network network = busy();
  network.sections[0].site = SourceSite{};
  network.sections[0].site->facts = factsKnown | factOneIntegerUpdate;
  EXPECT_THAT(offered(network, {}), ElementsAre("atomic"));
}

TEST(WhatIf, OptimisticSectionsWithoutConflictsAreFree) {
  const std::vector<WhatIf> found = asked(busy(), "optimistic", {}, 32, {traced(3000, 0)}).found;
  ASSERT_THAT(found, SizeIs(1));
  const double today =
      predict(busy(), {LockKind::pthreadMutex}, machine(32), threads, DecisionOptions().predict)
          ->throughputPerS;
  EXPECT_NEAR(found[0].today.ratio * today, threads / 3000e-9, 1);
}

TEST(WhatIf, OptimisticSectionsConflictAsOftenAsReportSays) {
  const SectionMemory memory = traced(3000, 20);
  const std::vector<WhatIf> found = asked(busy(), "optimistic", {}, 32, {memory}).found;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_DOUBLE_EQ(conflictsOf(memory)->probability, 0.01);
  EXPECT_THAT(found[0].condition, HasSubstr("(probability 1.0% beside another one)"));
}

TEST(WhatIf, OptimisticSectionsThatAlwaysConflictAreNotOffered) {
  const std::vector<WhatIf> found =
      asked(networkOf({{1, 1000}}, 100), "", {}, 32, {traced(3000, 1000)}).found;
  EXPECT_THAT(found, Each(Field(&WhatIf::request, Field(&FixRequest::fix, Not("optimistic")))));
}

TEST(WhatIf, SectionsThatMayNotRunTwiceAreNotOptimistic) {
  for (const std::uint64_t fact : {factWaits, factDoesIo, factTakesLock}) {
    Network network = busy();
    network.sections[0].site = SourceSite{};
    network.sections[0].site->facts = factsKnown | fact;
    EXPECT_THAT(offered(network, {traced(3000, 0)}), IsEmpty());
  }
}

TEST(WhatIf, WhatConflictsCannotBeSpreadOverLocks) {
  EXPECT_THAT(offered(busy(), {traced(3000, 300)}, "split=2,split=3,split=4"), SizeIs(2));
  EXPECT_THAT(offered(busy(), {traced(3000, 1000)}, "split=2"), IsEmpty());
}

TEST(WhatIf, SectionsWithoutCommonDataCanHaveLocksOfTheirOwn) {
  Network network = networkOf({{0.5, 1000}, {0.5, 1000}}, 2000);
  network.locks.pop_back();
  network.sections[1].lock = 0;
  const auto user = [](std::uint32_t site, std::uint32_t with = 0) {
    SectionMemory memory = traced(1000, 500);
    memory.sharedAccesses = 2000;
    memory.site = site;
    if (with != 0)
      memory.overlaps[0] = {with, 0, 1};
    return memory;
  };
  const std::vector<WhatIf> found = asked(network, "separate", {}, 32, {user(1), user(2, 3)}).found;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].condition, "if it were 2 locks, one for section 'section0', one for section "
                                "'section1', which have no data in common");
  EXPECT_GT(found[0].today.ratio, 1.2);
  SectionMemory unknown = user(0), idle = user(2), many = user(2);
  idle.sharedAccesses = 0;
  many.otherOverlaps = 1;
  for (const SectionMemory &other : {user(1), user(2, 1), unknown, idle, many})
    EXPECT_THAT(offered(network, {user(1), other}, "separate"), IsEmpty());
  EXPECT_THAT(offered(network, {user(1)}, "separate"), IsEmpty()) << "the other was not traced";
  network.locks[0].instances = 2;
  EXPECT_THAT(offered(network, {user(1), user(2)}, "separate"), IsEmpty());
}

TEST(WhatIf, CodeWithoutALockStillNeedsCores) {
  const auto found = [](int cores) {
    return asked(busy(), "optimistic", {LockKind::pthreadMutex}, cores, {traced(3000, 0)})
        .found.at(0);
  };
  const auto today = [](int cores) {
    return predict(busy(), {LockKind::pthreadMutex}, machine(cores), threads,
                   DecisionOptions().predict)
        ->throughputPerS;
  };
  EXPECT_NEAR(found(2).today.ratio * today(2) / (2 / 3000e-9), 1, 0.05);
}

std::string refused(const std::string &text) {
  const auto parsed = parseFixes(text);
  return parsed ? "" : parsed.error().message;
}

TEST(ParseFixes, SaysWhatIsWrong) {
  EXPECT_EQ(parseFixes("shrink=30")->front().amount, 0.3);
  EXPECT_EQ(parseFixes("shrink=30,split=8,atomic")->size(), 3u);
  EXPECT_THAT(refused("atomic=1"), HasSubstr("takes no number"));
  EXPECT_THAT(refused("melt"), AllOf(HasSubstr("no such fix"), HasSubstr("shrink=PERCENT")));
  for (const char *text : {"shrink", "shrink=", "shrink=x", "shrink=0", "shrink=101", "shrink=5x"})
    EXPECT_THAT(refused(text), HasSubstr("shrink=PERCENT with a number from 1 to 100")) << text;
  for (const char *text : {"split=1", "split=2.5", "split=nan", "split=1e9"})
    EXPECT_THAT(refused(text), HasSubstr("split=NUMBER with a number from 2 to 1000")) << text;
  for (const char *text : {"", ",", "split=2,"})
    EXPECT_NE(refused(text), "") << text;
}

} // namespace
} // namespace qdadvise
