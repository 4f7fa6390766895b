// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Advice.h"

#include <gtest/gtest.h>
#include <limits>

namespace qdadvise {
namespace {

TEST(FormatDuration, TwoSignificantDigitsInTheUnitThatReadsBest) {
  const std::pair<double, const char *> table[] = {
      {0, "0 ns"},
      {0.001, "0 ns"},
      {0.25, "0.25 ns"},
      {0.996, "1.0 ns"},
      {1, "1.0 ns"},
      {9.94, "9.9 ns"},
      {9.96, "10 ns"},
      {450, "450 ns"},
      {999.4, "999 ns"},
      {999.6, "1.0 us"},
      {1000, "1.0 us"},
      {8200, "8.2 us"},
      {82000, "82 us"},
      {999400, "999 us"},
      {999600, "1.0 ms"},
      {1.3e6, "1.3 ms"},
      {1.25e9, "1.2 s"},
      {120e9, "120 s"},
      {5000e9, "5000 s"},
      {-3, "0 ns"},
      {std::numeric_limits<double>::infinity(), "unlimited"},
  };
  for (const auto &[ns, text] : table)
    EXPECT_EQ(formatDuration(ns), text) << ns;
}

TEST(FormatPercent, SmallSharesKeepADigit) {
  EXPECT_EQ(formatPercent(0), "0%");
  EXPECT_EQ(formatPercent(0.0001), "less than 0.1%");
  EXPECT_EQ(formatPercent(0.004), "0.4%");
  EXPECT_EQ(formatPercent(0.0994), "9.9%");
  EXPECT_EQ(formatPercent(0.0996), "10%");
  EXPECT_EQ(formatPercent(0.714), "71%");
  EXPECT_EQ(formatPercent(1), "100%");
}

TEST(FormatFactor, SmallGainsAreToldFromNone) {
  EXPECT_EQ(formatFactor(2.34), "2.3x");
  EXPECT_EQ(formatFactor(1.08), "1.08x");
  EXPECT_EQ(formatFactor(1.94), "1.94x");
  EXPECT_EQ(formatFactor(1.96), "2.0x");
  EXPECT_EQ(formatFactor(120.4), "120x");
  EXPECT_EQ(formatFactor(1.62, 2.3), "1.6x") << "both ends of an interval look alike";
}

Advice sample() {
  Advice advice;
  advice.lock = "Db::m";
  advice.today = "pthread_mutex";
  advice.advised = "qd";
  advice.label = "QD lock";
  advice.keep = false;
  advice.threads = 16;
  advice.contentionRate = 0.71;
  advice.speedup = 2.3;
  advice.low = 2.0;
  advice.high = 2.6;
  advice.waitNs = {{"pthread mutex", 8200}, {"spinlock", 9100}, {"QD lock", 1100}};
  return advice;
}

TEST(AdviceMessage, ReadsAsDocumented) {
  EXPECT_EQ(adviceMessage(sample()),
            "lock 'Db::m' is predicted to be waited for in 71% of acquisitions at 16 threads; "
            "a QD lock raises throughput 2.3x (2.0x to 2.6x)");
  EXPECT_EQ(waitNote(sample()), "mean waiting time at 16 threads: pthread mutex 8.2 us, "
                                "spinlock 9.1 us, QD lock 1.1 us");
}

TEST(AdviceMessage, KeepSaysSo) {
  Advice advice = sample();
  advice.keep = true;
  advice.advised = advice.today;
  advice.label = "pthread mutex";
  advice.contentionRate = 0.003;
  advice.threads = 1;
  EXPECT_EQ(adviceMessage(advice), "lock 'Db::m' is predicted to be waited for in 0.3% of "
                                   "acquisitions at 1 thread; keep it as it is (pthread mutex)");
}

TEST(AdviceMessage, NoWaitsNoNote) {
  Advice advice = sample();
  advice.waitNs.clear();
  EXPECT_EQ(waitNote(advice), "");
}

TEST(WithArticle, FollowsTheVowel) {
  EXPECT_EQ(withArticle("spinlock"), "a spinlock");
  EXPECT_EQ(withArticle("adaptive lock"), "an adaptive lock");
  EXPECT_EQ(withArticle("MCS lock"), "an MCS lock");
  EXPECT_EQ(withArticle("QD lock"), "a QD lock");
}

} // namespace
} // namespace qdadvise
