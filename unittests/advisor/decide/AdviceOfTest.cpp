// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/AdviceOf.h"
#include "unittests/advisor/model/Networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;

SourceSite siteAt(std::uint32_t line) {
  SourceSite site;
  site.file = "db.cc";
  site.function = "Db::get(int)";
  site.expression = "m";
  site.line = line;
  site.column = 5;
  site.ordinal = 1;
  site.sectionHash = 99;
  return site;
}

Decisions decidedAt(const Network &network, int threads) {
  DecisionOptions options;
  options.threads = threads;
  const Expected<Decisions> decisions = decide(network, machineOf(32), options);
  EXPECT_TRUE(decisions.has_value());
  return decisions.value_or(Decisions{});
}

TEST(AdviceOf, OneEntryPerSiteWithTheFiguresOfItsLock) {
  Network network = networkOf({{0.5, 300}, {0.5, 300}}, 300);
  network.sections[1].lock = 0;
  network.locks.pop_back();
  network.sections[0].site = siteAt(42);
  network.sections[1].site = siteAt(50);
  const Decisions decisions = decidedAt(network, 16);
  const AdviceFile file =
      adviceOf(decisions, network, machineOf(32), {"kvstore", "2026-11-20", 16, 32});
  EXPECT_EQ(file.program, "kvstore");
  EXPECT_EQ(file.machine, "test machine");
  EXPECT_EQ(file.machineSource, "assumed");
  EXPECT_EQ(file.threads, 16);
  EXPECT_EQ(file.cores, 32);
  ASSERT_TRUE(file.together);
  EXPECT_EQ(file.together->speedup, decisions.together.ratio);
  EXPECT_EQ(file.together->low, decisions.together.low);
  EXPECT_EQ(file.together->high, decisions.together.high);
  ASSERT_EQ(file.advice.size(), 2u);
  EXPECT_EQ(file.advice[0].line, 42u);
  EXPECT_EQ(file.advice[1].line, 50u);
  for (const Advice &advice : file.advice) {
    EXPECT_EQ(advice.lock, "lock0");
    EXPECT_EQ(advice.today, "pthread_mutex");
    EXPECT_EQ(advice.advised, "qd");
    EXPECT_EQ(advice.label, "QD lock");
    EXPECT_FALSE(advice.keep);
    EXPECT_EQ(advice.threads, 16);
    EXPECT_EQ(advice.expression, "m");
    EXPECT_EQ(advice.ordinal, 1u);
    EXPECT_EQ(advice.sectionHash, 99u);
    EXPECT_EQ(advice.speedup, decisions.locks[0].speedup);
    EXPECT_EQ(advice.low, decisions.locks[0].low);
    EXPECT_EQ(advice.high, decisions.locks[0].high);
    EXPECT_EQ(advice.reasons, decisions.locks[0].reasons);
    ASSERT_EQ(advice.waitNs.size(), 4u);
    EXPECT_EQ(advice.waitNs[0].first, "pthread mutex");
    EXPECT_GT(advice.waitNs[0].second, advice.waitNs[2].second);
  }
}

TEST(AdviceOf, OneSiteInTwoThreadClassesIsSaidOnce) {
  Network network = networkOf({{0.5, 300}, {0.5, 300}}, 300);
  network.sections[1].lock = 0;
  network.locks.pop_back();
  network.sections[0].site = network.sections[1].site = siteAt(42);
  const AdviceFile file =
      adviceOf(decidedAt(network, 16), network, machineOf(32), {"p", "2026-11-20", 16, 32});
  EXPECT_EQ(file.advice.size(), 1u);
}

TEST(AdviceOf, OneSiteOfTwoLocksIsSaidTwice) {
  Network network = networkOf({{0.5, 300}, {0.5, 300}}, 300);
  network.sections[0].site = network.sections[1].site = siteAt(42);
  const AdviceFile file =
      adviceOf(decidedAt(network, 16), network, machineOf(32), {"p", "2026-11-20", 16, 32});
  ASSERT_EQ(file.advice.size(), 2u);
  EXPECT_EQ(file.advice[0].lock, "lock0");
  EXPECT_EQ(file.advice[1].lock, "lock1");
}

TEST(AdviceOf, ASectionWithoutASourceHasNowhereToBePrinted) {
  const Network network = networkOf({{1, 300}}, 300);
  EXPECT_TRUE(
      adviceOf(decidedAt(network, 16), network, machineOf(32), {"p", "", 16, 32}).advice.empty());
}

TEST(AdviceOf, AnUnmodelledLockHasNoWaits) {
  Network network = networkOf({{1, 300}}, 300);
  network.locks[0].kind = LockKind::unknown;
  network.sections[0].site = siteAt(42);
  const AdviceFile file =
      adviceOf(decidedAt(network, 16), network, machineOf(32), {"p", "", 16, 32});
  ASSERT_EQ(file.advice.size(), 1u);
  EXPECT_TRUE(file.advice[0].keep);
  EXPECT_EQ(file.advice[0].label, "unknown");
  EXPECT_TRUE(file.advice[0].waitNs.empty());
}

} // namespace
} // namespace qdadvise
