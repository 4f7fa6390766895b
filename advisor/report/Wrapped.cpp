// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/Wrapped.h"

#include <algorithm>

namespace qdadvise {

std::string wrapped(const std::string &text, std::size_t indent) {
  std::string result, line;
  // What the text itself begins with stands before its first word.
  std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  line = text.substr(0, begin);
  bool empty = true;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
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
