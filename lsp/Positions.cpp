// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Positions.h"

#include <algorithm>

using llvm::StringRef;

namespace qdadvise {
namespace {

/// A line ends with `\n`, `\r\n` or `\r`. The offset of the next line's begin, or the text's end.
std::size_t behindLine(StringRef text, std::size_t from) {
  const std::size_t end = text.find_first_of("\r\n", from);
  if (end == StringRef::npos)
    return text.size();
  return end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
}

bool endsWithBreak(StringRef line) { return line.ends_with("\n") || line.ends_with("\r"); }

/// The bytes of the character at `offset`. A byte that begins none is one by itself.
std::size_t bytesOfCharacter(StringRef text, std::size_t offset) {
  const auto lead = static_cast<unsigned char>(text[offset]);
  const std::size_t wanted = lead >= 0xf8   ? 1
                             : lead >= 0xf0 ? 4
                             : lead >= 0xe0 ? 3
                             : lead >= 0xc0 ? 2
                                            : 1;
  std::size_t bytes = 1;
  while (bytes < wanted && offset + bytes < text.size() &&
         (static_cast<unsigned char>(text[offset + bytes]) & 0xc0) == 0x80)
    ++bytes;
  return bytes;
}

/// Characters outside of the first plane, whose UTF-8 has four bytes, are two code units.
int unitsOfCharacter(std::size_t bytes) { return bytes == 4 ? 2 : 1; }

} // namespace

llvm::lsp::Position positionOf(StringRef text, std::size_t offset) {
  offset = std::min(offset, text.size());
  llvm::lsp::Position position;
  std::size_t at = 0;
  for (std::size_t next = behindLine(text, 0);
       next <= offset && endsWithBreak(text.substr(at, next - at)); next = behindLine(text, at)) {
    at = next;
    ++position.line;
  }
  while (at < offset) {
    const std::size_t bytes = bytesOfCharacter(text, at);
    if (at + bytes > offset)
      break;
    position.character += unitsOfCharacter(bytes);
    at += bytes;
  }
  return position;
}

std::size_t offsetOf(StringRef text, llvm::lsp::Position position) {
  if (position.line < 0)
    return 0;
  std::size_t at = 0;
  for (int line = 0; line < position.line; ++line) {
    const std::size_t next = behindLine(text, at);
    if (!endsWithBreak(text.substr(at, next - at)))
      return text.size();
    at = next;
  }
  const std::size_t lineEnd = std::min(text.find_first_of("\r\n", at), text.size());
  for (int units = 0; at < lineEnd;) {
    const std::size_t bytes = bytesOfCharacter(text, at);
    units += unitsOfCharacter(bytes);
    if (units > position.character)
      break;
    at += bytes;
  }
  return at;
}

llvm::lsp::Range rangeOf(StringRef text, Span span) {
  return {positionOf(text, span.begin), positionOf(text, span.end)};
}

} // namespace qdadvise
