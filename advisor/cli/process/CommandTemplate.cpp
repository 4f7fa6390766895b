// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/process/CommandTemplate.h"

#include <algorithm>
#include <cstddef>

namespace qdadvise {

std::vector<std::string> filledIn(std::vector<std::string> command, const std::string &name,
                                  const std::string &value) {
  const std::string pattern = "{" + name + "}";
  for (std::string &word : command)
    for (std::size_t at = word.find(pattern); at != std::string::npos;
         at = word.find(pattern, at + value.size()))
      word.replace(at, pattern.size(), value);
  return command;
}

Expected<void> checkNamesThreads(const std::vector<std::string> &command) {
  const bool names = std::ranges::any_of(
      command, [](const std::string &word) { return word.find("{threads}") != std::string::npos; });
  if (!names)
    return makeError(
        "'" + command.front() +
        "' is not told how many threads to have: write {threads} in its command, as in "
        "`--threads {threads}` or `env OMP_NUM_THREADS={threads} PROGRAM`");
  return {};
}

} // namespace qdadvise
