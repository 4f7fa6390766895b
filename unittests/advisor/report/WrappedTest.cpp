// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lines of text for people are broken.
#include "advisor/report/Wrapped.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

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
