// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/AdviceText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::HasSubstr;
using testing::Not;

namespace {

Advice changeOf() {
  Advice advice;
  advice.lock = "Index<K_V>::lock_";
  advice.today = "pthread_mutex";
  advice.advised = "qd";
  advice.label = "QD lock";
  advice.keep = false;
  advice.threads = 16;
  advice.contentionRate = 0.32;
  advice.speedup = 2.2;
  advice.low = 1.8;
  advice.high = 2.7;
  advice.waitNs = {{"pthread mutex", 10000}, {"QD lock", 2500}};
  advice.reasons = {"waited for in 32% of acquisitions"};
  advice.scaling = {{1, 1000, 1000}, {16, 2000, 4000}};
  return advice;
}

TEST(AdviceText, AVerdictIsOneLine) {
  EXPECT_EQ(verdictLine(changeOf(), false),
            "pthread mutex → QD lock: 2.2x (1.8x to 2.7x); waited for in 32% at 16 threads");
  EXPECT_THAT(verdictLine(changeOf(), true), HasSubstr("stale"));
  Advice kept = changeOf();
  kept.keep = true;
  EXPECT_EQ(verdictLine(kept, false), "keep the pthread mutex: waited for in 32% at 16 threads");
}

TEST(AdviceText, AHoverHasTheTablesAndTheReasons) {
  const std::string text = hoverText(changeOf(), false);
  EXPECT_THAT(text, HasSubstr("**Index\\<K\\_V\\>::lock\\_**: make it a QD lock, 2.2x"));
  EXPECT_THAT(text, HasSubstr("| threads | pthread mutex (today) | QD lock (advised) |"));
  EXPECT_THAT(text, HasSubstr("| 16 | 2000 | 4000 |"));
  EXPECT_THAT(text, HasSubstr("`▃▅` today, `▃█` advised"));
  EXPECT_THAT(text, HasSubstr("| QD lock (advised) | 2.5 us |"));
  EXPECT_THAT(text, HasSubstr("- waited for in 32% of acquisitions"));
  EXPECT_THAT(text, Not(HasSubstr("Stale")));
  EXPECT_THAT(hoverText(changeOf(), true), HasSubstr("*Stale:*"));
}

TEST(AdviceText, AnExplanationHasWhatAdviseExplains) {
  Advice advice = changeOf();
  advice.obstacles = {"'return' leaves it"};
  advice.whatIfs = {"what if it were 4 locks: 1.3x (1.1x to 1.6x)"};
  const std::string text = explanation(advice, false);
  EXPECT_THAT(text, HasSubstr("\n- waited for in 32% of acquisitions\n! 'return' leaves it\n"
                              "? what if it were 4 locks: 1.3x (1.1x to 1.6x)\n"));
}

TEST(AdviceText, AdviceWithoutCurvesHasNone) {
  Advice old = changeOf();
  old.scaling.clear();
  EXPECT_THAT(hoverText(old, false), Not(HasSubstr("| threads |")));
}

TEST(AdviceText, ASparklineIsScaledToItsGreatest) {
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({0, 0}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
}

} // namespace
