// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/verify/FigurePattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::HasSubstr;

namespace {

std::optional<double> figure(const std::string &expression, const std::string &text) {
  return FigurePattern::of(expression).value().lastIn(text);
}

} // namespace

TEST(FigurePatternTest, takesTheGroup) {
  EXPECT_EQ(figure("in ([0-9.]+) s", "2 workers: 256000 requests in 0.708 s\n"), 0.708);
  EXPECT_EQ(figure("rate=(\\S+)", "rate=1.5e6"), 1.5e6);
  EXPECT_EQ(figure("rate=(\\S+)", "rate=+3"), 3);
}

TEST(FigurePatternTest, takesTheLastOne) {
  EXPECT_EQ(figure("t=(\\d+)", "t=1\nt=2 t=3\nend\n"), 3);
}

TEST(FigurePatternTest, whatIsNoNumberAboveZeroIsNone) {
  for (const char *text : {"", "t=", "t=x", "t=0", "t=-1", "t=nan", "t=inf", "t=1s"})
    EXPECT_EQ(figure("t=(\\S*)", text), std::nullopt) << text;
}

TEST(FigurePatternTest, aLongLineIsNoDanger) {
  EXPECT_EQ(figure("(?:a|b)*t=(\\d+)", std::string(1 << 20, 'a') + "\nt=4\n"), 4);
}

TEST(FigurePatternTest, theExpressionNeedsOneGroup) {
  for (const char *expression : {"seconds", "(a)(b)", "(?:a)"})
    EXPECT_THAT(FigurePattern::of(expression).error().message, HasSubstr("needs one group"));
  EXPECT_THAT(FigurePattern::of("(").error().message, HasSubstr("no regular expression"));
}
