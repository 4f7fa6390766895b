// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/LockFacts.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/model/Networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const LockAlgorithm &mutex() { return algorithmOf(LockKind::pthreadMutex); }
const LockAlgorithm &spinlock() { return algorithmOf(LockKind::spinlock); }
const LockAlgorithm &qd() { return algorithmOf(LockKind::qd); }

LockFacts factsWith(SiteRole role, std::uint32_t flags) {
  Network network = test::networkOf({{1, 100}}, 100);
  SourceSite site;
  site.file = "a.cc";
  site.function = "f(int)";
  site.line = 42;
  site.role = static_cast<std::uint32_t>(role);
  site.flags = flags;
  network.sections[0].site = site;
  return lockFacts(network)[0];
}

TEST(LockFacts, SayWhatNeverRanAndWhatWasNeverTimed) {
  Network network = test::networkOf({{1, 100}}, 100);
  SourceSite never;
  never.file = "a.cc";
  never.function = "g()";
  never.line = 7;
  network.locks[0].neverRan = {never};
  network.sections[0].hold.samples = 1000;
  EXPECT_THAT(lockFacts(network)[0].neverRan, ElementsAre("in 'g()' (a.cc:7)"));
  EXPECT_THAT(lockFacts(network)[0].neverTimed, IsEmpty());
  EXPECT_FALSE(lockFacts(network)[0].isLittleKnown());
  network.sections[0].untimed = true;
  EXPECT_THAT(lockFacts(network)[0].neverTimed, ElementsAre(HasSubstr("section")));
  EXPECT_EQ(lockFacts(network)[0].samples, 0u) << "those are of other sections";
  EXPECT_TRUE(lockFacts(network)[0].isLittleKnown());
}

TEST(LockFacts, SectionsThatRanOftenAreKnownHoweverAlikeTheirTimesAre) {
  Network network = test::networkOf({{1, 100}}, 100);
  network.sections[0].hold.samples = 20'000;
  network.sections[0].hold.inefficiency = 5000;
  EXPECT_EQ(lockFacts(network)[0].samples, 20'000u);
  EXPECT_FALSE(lockFacts(network)[0].isLittleKnown());
}

TEST(LockFacts, APlainLockRefusesNothing) {
  const LockFacts facts = factsWith(SiteRole::acquire, 0);
  EXPECT_TRUE(facts.modelled);
  EXPECT_FALSE(facts.nested);
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    EXPECT_EQ(refusal(facts, algorithm), "") << algorithm.name;
    EXPECT_THAT(obstaclesTo(facts, algorithm), IsEmpty()) << algorithm.name;
  }
}

TEST(LockFacts, AConditionWaitNeedsALockThatSleeps) {
  const LockFacts facts = factsWith(SiteRole::wait, 0);
  EXPECT_THAT(refusal(facts, spinlock()), HasSubstr("condition variable"));
  EXPECT_THAT(refusal(facts, qd()), HasSubstr("'f(int)' (a.cc:42)"));
  EXPECT_EQ(refusal(facts, mutex()), "");
}

TEST(LockFacts, ARecursiveLockCannotSpinOrDelegate) {
  const LockFacts facts = factsWith(SiteRole::acquire, siteRecursive);
  EXPECT_THAT(refusal(facts, spinlock()), HasSubstr("may take it again"));
  EXPECT_THAT(refusal(facts, qd()), HasSubstr("QD lock"));
  EXPECT_EQ(refusal(facts, mutex()), "");
}

TEST(LockFacts, SectionsThatAreOverAtOnceAreOutOfDelegationsRange) {
  Network network = test::networkOf({{1, 100}}, 1000);
  const auto refused = [&](double firstNs, double secondNs) {
    network.sections[0].hold = {firstNs, 1};
    network.sections[0].hold.samples = 1000;
    Section second = network.sections[0];
    second.hold.mean = secondNs;
    second.hold.samples = 10;
    Network both = network;
    both.sections.push_back(second);
    const LockFacts facts = lockFacts(both)[0];
    EXPECT_EQ(refusal(facts, spinlock()), "");
    return refusal(facts, qd());
  };
  // It is the mean section that counts.
  EXPECT_THAT(refused(0.9, 20),
              HasSubstr("its sections take under 5 ns, and models of it are for 5 ns and more"));
  EXPECT_EQ(refused(20, 0.9), "");
  network.sections[0].shared = true;
  EXPECT_EQ(refused(0.9, 0.9), "");
}

TEST(LockFacts, ReadersKeepTheirSectionsWhereTheyMayBeInTogether) {
  Network network = test::networkOf({{1, 100}}, 1000);
  network.sections[0].shared = true;
  network.sections[0].site.emplace().facts = factsKnown | factReturns;
  const LockFacts facts = lockFacts(network)[0];
  EXPECT_THAT(obstaclesTo(facts, algorithmOf(LockKind::mrqd)), IsEmpty());
  EXPECT_THAT(obstaclesTo(facts, qd()),
              ElementsAre(HasSubstr("instead of lock_shared()"), HasSubstr("'return' leaves")));
}

TEST(LockFacts, ATimedTryIsAnObstacle) {
  const LockFacts facts = factsWith(SiteRole::acquire, siteTry | siteTimed);
  EXPECT_EQ(refusal(facts, qd()), "");
  EXPECT_THAT(obstaclesTo(facts, qd()), ElementsAre(HasSubstr("gives up after a while")));
}

TEST(LockFacts, AConditionWaitThatNeverHappenedNeedsALockThatSleeps) {
  Network network = test::networkOf({{1, 100}}, 1000);
  SourceSite site;
  site.file = "a.cc";
  site.line = 7;
  site.function = "take()";
  network.locks[0].waits.push_back(site);
  EXPECT_THAT(refusal(lockFacts(network)[0], spinlock()), HasSubstr("in 'take()' (a.cc:7)"));
}

TEST(LockFacts, AConditionVariableForAnyLockLeavesTheChoice) {
  const LockFacts facts = factsWith(SiteRole::wait, siteAnyLock | siteTimed);
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    EXPECT_EQ(refusal(facts, algorithm), "") << algorithm.name;
  EXPECT_THAT(obstaclesTo(facts, spinlock()), IsEmpty());
  EXPECT_THAT(obstaclesTo(facts, qd()),
              ElementsAre("a condition variable waits with it in 'f(int)' (a.cc:42): what waits "
                          "there is no operation, and stays between lock() and unlock()"));
}

TEST(LockFacts, WhereOneWaitNeedsAMutexItIsOne) {
  Network network = test::networkOf({{1, 100}}, 1000);
  SourceSite any, plain;
  any.role = plain.role = static_cast<std::uint32_t>(SiteRole::wait);
  any.flags = siteAnyLock;
  plain.line = 7;
  network.locks[0].waits = {any, plain};
  EXPECT_THAT(refusal(lockFacts(network)[0], spinlock()), HasSubstr("which needs a lock"));
}

TEST(LockFacts, WhoWaitsForAConditionLeavesTheLockToOthers) {
  Network network = test::networkOf({{1, 100}}, 1000);
  network.sections[0].site.emplace().facts = factsKnown | factWaits;
  SourceSite any;
  any.flags = siteAnyLock;
  network.locks[0].waits.push_back(any);
  EXPECT_THAT(obstaclesTo(lockFacts(network)[0], spinlock()),
              ElementsAre(HasSubstr("may sleep in the section")));
  EXPECT_THAT(obstaclesTo(lockFacts(network)[0], spinlock()),
              ElementsAre(HasSubstr("unless it waits for the condition, which gives the lock up")));
}

TEST(LockFacts, ATimedConditionWaitIsOneHindranceOnly) {
  EXPECT_EQ(factsWith(SiteRole::wait, siteTimed).hindrances.size(), 1u);
}

TEST(LockFacts, AnInnerLockIsToldOfAtTheOuterOne) {
  Network network = test::networkOf({{0.5, 100}, {0.5, 100}}, 100);
  Section inner;
  inner.name = "inner";
  inner.lock = 1;
  inner.hold = {50, 1};
  inner.inside = 0;
  inner.visits = 1;
  network.sections.push_back(inner);
  network.sections.push_back(inner); // a second place in the same section: told once
  const std::vector<LockFacts> facts = lockFacts(network);
  EXPECT_FALSE(facts[0].nested);
  EXPECT_TRUE(facts[1].nested);
  EXPECT_THAT(obstaclesTo(facts[0], qd()),
              ElementsAre("the section in section 'section0' takes lock 'lock1' inside: the "
                          "helping thread would take it for the others"));
  EXPECT_THAT(obstaclesTo(facts[0], spinlock()), ElementsAre(HasSubstr("others spin")));
  EXPECT_THAT(obstaclesTo(facts[1], qd()), IsEmpty());
}

Network withFacts(SectionFactBits facts) {
  Network network = test::networkOf({{1, 100}}, 100);
  SourceSite site;
  site.file = "a.cc";
  site.function = "f(int)";
  site.line = 42;
  site.facts = facts;
  network.sections[0].site = site;
  return network;
}

TEST(LockFacts, WhatTheSourceShowsIsAnObstacleToSome) {
  const auto obstacles = [](SectionFactBits facts, const LockAlgorithm &algorithm) {
    return obstaclesTo(lockFacts(withFacts(facts | factsKnown))[0], algorithm);
  };
  EXPECT_THAT(obstacles(factReturns, qd()),
              ElementsAre("'return' leaves the section in 'f(int)' (a.cc:42): an operation hands "
                          "its result back instead"));
  EXPECT_THAT(obstacles(factReturns, spinlock()), IsEmpty());
  EXPECT_THAT(obstacles(factJumps | factThreadLocal, qd()),
              ElementsAre(HasSubstr("break, continue or goto leaves"), HasSubstr("thread-local")));
  EXPECT_THAT(obstacles(factWaits, spinlock()), ElementsAre(HasSubstr("may sleep")));
  EXPECT_THAT(obstacles(factWaits | factTakesLock | factReturns, mutex()), IsEmpty());
  EXPECT_THAT(obstacles(factThrows | factCallsUnknown | factDoesIo, qd()), IsEmpty());
  EXPECT_THAT(obstaclesTo(lockFacts(withFacts(factReturns))[0], qd()), IsEmpty())
      << "facts that are not known are none";
}

TEST(LockFacts, OneSentenceTellsOfAFewSections) {
  Network network = withFacts(factsKnown | factReturns);
  for (std::uint32_t line = 1; line < 5; ++line) {
    network.sections.push_back(network.sections[0]);
    network.sections.back().site->line = line;
  }
  EXPECT_THAT(obstaclesTo(lockFacts(network)[0], qd()),
              ElementsAre(HasSubstr("the sections in 'f(int)' (a.cc:42), in 'f(int)' (a.cc:1), in "
                                    "'f(int)' (a.cc:2) and 2 more:")));
}

TEST(LockFacts, AnInnerLockThatWasSeenIsToldOfByName) {
  Network network = withFacts(factsKnown | factTakesLock);
  EXPECT_THAT(obstaclesTo(lockFacts(network)[0], qd()),
              ElementsAre(HasSubstr("another lock may be taken")));
  network.locks.push_back({"inner", LockKind::pthreadMutex, 1, {}});
  Section inner;
  inner.name = "inner";
  inner.lock = 1;
  inner.inside = 0;
  inner.visits = 1;
  network.sections.push_back(inner);
  EXPECT_THAT(obstaclesTo(lockFacts(network)[0], qd()),
              ElementsAre(HasSubstr("takes lock 'inner' inside")));
}

TEST(LockFacts, AnAtomicWouldDoWhereEverySectionIsOneUpdate) {
  Network network = withFacts(factsKnown | factOneIntegerUpdate);
  EXPECT_TRUE(lockFacts(network)[0].isOneInteger);
  network.sections.push_back(network.sections[0]);
  network.sections.back().site->facts = factsKnown;
  EXPECT_FALSE(lockFacts(network)[0].isOneInteger);
}

TEST(LockFacts, AKindOutsideTheTableIsNotModelled) {
  Network network = test::networkOf({{1, 100}}, 100);
  network.locks[0].kind = LockKind::unknown;
  EXPECT_FALSE(lockFacts(network)[0].modelled);
}

/// A reader of a reader-writer lock may be let in again, which its type does not show.
TEST(LockFacts, ALockTakenInsideItselfIsRecursive) {
  Network network = test::networkOf({{1, 100}}, 100);
  Section inner = network.sections[0];
  inner.name = "inner";
  inner.inside = 0;
  inner.visits = 1;
  network.sections.push_back(inner);
  EXPECT_THAT(refusal(lockFacts(network)[0], qd()), HasSubstr("its owner may take it again"));
  network.locks[0].instances = 2;
  EXPECT_EQ(refusal(lockFacts(network)[0], qd()), "");
}

} // namespace
} // namespace qdadvise
