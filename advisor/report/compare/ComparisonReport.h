// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise diff` shows: what has changed at the locks, and what to know of the two runs.
#pragma once

#include "advisor/decide/compare/Comparison.h"

#include <string>
#include <vector>

namespace qdadvise {

struct ComparisonReport {
  std::vector<LockComparison> locks;
  std::vector<std::string> notes; ///< text leaves them to the command
  bool anyWorse() const;
};

} // namespace qdadvise
