// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Spans.h"

#include <gtest/gtest.h>
#include <string>

using namespace qdadvise;

namespace {

Touch followed(Span &span, std::size_t begin, std::size_t end, std::size_t length) {
  return follow(span, {{begin, end}, length});
}

TEST(Spans, AnEditBeforeMovesIt) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 2, 5, 7), Touch::outside);
  EXPECT_EQ(span, (Span{14, 24}));
  EXPECT_EQ(followed(span, 0, 14, 0), Touch::outside);
  EXPECT_EQ(span, (Span{0, 10}));
}

TEST(Spans, AnEditBehindLeavesIt) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 20, 30, 3), Touch::outside);
  EXPECT_EQ(span, (Span{10, 20}));
}

TEST(Spans, WhatIsInsertedAtItsEndsIsOutside) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 10, 10, 4), Touch::outside);
  EXPECT_EQ(span, (Span{14, 24}));
  EXPECT_EQ(followed(span, 24, 24, 4), Touch::outside);
  EXPECT_EQ(span, (Span{14, 24}));
}

TEST(Spans, AnEditInsideChangesItsLength) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 12, 14, 5), Touch::inside);
  EXPECT_EQ(span, (Span{10, 23}));
  EXPECT_EQ(followed(span, 11, 11, 1), Touch::inside);
  EXPECT_EQ(span, (Span{10, 24}));
}

TEST(Spans, AnEditAcrossAnEndLeavesTheRest) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 5, 12, 1), Touch::inside);
  EXPECT_EQ(span, (Span{6, 14}));
  EXPECT_EQ(followed(span, 12, 30, 9), Touch::inside);
  EXPECT_EQ(span, (Span{6, 12}));
}

TEST(Spans, AnEditOfAllOfItRemovesIt) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 10, 20, 10), Touch::removed);
  span = {10, 20};
  EXPECT_EQ(followed(span, 3, 40, 0), Touch::removed);
}

TEST(Spans, AnEditThatChangesNothingTouchesNothing) {
  Span span{10, 20};
  EXPECT_EQ(followed(span, 15, 15, 0), Touch::outside);
  EXPECT_EQ(span, (Span{10, 20}));
}

TEST(Spans, TheSmallestEditLeavesEqualEndsOut) {
  const Edit edit = smallestEdit("one two three", {0, 13}, "one 2 three");
  EXPECT_EQ(edit.replaced, (Span{4, 7}));
  EXPECT_EQ(edit.length, 1U);
  // `aa` to `aaa`: the equal ends do not overlap.
  const Edit repeated = smallestEdit("aa", {0, 2}, "aaa");
  EXPECT_EQ(repeated.replaced, (Span{2, 2}));
  EXPECT_EQ(repeated.length, 1U);
  const Edit none = smallestEdit("same", {0, 4}, "same");
  EXPECT_EQ(none.replaced.begin, none.replaced.end);
  EXPECT_EQ(none.length, 0U);
}

/// The text of a span that nothing has touched is the same after every edit.
TEST(Spans, AnUntouchedSpanKeepsItsText) {
  const std::string text = "abcdefghij";
  for (std::size_t spanBegin = 0; spanBegin != 10; ++spanBegin)
    for (std::size_t spanEnd = spanBegin + 1; spanEnd <= 10; ++spanEnd)
      for (std::size_t begin = 0; begin <= 10; ++begin)
        for (std::size_t end = begin; end <= 10; ++end) {
          Span span{spanBegin, spanEnd};
          std::string after = text;
          after.replace(begin, end - begin, "XYZ");
          const Touch touch = followed(span, begin, end, 3);
          ASSERT_LE(span.begin, span.end);
          ASSERT_LE(span.end, after.size());
          const std::string now = after.substr(span.begin, span.end - span.begin);
          const std::string was = text.substr(spanBegin, spanEnd - spanBegin);
          EXPECT_EQ(touch == Touch::outside, now == was && touch != Touch::removed)
              << spanBegin << "-" << spanEnd << " edited at " << begin << "-" << end;
        }
}

} // namespace
