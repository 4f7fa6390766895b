// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Positions.h"

#include <gtest/gtest.h>

using llvm::lsp::Position;
using namespace qdadvise;

namespace {

TEST(Positions, CountsUtf16CodeUnits) {
  // ä: 2 bytes, 1 unit; €: 3 bytes, 1 unit; 𝄞: 4 bytes, 2 units.
  const llvm::StringRef text = "/* ä€𝄞 */ x";
  EXPECT_EQ(positionOf(text, 3), Position(0, 3));
  EXPECT_EQ(positionOf(text, 5), Position(0, 4));
  EXPECT_EQ(positionOf(text, 8), Position(0, 5));
  EXPECT_EQ(positionOf(text, 12), Position(0, 7));
  EXPECT_EQ(offsetOf(text, Position(0, 7)), 12U);
  EXPECT_EQ(offsetOf(text, Position(0, 5)), 8U);
  EXPECT_EQ(positionOf(text, text.find('x')), Position(0, 11));
}

TEST(Positions, WithinACharacterIsItsBegin) {
  const llvm::StringRef text = "𝄞x";
  EXPECT_EQ(offsetOf(text, Position(0, 1)), 0U);
  EXPECT_EQ(positionOf(text, 2), Position(0, 0));
}

TEST(Positions, KnowsAllEndsOfLines) {
  const llvm::StringRef text = "a\nb\r\nc\rd";
  for (const auto &[offset, line] : {std::pair<std::size_t, int>(0, 0), {2, 1}, {5, 2}, {7, 3}}) {
    EXPECT_EQ(positionOf(text, offset), Position(line, 0));
    EXPECT_EQ(offsetOf(text, Position(line, 0)), offset);
  }
  EXPECT_EQ(offsetOf(text, Position(1, 99)), 3U) << "a line's end is before its break";
}

TEST(Positions, BehindTheTextIsItsEnd) {
  EXPECT_EQ(positionOf("ab\n", 100), Position(1, 0));
  EXPECT_EQ(offsetOf("ab\n", Position(7, 7)), 3U);
  EXPECT_EQ(offsetOf("ab", Position(7, 7)), 2U);
  EXPECT_EQ(offsetOf("", Position(0, 3)), 0U);
  EXPECT_EQ(offsetOf("ab", Position(-1, -5)), 0U);
  EXPECT_EQ(offsetOf("ab", Position(0, -5)), 0U);
}

TEST(Positions, BytesThatAreNoTextAreOneUnitEach) {
  const llvm::StringRef text = "\xff\xfe\x80z";
  EXPECT_EQ(positionOf(text, 3), Position(0, 3));
  EXPECT_EQ(offsetOf(text, Position(0, 3)), 3U);
}

TEST(Positions, ThereAndBackForEveryCharacter) {
  const llvm::StringRef text = "ä\n€𝄞\r\n\rx𝄞y\n";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool isBegin = i == text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    // Between \r and \n nobody stands.
    if (isBegin && !(i > 0 && i < text.size() && text[i - 1] == '\r' && text[i] == '\n')) {
      EXPECT_EQ(offsetOf(text, positionOf(text, i)), i);
    }
  }
}

} // namespace
