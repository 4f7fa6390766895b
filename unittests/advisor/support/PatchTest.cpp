// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/support/Patch.h"

#include <gtest/gtest.h>
#include <random>

namespace qdadvise {
namespace {

TEST(Patch, IsAUnifiedDiff) {
  EXPECT_EQ(unifiedDiff("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nd\nE\nf\ng\n", "x.cpp"),
            "--- x.cpp\n+++ x.cpp\n@@ -2,6 +2,6 @@\n b\n c\n d\n-e\n+E\n f\n g\n");
}

TEST(Patch, HasOneHunkForChangesThatAreNear) {
  const std::string patch =
      unifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "A\n2\n3\n4\n5\n6\n7\nB\n9\n", "x");
  EXPECT_EQ(patch, "--- x\n+++ x\n@@ -1,9 +1,9 @@\n-1\n+A\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+B\n 9\n");
}

TEST(Patch, IsEmptyWhereNothingChanged) { EXPECT_EQ(unifiedDiff("a\n", "a\n", "x"), ""); }

TEST(Patch, KnowsALastLineWithoutAnEnd) {
  const std::string patch = unifiedDiff("a\nb", "a\nc\n", "x");
  EXPECT_EQ(patch, "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n");
  EXPECT_EQ(reversed(patch, "a\nc\n").value(), "a\nb");
}

TEST(Patch, IsTakenApartByFile) {
  const std::string first = unifiedDiff("-- a\n", "b\n", "one"); // a line that looks like a header
  const std::string second = unifiedDiff("", "b\n", "two");
  const auto files = patchByFile(first + second);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at("one"), first);
  EXPECT_EQ(files.at("two"), second);
}

TEST(Patch, IsNotTakenBackFromAnotherText) {
  const std::string patch = unifiedDiff("a\nb\nc\n", "a\nB\nc\n", "x");
  EXPECT_FALSE(reversed(patch, "a\nb\nc\n"));
  EXPECT_FALSE(reversed(patch, "a\n"));
  EXPECT_FALSE(reversed(patch, "new\na\nB\nc\n"));
}

TEST(Patch, LeadsBackFromAnyTextToAnyOther) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto text = [&] {
      std::string lines;
      for (unsigned i = random() % 30; i > 0; --i)
        lines.append(1, static_cast<char>('a' + random() % 4)).append("\n");
      if (random() % 4 == 0)
        lines += "last";
      return lines;
    };
    const std::string before = text(), after = text();
    const std::string patch = unifiedDiff(before, after, "x");
    if (before == after)
      continue;
    const auto back = reversed(patch, after);
    ASSERT_TRUE(back) << patch;
    ASSERT_EQ(*back, before) << patch;
    if (before != after) {
      ASSERT_EQ(aroundPatch(patch, after).value().before, before) << patch;
      const Expected<PatchedText> forth = aroundPatch(patch, before);
      ASSERT_TRUE(forth) << patch;
      // A text may be both: then it was taken for what the patch made.
      if (forth->before == before)
        ASSERT_EQ(forth->after, after) << patch;
      else
        ASSERT_EQ(forth->after, before) << patch;
    }
  }
}

TEST(Patch, LeadsBothWays) {
  const std::string before = "a\nb\nc\nd\ne\nf\ng\nh", after = "a\nB\nB\nc\nd\ne\nf\ng\nh\n";
  const std::string patch = unifiedDiff(before, after, "x");
  for (const std::string &text : {before, after}) {
    const Expected<PatchedText> both = aroundPatch(patch, text);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->before, before);
    EXPECT_EQ(both->after, after);
  }
  EXPECT_FALSE(aroundPatch(patch, "a\nX\nc\n"));
}

} // namespace
} // namespace qdadvise
