// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shipped locks as programs to explore: a few threads do a few operations each, and
// whatever a lock promises is checked in each of them.
#pragma once

#include "unittests/exploration/Exploration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise::sim {

/// What threads do, in letters: "ld tt" are two threads, of which the first locks and then
/// delegates, and the second tries to lock twice.
///
///     l  lock            d  delegate           s  lock shared
///     t  try to lock     D  detach             S  try to lock shared
///                        x  delegate what throws
using Mix = std::string;

struct ExploredLock {
  std::string_view name;
  std::string_view operations; ///< the letters of what it can do
  ProgramFactory (*program)(const Mix &mix);
};

/// One row a lock. Those of the second and the third table are the same locks on a memory
/// that makes every acquire, or every release, relaxed: that must be noticed.
const std::vector<ExploredLock> &exploredLocks();
const std::vector<ExploredLock> &locksWithoutAcquire();
const std::vector<ExploredLock> &locksWithoutRelease();

const ExploredLock *lockOfName(std::string_view name);

/// All that the threads can do, but for a change of places; without what throws, which to
/// the lock is the same as a delegation.
std::vector<Mix> everyMix(const ExploredLock &lock, unsigned threads, unsigned operations);
Mix randomMix(const ExploredLock &lock, unsigned threads, unsigned operations, std::uint64_t seed);

/// What came of exploring many mixes, up to the first that fails.
struct MixesResult {
  std::uint64_t mixes = 0, schedules = 0, cut = 0, steps = 0;
  bool complete = true;
  struct Failed {
    Mix mix;
    Failure failure;
  };
  std::optional<Failed> failed;
};
MixesResult exploreEveryMix(const ExploredLock &lock, unsigned threads, unsigned operations,
                            const ExhaustiveOptions &options = {});
/// Random mixes, with a thousand schedules of each. What is found is found again by its mix
/// and the failure's seed or choices.
MixesResult exploreRandomMixes(const ExploredLock &lock, unsigned threads, unsigned operations,
                               std::uint64_t seed, std::uint64_t schedules);

} // namespace qdadvise::sim
