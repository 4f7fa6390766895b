// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which fixes are offered for which locks, and that their gains are those of the fixed network.

#include "advisor/decide/WhatIf.h"
#include "advisor/decide/Fixes.h"
#include "unittests/advisor/model/Networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using test::machineOf;
using test::networkOf;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int threads = 8;

Decisions decided(const Network &network, const std::vector<std::string> &menu, int cores) {
  DecisionOptions options;
  options.threads = threads;
  options.menu = menu;
  const Expected<Decisions> decisions = decide(network, machineOf(cores), options);
  EXPECT_TRUE(decisions) << decisions.error().message;
  return decisions ? *decisions : Decisions();
}

std::vector<WhatIf> asked(const Network &network, const std::string &fixes = "",
                          const std::vector<std::string> &menu = {}, int cores = 32) {
  WhatIfOptions options;
  options.threads = threads;
  if (!fixes.empty())
    options.requests = parseFixes(fixes).value();
  const Expected<std::vector<WhatIf>> found =
      whatIfs(network, machineOf(cores), decided(network, menu, cores), options);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : std::vector<WhatIf>();
}

Network calm() { return networkOf({{1, 100}}, 100'000); }
Network busy() { return networkOf({{1, 1000}}, 2000); }

TEST(WhatIf, NothingIsSaidOfALockThatNobodyWaitsFor) { EXPECT_THAT(asked(calm()), IsEmpty()); }

TEST(WhatIf, OfALockThatHoldsThreadsUpTheBestFixesComeFirst) {
  const std::vector<WhatIf> found = asked(busy());
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
  const std::vector<WhatIf> found = asked(calm(), "shrink=30,split=8");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found, Contains(Field(&WhatIf::condition, HasSubstr("30 % of section 'section0'"))));
  EXPECT_THAT(found, Contains(Field(&WhatIf::condition, HasSubstr("8 locks"))));
  for (const WhatIf &one : found)
    EXPECT_NEAR(one.today.ratio, 1, 0.05);
}

TEST(WhatIf, TheGainIsThatOfTheFixedNetworkOverTodaysAndOverTheAdvised) {
  const Network network = busy();
  const std::vector<WhatIf> found = asked(network, "split=4", {"spinlock"});
  ASSERT_THAT(found, SizeIs(1));
  const PredictOptions options = DecisionOptions().predict;
  const auto ratio = [&](const std::string &kind) {
    return predict(split(network, 0, 4), {kind}, machineOf(32), threads, options)->throughputPerS /
           predict(network, {kind}, machineOf(32), threads, options)->throughputPerS;
  };
  ASSERT_EQ(decided(network, {"spinlock"}, 32).locks[0].advised, "spinlock");
  EXPECT_NEAR(found[0].today.ratio, ratio("pthread_mutex"), 1e-9);
  EXPECT_NEAR(found[0].advised.ratio, ratio("spinlock"), 1e-9);
}

TEST(WhatIf, FewSamplesWidenTheInterval) {
  Network network = networkOf({{1, 1000}}, 7000);
  const std::vector<WhatIf> sure = asked(network, "shrink=50");
  network.sections[0].hold.samples = 10;
  const std::vector<WhatIf> unsure = asked(network, "shrink=50");
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
  const std::vector<WhatIf> found = asked(network, "shrink=50");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].section, 0u);
}

TEST(WhatIf, ALockWithoutAModelHasNone) {
  Network network = busy();
  network.locks[0].kind = "unknown";
  EXPECT_THAT(asked(network, "split=2"), IsEmpty());
}

std::string refused(const std::string &text) {
  const auto parsed = parseFixes(text);
  return parsed ? "" : parsed.error().message;
}

TEST(ParseFixes, SaysWhatIsWrong) {
  EXPECT_EQ(parseFixes("shrink=30")->front().amount, 0.3);
  EXPECT_EQ(parseFixes("shrink=30,split=8")->size(), 2u);
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
