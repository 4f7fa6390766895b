// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What apply says when it is done.
#pragma once

#include "rewrite/LockPlan.h"

#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// CMake targets that have to link the locks.
struct LinkingTargets {
  std::set<std::string> linked, toLink; ///< those that do, and those that are left
};

/// Does one of the changed locks need QDAdvise's headers or library?
bool needsLocks(const std::vector<LockPlan> &plans);

/// A line for each lock, the gates of those refused, and what is left to do by hand.
/// `broken`: what the compiler says of units that are not understood.
std::string summaryOf(const std::vector<LockPlan> &plans, const std::vector<std::string> &kept,
                      const LinkingTargets &targets, const std::vector<std::string> &broken);

/// `path` from the current folder, if it is in it.
std::string shownPath(const std::string &path);

} // namespace qdadvise
