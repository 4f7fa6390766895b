// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/Wrapped.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// Where the word at `begin` ends; a number and its unit are one word.
std::size_t endOfWord(const std::string &text, std::size_t begin) {
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  if (end == text.size() || text[end - 1] < '0' || text[end - 1] > '9')
    return end;
  const std::size_t next = std::min(text.find_first_of(" ,;:)", end + 1), text.size());
  const std::string unit = text.substr(end + 1, next - end - 1);
  for (const char *known : {"ns", "us", "ms", "s"})
    if (unit == known)
      return std::min(text.find(' ', end + 1), text.size());
  return end;
}

} // namespace

std::string wrapped(const std::string &text, std::size_t indent) {
  std::string result, line;
  // What the text itself begins with stands before its first word.
  std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  line = text.substr(0, begin);
  bool empty = true;
  while (begin < text.size()) {
    const std::size_t end = endOfWord(text, begin);
    if (!empty && line.size() + 1 + (end - begin) > textWidth) {
      result += line + "\n";
      line = std::string(indent, ' ');
      empty = true;
    }
    line += empty ? "" : " ";
    line += text.substr(begin, end - begin);
    empty = false;
    begin = std::min(text.find_first_not_of(' ', end), text.size());
  }
  return result + line + "\n";
}

} // namespace qdadvise
