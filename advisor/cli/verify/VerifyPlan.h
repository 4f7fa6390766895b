// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise verify` is asked to run: two commands, with how many threads and on which
// processors.
#pragma once

#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

struct TwoCommands {
  std::vector<std::string> before, after;
};

/// Divides the words after `--` at the one that is `--` itself.
Expected<TwoCommands> twoCommands(const std::vector<std::string> &words);

struct VerifiedRuns {
  int threads = 0;
  std::vector<int> processors; ///< what it is pinned to; none: it is not
};
struct VerifyPlan {
  std::vector<VerifiedRuns> runs;
  std::vector<int> beyond; ///< numbers of threads with too few processors
};
enum class PinningChoice { both, pinned, unpinned };
/// `processors` in the order in which to use them. With a thread for each processor, pinning would
/// change nothing, so that there is one row.
VerifyPlan planOf(const std::vector<int> &threads, const std::vector<int> &processors,
                  PinningChoice choice);

} // namespace qdadvise
