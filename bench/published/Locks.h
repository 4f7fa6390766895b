// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locks that published measurements are of, for the virtual multicore, written from their
// descriptions. They are not ours: theirs spin without a limit, or sleep after a while.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

#include <string>
#include <string_view>
#include <vector>

namespace qdadvise::publication {

struct PublishedLock {
  const char *name;
  const char *family; ///< of which results are summed up
  /// How to make one. Its `kind` names the algorithm whose model predicts it.
  sim::SimulatedKind kind;
  bool isModelled; ///< there is such a model
  /// Waiters give their processor away after a while, as the models take it for granted.
  bool yields = false;
  /// Of the pinned processors, the first thread's: liblock leaves the first one to its servers.
  int firstProcessor = 0;
  /// The lock that the models are told the costs of, where they do not know what this one does.
  std::unique_ptr<sim::SimulatedLock> (*makeModelled)(sim::Multicore &machine) = nullptr;
};

const std::vector<PublishedLock> &publishedLocks();
const PublishedLock *findLock(std::string_view name);

} // namespace qdadvise::publication
