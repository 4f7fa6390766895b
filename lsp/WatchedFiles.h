// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notices that files have changed, appeared or gone, by their times and sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace qdadvise {

class WatchedFiles {
public:
  /// Watches these files and no others, as they are now.
  void watch(const std::vector<std::string> &paths);
  /// Since it was asked last; a few system calls.
  bool haveChanged();

private:
  struct State {
    std::int64_t ns = 0, bytes = -1;
    bool operator==(const State &) const = default;
  };
  static State stateOf(const std::string &path);

  std::map<std::string, State> states;
};

} // namespace qdadvise
