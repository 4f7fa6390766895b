// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/Format.h"

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

TEST(FormatHold, SaysNoMoreThanCanBeMeasured) {
  EXPECT_EQ(formatHold(0.42), "under 5 ns");
  EXPECT_EQ(shortHold(0), "<5ns");
  EXPECT_EQ(formatHold(5), formatDuration(5));
  EXPECT_EQ(shortHold(83), shortDuration(83));
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

TEST(WithArticle, FollowsTheVowel) {
  EXPECT_EQ(withArticle("spinlock"), "a spinlock");
  EXPECT_EQ(withArticle("adaptive lock"), "an adaptive lock");
  EXPECT_EQ(withArticle("MCS lock"), "an MCS lock");
  EXPECT_EQ(withArticle("QD lock"), "a QD lock");
}

TEST(FormatCount, IsShortFromTenThousandOn) {
  EXPECT_EQ(formatCount(0.4), "0");
  EXPECT_EQ(formatCount(9999), "9999");
  EXPECT_EQ(formatCount(350e3), "350 thousand");
  EXPECT_EQ(formatCount(1.234e6), "1.23 million");
}

TEST(FormatRate, KeepsThreeDigits) {
  EXPECT_EQ(formatRate(0.25), "0.25");
  EXPECT_EQ(formatRate(1234), "1234");
  EXPECT_EQ(formatRate(999.4), "999");
  EXPECT_EQ(formatRate(14e3), "14 thousand");
  EXPECT_EQ(formatRate(2.5e6), "2.5 million");
}

TEST(Lists, AreJoinedForPeople) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"a"}), "a");
  EXPECT_EQ(enumerated({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(someOf({"a", "b"}), "a, b");
  EXPECT_EQ(someOf({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(plural(1, "lock"), "1 lock");
  EXPECT_EQ(plural(0, "lock"), "0 locks");
  EXPECT_EQ(formatThreads(1), "1 thread");
}

TEST(Places, AreFilesAndLines) {
  EXPECT_EQ(formatPlace("src/a.c", 4), "src/a.c:4");
  EXPECT_EQ(formatPlace("src/a.c", 0), "src/a.c");
  EXPECT_EQ(baseName("src/a.c"), "a.c");
  EXPECT_EQ(baseName("a.c"), "a.c");
}

TEST(Cells, FitTheirColumns) {
  EXPECT_EQ(shortDuration(8200), "8.2us");
  EXPECT_EQ(shortPercent(0.419), "41.9%");
  EXPECT_EQ(shortPercent(0.9996), "100%");
  EXPECT_EQ(precisePercent(0.9996), "100.0%");
  EXPECT_EQ(shortNumber(0.254), "0.25");
  EXPECT_EQ(shortNumber(14.24), "14.2");
  EXPECT_EQ(shortNumber(350e3), "350k");
  EXPECT_EQ(shortRate(0.254), "0.25");
  EXPECT_EQ(shortRate(99e3), "99000");
  EXPECT_EQ(shortRate(12e6), "12M");
  EXPECT_EQ(shortMean(1.5), "1.50");
  EXPECT_EQ(shortMean(140.2), "140");
}

TEST(FormatRange, HasOneUnitForBothEnds) {
  EXPECT_EQ(prefixedRate(1.234e6), "1.23 M");
  EXPECT_EQ(prefixedRate(12), "12");
  EXPECT_EQ(formatRange(1.1e6, 1.31e6, Quantity::rate), "1.1-1.3 M");
  EXPECT_EQ(formatRange(900, 1300, Quantity::duration), "0.9-1.3 us");
  EXPECT_EQ(formatRange(1.5, 2, Quantity::ratio), "1.5-2");
  EXPECT_EQ(formatRange(100, 120, Quantity::duration), "100-120 ns");
}

TEST(Names, AreCutWhereThereIsNoRoom) {
  EXPECT_EQ(fitted("ns::Class::f", 12), "ns::Class::f");
  EXPECT_EQ(fitted("ns::Class::f", 9), "Class::f");
  EXPECT_EQ(fitted("function", 5), "fun..");
  EXPECT_EQ(fitted("function", 2), "");
  EXPECT_EQ(endOf("function", 8), "function");
  EXPECT_EQ(endOf("function", 6), "...ion");
  EXPECT_EQ(bothEndsOf("function", 8), "function");
  EXPECT_EQ(bothEndsOf("function", 7), "fu..ion");
  EXPECT_EQ(bothEndsOf("function", 2), "fu");
}

TEST(Format, LockNamesKeepTheirEndAndTheirClass) {
  EXPECT_EQ(lockNameWithin("Db::mutex", 9), "Db::mutex");
  EXPECT_EQ(lockNameWithin("ns::sinks::base<std::mutex>::mutex_", 28),
            "ns::sinks::base<..>::mutex_");
  EXPECT_EQ(lockNameWithin("ns::sinks::base<a::b<c>>::mutex_", 20), "base<..>::mutex_");
  EXPECT_EQ(lockNameWithin("ns::Db::mutex", 10), "Db::mutex");
  EXPECT_EQ(lockNameWithin("Database::mutex", 9), "Dat..utex");
}

TEST(Format, LockNamesSideBySideStayApart) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      lockNamesWithin({"ns::Queue<ns::Task>::m_", "ns::Queue<ns::Result>::m_", "a::Db::m_"}, 16),
      (Names{"ns::Que..sk>::m_", "ns::Que..lt>::m_", "a::Db::m_"}));
  EXPECT_EQ(lockNamesWithin({"ns::Queue<ns::Task>::m_", "Db::m_"}, 16),
            (Names{"Queue<..>::m_", "Db::m_"}));
}

TEST(BeginningOf, EndsBehindAWord) {
  EXPECT_EQ(beginningOf("two words", 9), "two words");
  EXPECT_EQ(beginningOf("two words more", 13), "two words...");
  EXPECT_EQ(beginningOf("oneword", 6), "one...");
}

TEST(Wrapped, BreaksAtSpacesAndIndents) {
  const std::string word(30, 'x');
  EXPECT_EQ(wrapped("  - " + word + " " + word + " " + word, 4),
            "  - " + word + " " + word + "\n    " + word + "\n");
  EXPECT_EQ(wrapped(std::string(100, 'x') + " y", 2), std::string(100, 'x') + "\n  y\n");
}

TEST(Wrapped, KeepsANumberWithItsUnit) {
  const std::string most(76, 'x');
  EXPECT_EQ(wrapped(most + " 12 ns, y", 0), most + "\n12 ns, y\n");
  EXPECT_EQ(wrapped(most + " 12 (34 us)", 0), most + " 12\n(34 us)\n");
  EXPECT_EQ(wrapped(most + " 12 nurses", 0), most + " 12\nnurses\n");
}

} // namespace
} // namespace qdadvise
