// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/TextStyle.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

TEST(TextStyle, IsPlainByDefault) {
  EXPECT_EQ(TextStyle().bold("a\nb"), "a\nb");
  EXPECT_EQ(TextStyle().rule(), std::string(80, '-') + "\n");
}

TEST(TextStyle, EmphasisEndsWithEachLine) {
  const TextStyle style{.colour = true};
  EXPECT_EQ(style.bold("a"), "\033[1ma\033[0m");
  EXPECT_EQ(style.warn("a\n\nb\n"), "\033[33ma\033[0m\n\n\033[33mb\033[0m\n");
  EXPECT_EQ(style.bold(""), "");
  EXPECT_EQ(style.plain().bold("a"), "a");
}

TEST(TextStyle, LinesAreAsWideAsTheScreen) {
  const TextStyle style{.width = 10};
  EXPECT_EQ(style.wrapped("aaaa bbbb cccc", 2), "aaaa bbbb\n  cccc\n");
  EXPECT_EQ(style.plain().wrapped("aaaa bbbb cccc", 2), "aaaa bbbb\n  cccc\n");
  EXPECT_EQ(style.rule(), "----------\n");
}

} // namespace
} // namespace qdadvise
