// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/WatchedFiles.h"

#include <sys/stat.h>

namespace qdadvise {

WatchedFiles::State WatchedFiles::stateOf(const std::string &path) {
  constexpr std::int64_t nsPerS = 1000000000;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return {};
  return {status.st_mtim.tv_sec * nsPerS + status.st_mtim.tv_nsec, status.st_size};
}

void WatchedFiles::watch(const std::vector<std::string> &paths) {
  states.clear();
  for (const std::string &path : paths)
    states.emplace(path, stateOf(path));
}

bool WatchedFiles::haveChanged() {
  bool changed = false;
  for (auto &[path, known] : states) {
    const State now = stateOf(path);
    changed |= now != known;
    known = now;
  }
  return changed;
}

} // namespace qdadvise
