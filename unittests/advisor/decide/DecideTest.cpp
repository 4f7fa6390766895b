// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verdicts on small networks whose best locks are beyond doubt, and how they move with
// one parameter at a time.

#include "advisor/decide/Decision.h"
#include "runtime/abi/site_record.h"
#include "unittests/advisor/model/Networks.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

DecisionOptions at(int threads, std::vector<LockKind> menu = {}) {
  DecisionOptions options;
  options.threads = threads;
  options.menu = std::move(menu);
  return options;
}

Decisions decided(const Network &network, const Machine &machine, const DecisionOptions &options) {
  const Expected<Decisions> decisions = decide(network, machine, options);
  if (!decisions) {
    ADD_FAILURE() << decisions.error().message;
    return {};
  }
  EXPECT_EQ(decisions->locks.size(), network.locks.size());
  return *decisions;
}

GivenKind verdict(const Network &network, const Machine &machine, const DecisionOptions &options) {
  const Decisions decisions = decided(network, machine, options);
  return decisions.locks.empty() ? GivenKind() : decisions.locks[0].advised;
}

/// 100 ns held, 100 us of local computation: free 98 times out of 100 at 16 threads.
Network calm() { return networkOf({{1, 100}}, 100'000); }
/// Few threads, which meet often: the wait is short, a sleep is not.
Network brisk() { return networkOf({{1, 200}}, 500); }
/// More work inside than outside: saturated at a few threads.
Network busy() { return networkOf({{1, 300}}, 500); }

TEST(Decide, ALockThatIsFreeStays) {
  const Decisions decisions = decided(calm(), machineOf(32), at(16));
  EXPECT_TRUE(decisions.locks[0].keep);
  EXPECT_EQ(decisions.locks[0].advised, LockKind::pthreadMutex);
  EXPECT_EQ(decisions.locks[0].speedup, 1);
  EXPECT_EQ(decisions.together.ratio, 1);
  EXPECT_THAT(decisions.locks[0].reasons,
              Contains(AllOf(HasSubstr("of their time waiting for it at 16 threads"))));
}

TEST(Decide, EveryVerdictSaysWhatItKnowsNothingOf) {
  for (Network network : {calm(), busy()}) {
    SourceSite never;
    never.file = "a.cc";
    never.function = "rare()";
    never.line = 7;
    network.locks[0].neverRan = {never};
    const Decisions decisions = decided(network, machineOf(32), at(16));
    EXPECT_THAT(decisions.locks[0].reasons,
                Contains("1 place that takes it never ran, and nothing is known of it: in 'rare()' "
                         "(a.cc:7)"));
  }
  Network untimed = busy();
  untimed.sections[0].untimed = true;
  const Decisions decisions = decided(untimed, machineOf(32), at(16));
  EXPECT_TRUE(decisions.locks[0].keep) << "nobody knows how long its sections take";
  EXPECT_THAT(decisions.locks[0].reasons, Contains(HasSubstr("it was never timed")));
}

TEST(Decide, LocksWhoseHoldersWaitedForAProcessorStay) {
  Network network = busy();
  EXPECT_FALSE(decided(network, machineOf(32), at(16)).locks[0].keep);
  network.sections[0].delayed = true;
  const Decisions decisions = decided(network, machineOf(32), at(16));
  EXPECT_TRUE(decisions.locks[0].keep);
  EXPECT_THAT(decisions.locks[0].reasons, Contains(HasSubstr("often waited for a processor")));
}

TEST(Decide, LocksThatOneThreadTakesStay) {
  Network network = busy();
  network.locks[0].perThread = true;
  for (const std::uint64_t samples : {0U, 11U}) { // however seldom it was timed
    network.sections[0].hold.samples = samples;
    const Decisions decisions = decided(network, machineOf(32), at(16));
    EXPECT_TRUE(decisions.locks[0].keep);
    EXPECT_EQ(decisions.locks[0].speedup, 1);
    EXPECT_THAT(decisions.locks[0].reasons,
                ElementsAre("each of its locks is taken by one thread only, so that nobody waits "
                            "for it"));
  }
}

TEST(Decide, ShortSectionsThatMeetNowAndThenSpin) {
  const Decisions decisions = decided(brisk(), machineOf(32), at(4));
  const LockDecision &lock = decisions.locks[0];
  EXPECT_EQ(lock.advised, LockKind::spinlock);
  EXPECT_FALSE(lock.keep);
  EXPECT_GT(lock.low, 1.05);
  EXPECT_LE(lock.low, lock.speedup);
  EXPECT_LE(lock.speedup, lock.high);
  EXPECT_NEAR(decisions.advised.throughputPerS / decisions.today.throughputPerS, lock.speedup,
              1e-9 * lock.speedup);
  EXPECT_THAT(lock.reasons, Contains(HasSubstr("waking a sleeper")));
  EXPECT_THAT(lock.reasons, Contains(HasSubstr("4 threads fit on 32 cores")));
}

TEST(Decide, ASaturatedLockDelegates) {
  const Decisions decisions = decided(busy(), machineOf(32), at(16));
  const LockDecision &lock = decisions.locks[0];
  EXPECT_EQ(lock.advised, LockKind::qd);
  EXPECT_GT(lock.low, 1.05);
  EXPECT_THAT(lock.reasons[0], HasSubstr("of acquisitions at 16 threads; mean wait "));
  EXPECT_THAT(lock.reasons, Contains(HasSubstr("the lock does not change hands")));
}

TEST(Decide, TheVerdictMovesWithTheNumberOfThreads) {
  EXPECT_EQ(verdict(busy(), machineOf(32), at(1)), LockKind::pthreadMutex);
  EXPECT_EQ(verdict(busy(), machineOf(32), at(32)), LockKind::qd);
}

TEST(Decide, TheVerdictMovesWithTheLocalComputation) {
  EXPECT_EQ(verdict(networkOf({{1, 300}}, 500), machineOf(32), at(16)), LockKind::qd);
  EXPECT_EQ(verdict(networkOf({{1, 300}}, 500'000), machineOf(32), at(16)), LockKind::pthreadMutex);
}

TEST(Decide, TheVerdictMovesWithTheSectionsLength) {
  EXPECT_EQ(verdict(networkOf({{1, 200}}, 500), machineOf(32), at(4)), LockKind::spinlock);
  EXPECT_EQ(verdict(networkOf({{1, 2}}, 5000), machineOf(32), at(4)), LockKind::pthreadMutex);
  // A wake-up is nothing against a section of a millisecond.
  EXPECT_EQ(verdict(networkOf({{1, 1e6}}, 2.5e6), machineOf(32), at(4)), LockKind::pthreadMutex);
}

TEST(Decide, TheVerdictMovesWithTheCores) {
  Machine machine = machineOf(32);
  machine.scheduler["timeslice_ns"].value = 3e6;
  DecisionOptions options = at(4, {LockKind::mcs});
  EXPECT_EQ(verdict(brisk(), machine, options), LockKind::mcs);
  options.predict.cores = 2;
  const Decisions decisions = decided(brisk(), machine, options);
  EXPECT_EQ(decisions.locks[0].advised, LockKind::pthreadMutex);
  EXPECT_THAT(decisions.locks[0].reasons,
              Contains(HasSubstr("with 4 threads on 2 cores a spinning waiter")));
}

TEST(Decide, TheMenuIsAllThereIsToChooseFrom) {
  EXPECT_EQ(verdict(brisk(), machineOf(32), at(4, {LockKind::spinlock})), LockKind::spinlock);
  EXPECT_EQ(verdict(brisk(), machineOf(32), at(4, {LockKind::pthreadMutex})),
            LockKind::pthreadMutex);
  const Decisions decisions = decided(busy(), machineOf(32), at(16, {LockKind::spinlock}));
  std::vector<LockKind> kinds;
  for (const LockDecision::Alternative &alternative : decisions.locks[0].alternatives)
    kinds.push_back(alternative.kind);
  EXPECT_THAT(kinds, ::testing::ElementsAre(LockKind::pthreadMutex, LockKind::spinlock));
}

TEST(Decide, OfManyLocksThoseWhereNobodyWaitsAreNotPredictedWithOthers) {
  const auto alternatives = [](int quiet) {
    constexpr double seldom = 1e-6;
    std::vector<test::TestLock> locks{{1 - quiet * seldom, 300}};
    locks.resize(static_cast<std::size_t>(quiet) + 1, {seldom, 10});
    std::vector<std::size_t> counts;
    for (const LockDecision &decision : decided(networkOf(locks, 500), machineOf(32), at(16)).locks)
      counts.push_back(decision.alternatives.size());
    return counts;
  };
  const std::vector<std::size_t> ofMany = alternatives(11), ofTwo = alternatives(1);
  EXPECT_GT(ofMany[0], 3u);
  EXPECT_EQ(std::count(ofMany.begin(), ofMany.end(), 1u), 11);
  EXPECT_EQ(ofTwo, (std::vector<std::size_t>(2, ofMany[0])));
}

TEST(Decide, ALargerMarginKeepsMore) {
  DecisionOptions options = at(4);
  EXPECT_EQ(verdict(brisk(), machineOf(32), options), LockKind::spinlock);
  options.minimumGains = {0, 100, 100};
  EXPECT_EQ(verdict(brisk(), machineOf(32), options), LockKind::pthreadMutex);
}

TEST(Decide, WhatIsNotLikelyToBeWorthMoreThanTheCheaperChangeIsGivenUp) {
  const Network network = brisk();
  const Machine machine = machineOf(32);
  DecisionOptions options = at(5);
  options.minimumGains = {0, 0.03, 0.1};
  const Expected<GainInterval> more =
      throughputGain(network, {LockKind::spinlock}, {LockKind::qd}, machine, 5);
  ASSERT_TRUE(more.has_value());
  ASSERT_GT(more->ratio, 1);
  ASSERT_LT(overBar(*more, 2, options.minimumGains), 1);
  const Decisions decisions = decided(network, machine, options);
  EXPECT_EQ(decisions.locks[0].advised, LockKind::spinlock);
  EXPECT_THAT(decisions.locks[0].reasons,
              Contains(AllOf(HasSubstr("a QD lock would"), HasSubstr("the cheaper change"))));
}

TEST(Decide, SaysWhereAGainIsNotSure) {
  const auto isUnsure = [](const Network &network, int cores) {
    DecisionOptions options = at(16);
    options.predict.cores = cores;
    Machine machine = machineOf(32);
    machine.scheduler["timeslice_ns"].value = 3e6;
    const LockDecision lock = decided(network, machine, options).locks[0];
    EXPECT_FALSE(lock.keep);
    const bool told = std::any_of(lock.reasons.begin(), lock.reasons.end(), [](const auto &reason) {
      return reason.find("likely rather than sure") != std::string::npos;
    });
    EXPECT_EQ(told, lock.low < 1);
    return told;
  };
  EXPECT_FALSE(isUnsure(busy(), 32));
  EXPECT_TRUE(isUnsure(networkOf({{1, 300}}, 3000), 8));
}

TEST(Decide, WhatALockIsTakenForIsSaidWhereItsGainIs) {
  Network network = busy();
  const auto firstReason = [&] {
    return decided(network, machineOf(32), at(16)).locks[0].reasons.front();
  };
  EXPECT_THAT(firstReason(), HasSubstr("waited for in"));
  network.locks[0].assumed = true;
  EXPECT_EQ(firstReason(), "today's algorithm is not known, for no known lock was seen in its "
                           "operations: a pthread mutex is assumed, which the gain is over");
  network = networkOf({{1, 100}}, 100'000);
  network.locks[0].assumed = true;
  EXPECT_THAT(firstReason(), ::testing::EndsWith("a pthread mutex is assumed"));
}

TEST(Decide, TheMoreWorkAChangeIsTheMoreItHasToPromise) {
  const MinimumGains least{0, 0.03, 0.05};
  GainInterval gain;
  gain.ratio = 1.1;
  gain.lowerQuartile = 1.02;
  EXPECT_DOUBLE_EQ(overBar(gain, 1, least), 1.02);
  EXPECT_DOUBLE_EQ(overBar(gain, 2, least), 1.02);
  gain.lowerQuartile = 1.09;
  EXPECT_DOUBLE_EQ(overBar(gain, 1, least), 1.1 / 1.03);
  EXPECT_DOUBLE_EQ(overBar(gain, 2, least), 1.1 / 1.05);
}

TEST(Decide, OneBottleneckDoesNotChangeTheOthers) {
  // The second lock is free whatever the first does.
  const Decisions decisions =
      decided(networkOf({{0.9, 300}, {0.1, 5}}, 500), machineOf(32), at(16));
  EXPECT_EQ(decisions.locks[0].advised, LockKind::qd);
  EXPECT_TRUE(decisions.locks[1].keep);
  EXPECT_DOUBLE_EQ(decisions.together.ratio, decisions.locks[0].speedup);
}

TEST(Decide, TwoEqualBottlenecksChangeTogether) {
  const Decisions decisions =
      decided(networkOf({{0.5, 300}, {0.5, 300}}, 300), machineOf(32), at(16));
  EXPECT_EQ(decisions.locks[0].advised, decisions.locks[1].advised);
  EXPECT_FALSE(decisions.locks[0].keep);
  EXPECT_GT(decisions.together.ratio, decisions.locks[0].speedup)
      << "each lock's figure is for its own change, on top of the other";
  EXPECT_THAT(decisions.locks[0].reasons,
              Contains(HasSubstr("counts on the advice for the other")));
}

TEST(Decide, SaysWhatLocksWouldGainTogetherWhereThatIsNotEnough) {
  DecisionOptions options = at(4, {LockKind::qd});
  options.minimumGains = {0, 0.03, 1};
  // Where one lock changes hands faster, threads meet more often at the other mutexes, which eats
  // up what a dear lock gains.
  const Network network = networkOf(std::vector<test::TestLock>(3, {1.0 / 3, 1000}), 0);
  Machine machine = machineOf(32);
  machine.kinds[LockKind::qd].figures["lock_overhead_ns"].value = 900;
  for (const LockDecision &lock : decided(network, machine, options).locks) {
    EXPECT_TRUE(lock.keep);
    EXPECT_LT(lock.alternatives[1].speedup, 1);
    EXPECT_THAT(lock.reasons,
                Contains(AllOf(HasSubstr("by itself no other lock does better here; a QD lock, "
                                         "with another algorithm at 'lock"),
                               ContainsRegex("'lock[01]' and 'lock[12]' too, gives 1[.].*x"),
                               HasSubstr("work on its sections has to promise more than 2.0x"))));
  }
}

TEST(Decide, ManyEqualBottlenecksChangeTogether) {
  for (const std::size_t count : {3u, 4u, 6u}) {
    const double share = 1.0 / static_cast<double>(count);
    const Decisions decisions = decided(
        networkOf(std::vector<test::TestLock>(count, {share, 300}), 100), machineOf(32), at(16));
    EXPECT_GT(decisions.together.low, 1.05) << count << " locks";
    for (const LockDecision &lock : decisions.locks)
      EXPECT_FALSE(lock.keep) << count << " locks";
  }
}

TEST(Decide, SmallChangesThatAddUpAreMade) {
  // None of ten is worth another type of lock by itself.
  std::vector<test::TestLock> locks(10, {0.1, 300});
  const Decisions many =
      decided(networkOf(locks, 4000), machineOf(32), at(12, {LockKind::spinlock}));
  EXPECT_GT(many.together.ratio, 1 + usualMinimumGains[1]);
  for (const LockDecision &lock : many.locks) {
    EXPECT_FALSE(lock.keep);
    EXPECT_GT(lock.speedup, 1);
    EXPECT_LT(lock.speedup, 1 + usualMinimumGains[1]);
    EXPECT_THAT(lock.reasons, Contains(HasSubstr("together the small changes promise that")));
  }
  // Two like these do not add up, among others that nobody waits for.
  for (std::size_t i = 2; i < locks.size(); ++i)
    locks[i].holdNs = 3;
  const Decisions few =
      decided(networkOf(locks, 4000), machineOf(32), at(12, {LockKind::spinlock}));
  for (const LockDecision &lock : few.locks)
    EXPECT_TRUE(lock.keep);
}

TEST(Decide, TodaysLockMayBeAnyOfTheTable) {
  Network network = calm();
  network.locks[0].kind = LockKind::spinlock;
  const Decisions decisions = decided(network, machineOf(32), at(16));
  EXPECT_EQ(decisions.locks[0].today, LockKind::spinlock);
  EXPECT_TRUE(decisions.locks[0].keep);
  EXPECT_EQ(decisions.locks[0].alternatives.front().kind, LockKind::spinlock);
}

TEST(Decide, AnUnmodelledLockStaysAndSaysWhy) {
  Network network = busy();
  network.locks[0].kind = LockKind::unknown;
  const Decisions decisions = decided(network, machineOf(32), at(16));
  const LockDecision &lock = decisions.locks[0];
  EXPECT_TRUE(lock.keep);
  EXPECT_EQ(lock.today.name(), "unknown");
  EXPECT_EQ(lock.advised.name(), "unknown");
  EXPECT_THAT(lock.reasons[0], HasSubstr("'unknown' is not modelled yet"));
}

TEST(Decide, AReaderWriterLockIsJudgedByItsReaders) {
  Network network = busy();
  network.locks[0].kind = LockKind::pthreadRwlock;
  EXPECT_FALSE(decided(network, machineOf(32), at(16)).locks[0].keep);
  network.sections[0].shared = true;
  EXPECT_TRUE(decided(network, machineOf(32), at(16)).locks[0].keep);
}

TEST(Decide, OnlyALockThatIsReadMayBecomeAnMrqdLock) {
  Network network = busy();
  const auto considersMrqd = [&] {
    const Decisions decisions = decided(network, machineOf(32), at(16));
    const auto &others = decisions.locks[0].alternatives;
    return std::any_of(others.begin(), others.end(),
                       [](const auto &other) { return other.kind == LockKind::mrqd; });
  };
  EXPECT_FALSE(considersMrqd());
  network.sections[0].shared = true;
  EXPECT_TRUE(considersMrqd());
}

TEST(Decide, NoLockBecomesAPthreadRwlock) {
  Network network = busy();
  network.sections[0].shared = true;
  const Decisions decisions = decided(network, machineOf(32), at(16));
  for (const LockDecision::Alternative &other : decisions.locks[0].alternatives)
    EXPECT_NE(other.kind, LockKind::pthreadRwlock);
}

/// Six runs of one program, some of which saw the lock held for much longer than the others did.
TEST(Decide, AChangeThatHalfOfTheRunsContradictIsNotAdvised) {
  const Network longHeld = test::networkOf({{1, 1000}}, 4000);
  Network shortHeld = longHeld;
  shortHeld.sections[0].hold.mean = 1;
  shortHeld.transitions[0].local.mean = 1e6;
  const auto withRuns = [&](std::size_t disturbed) {
    DecisionOptions options = at(16);
    for (std::size_t i = 0; i < 6; ++i)
      options.runs.push_back(i < disturbed ? longHeld : shortHeld);
    return decided(longHeld, machineOf(32), options).locks[0];
  };
  EXPECT_FALSE(decided(longHeld, machineOf(32), at(16)).locks[0].keep);
  const LockDecision contradicted = withRuns(3), supported = withRuns(5), sure = withRuns(6);
  EXPECT_TRUE(contradicted.keep);
  EXPECT_EQ(contradicted.agreement.agree, 3u);
  EXPECT_THAT(contradicted.reasons, Contains(HasSubstr("the recorded runs do not agree")));
  EXPECT_THAT(contradicted.reasons, Contains(HasSubstr("by 3 of 6")));
  EXPECT_FALSE(supported.keep);
  EXPECT_THAT(supported.reasons, Contains(HasSubstr("5 of the 6 recorded runs say so")));
  EXPECT_THAT(sure.reasons, Contains(HasSubstr("each of the 6 recorded runs says so")));
}

/// A section of 4 ns by the profile may take none at all: then there is nothing to wait for.
TEST(Decide, NoVerdictRestsOnTimesThatAreTooShortToMeasure) {
  Network network = test::networkOf({{1, 4}}, 100);
  DecisionOptions options = at(4);
  options.menu = {LockKind::spinlock, LockKind::mcs};
  const LockDecision given = decided(network, machineOf(32), options).locks[0];
  EXPECT_FALSE(given.keep);
  EXPECT_FALSE(given.agreement.restsOnShortTimes);
  network.sections[0].hold.samples = 100000; // measured
  const LockDecision measured = decided(network, machineOf(32), options).locks[0];
  EXPECT_TRUE(measured.keep);
  EXPECT_THAT(measured.reasons, Contains(HasSubstr("too short to measure, under 5 ns")));
}

/// A busy lock, and a list whose few locks are taken hand over hand in that share of the sections.
Network withList(double share) {
  Network network = test::networkOf({{1 - share, 1000}, {share, 1000}, {0, 1000}}, 500);
  network.locks[1].instances = 10;
  network.sections[2].lock = 1;
  network.sections[2].inside = 1;
  network.sections[2].visits = 1;
  std::erase_if(network.transitions,
                [](const Transition &one) { return one.from == 2 || one.to == 2; });
  network.locks.pop_back();
  return network;
}

TEST(Decide, NothingFollowsFromABound) {
  DecisionOptions options;
  options.threads = 32;
  const auto decisionsFor = [&](double share) {
    return *decide(withList(share), test::machineOf(32), options);
  };
  // Where threads mostly wait for the other lock, it does not matter what the list is.
  const Decisions mostlyElsewhere = decisionsFor(0.02), mostlyThere = decisionsFor(0.9);
  EXPECT_FALSE(mostlyElsewhere.today.worstCase);
  EXPECT_FALSE(mostlyElsewhere.locks[0].keep);
  ASSERT_TRUE(mostlyThere.today.worstCase);
  for (const LockDecision &decision : mostlyThere.locks) {
    EXPECT_TRUE(decision.keep);
    EXPECT_THAT(decision.reasons, Contains(HasSubstr("no model tells what another lock")));
    // Nothing is predicted that nobody may see.
    EXPECT_THAT(decision.alternatives, testing::SizeIs(1));
  }
  const auto gain = throughputGain(withList(0.9), {LockKind::pthreadMutex, LockKind::pthreadMutex},
                                   {LockKind::mcs, LockKind::mcs}, test::machineOf(32), 32);
  EXPECT_EQ(gain->ratio, 1);
  EXPECT_EQ(gain->high, 1);
  EXPECT_FALSE(gain->known);
  // Nobody is there.
  EXPECT_TRUE(std::isfinite(decisionsFor(0).today.throughputPerS));
}

TEST(Decide, ALockThatWasHardlySeenStays) {
  Network network = test::networkOf({{1, 1000}}, 500);
  DecisionOptions options;
  options.threads = 16;
  const auto decided = [&] { return decide(network, test::machineOf(16), options)->locks[0]; };
  EXPECT_FALSE(decided().keep);
  network.sections[0].hold.samples = 100;
  EXPECT_FALSE(decided().keep);
  network.sections[0].hold.samples = 4;
  EXPECT_TRUE(decided().keep);
  EXPECT_THAT(decided().reasons, Contains(HasSubstr("it was held 4 times in the recorded run")));
}

TEST(Decide, ALockThatAConditionWaitsWithStays) {
  Network network = busy();
  SourceSite site;
  site.file = "a.cc";
  site.function = "take()";
  site.line = 7;
  site.role = static_cast<std::uint32_t>(SiteRole::wait);
  network.sections[0].site = site;
  // The code says so, however often its sections were timed.
  for (const std::uint64_t samples : {0u, 4u, 1000u}) {
    network.sections[0].hold.samples = samples;
    const Decisions decisions = decided(network, machineOf(32), at(16));
    const LockDecision &lock = decisions.locks[0];
    EXPECT_TRUE(lock.keep);
    EXPECT_THAT(
        lock.reasons,
        Contains(AllOf(HasSubstr("a QD lock ("), HasSubstr("is ruled out"),
                       HasSubstr("a condition variable waits with it in 'take()' (a.cc:7)"))))
        << samples << " samples";
  }
}

TEST(Decide, ReasonsAreWholeSentencesWithNumbers) {
  for (const Network &network : {calm(), brisk(), busy()})
    for (const int threads : {1, 4, 16, 64}) {
      const Decisions decisions = decided(network, machineOf(32), at(threads));
      for (const LockDecision &lock : decisions.locks) {
        ASSERT_THAT(lock.reasons, Not(IsEmpty()));
        EXPECT_THAT(lock.reasons[0], ContainsRegex("[0-9]"));
        for (const std::string &reason : lock.reasons)
          EXPECT_THAT(reason, Not(AnyOf(HasSubstr("nan"), HasSubstr("inf"), HasSubstr("  "))))
              << threads;
      }
    }
}

TEST(Decide, ChoosesAmongWhatTheMachineHasFiguresOf) {
  Machine poor = machineOf(32);
  poor.kinds.erase(LockKind::qd);
  const Decisions decisions = decided(busy(), poor, at(16));
  EXPECT_NE(decisions.locks[0].advised, LockKind::qd);
  EXPECT_THAT(decisions.notes, Contains(AllOf(HasSubstr("QD lock: not considered"),
                                              HasSubstr("kind.qd.lock_overhead_ns"))));
  EXPECT_THAT(decided(busy(), machineOf(32), at(16)).notes,
              Not(Contains(HasSubstr("not considered"))));
}

TEST(Decide, AdvisesNoLineToWaitInWhereThreadsShareCores) {
  const auto considersMcs = [](int cores) {
    const Decisions decisions = decided(busy(), machineOf(cores), at(16));
    return std::any_of(decisions.locks[0].alternatives.begin(),
                       decisions.locks[0].alternatives.end(),
                       [](const auto &other) { return other.kind == LockKind::mcs; });
  };
  EXPECT_TRUE(considersMcs(16));
  EXPECT_FALSE(considersMcs(8));
}

TEST(Decide, RefusesWhatMakesNoSense) {
  const Machine machine = machineOf(32);
  EXPECT_THAT(decide(busy(), machine, at(0)).error().message, HasSubstr("at least 1"));
  EXPECT_THAT(decide(busy(), machine, at(4, {LockKind::unknown})).error().message,
              HasSubstr("'unknown'"));
  EXPECT_THAT(decide(busy(), machine, at(4, {LockKind::ideal})).error().message,
              HasSubstr("yardstick"));
  DecisionOptions options = at(4);
  options.minimumGains[1] = -0.1;
  EXPECT_THAT(decide(busy(), machine, options).error().message, HasSubstr("negative"));
  Network broken = busy();
  broken.sections[0].lock = 7;
  EXPECT_FALSE(decide(broken, machine, at(4)).has_value());
  Machine poor = machineOf(32);
  poor.kinds.erase(LockKind::qd);
  EXPECT_THAT(decide(busy(), poor, at(4, {LockKind::qd})).error().message, HasSubstr("kind.qd"));
}

} // namespace
} // namespace qdadvise
