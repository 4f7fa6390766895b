// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/SourceLines.h"

#include <fstream>

namespace qdadvise {

const std::vector<std::string> &SourceLines::of(const std::string &path) {
  const auto [entry, isNew] = files.try_emplace(path);
  if (isNew) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      entry->second.push_back(line);
  }
  return entry->second;
}

std::string SourceLines::at(const std::string &path, std::size_t line) {
  const std::vector<std::string> &lines = of(path);
  return line > 0 && line <= lines.size() ? lines[line - 1] : "";
}

} // namespace qdadvise
