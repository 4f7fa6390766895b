// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of the source that a report is about, where its files are there to be read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace qdadvise {

/// Reads each file once.
class SourceLines {
public:
  /// The lines of a file; none where it cannot be read.
  const std::vector<std::string> &of(const std::string &path);
  /// A line of it, from 1 on; "" where there is none.
  std::string at(const std::string &path, std::size_t line);

private:
  std::map<std::string, std::vector<std::string>> files;
};

} // namespace qdadvise
