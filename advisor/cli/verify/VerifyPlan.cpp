// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/verify/VerifyPlan.h"

#include <algorithm>
#include <cstddef>

namespace qdadvise {

Expected<TwoCommands> twoCommands(const std::vector<std::string> &words) {
  const auto isMark = [](const std::string &word) { return word == "--"; };
  const auto mark = std::ranges::find_if(words, isMark);
  TwoCommands commands;
  if (mark != words.end()) {
    commands.before.assign(words.begin(), mark);
    commands.after.assign(mark + 1, words.end());
  }
  if (commands.before.empty() || commands.after.empty() ||
      std::ranges::any_of(commands.after, isMark))
    return makeError("give two commands, each after `--`: qdadvise verify --threads 1,2 -- BEFORE "
                     "--threads {threads} -- AFTER --threads {threads}");
  return commands;
}

VerifyPlan planOf(const std::vector<int> &threads, const std::vector<int> &processors,
                  PinningChoice choice) {
  VerifyPlan plan;
  for (const int number : threads) {
    const auto count = static_cast<std::size_t>(number);
    if (count > processors.size()) {
      plan.beyond.push_back(number);
      continue;
    }
    const bool isSame = count == processors.size();
    if (choice != PinningChoice::unpinned && !isSame)
      plan.runs.push_back(
          {number, {processors.begin(), processors.begin() + static_cast<std::ptrdiff_t>(count)}});
    if (choice != PinningChoice::pinned || isSame)
      plan.runs.push_back({number, {}});
  }
  return plan;
}

} // namespace qdadvise
