// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/TextStyle.h"

#include <algorithm>

namespace qdadvise {

std::string TextStyle::emphasised(const char *code, const std::string &text) const {
  if (!colour)
    return text;
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin)
      result += std::string("\033[") + code + "m" + text.substr(begin, end - begin) + "\033[0m";
    if (end < text.size())
      result += '\n';
    begin = end + 1;
  }
  return result;
}

} // namespace qdadvise
