// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shipped locks as programs to explore. A few threads do a few operations each, which check all
// promises of the lock.
#pragma once

#include "unittests/exploration/Exploration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdadvise::sim {

/// The operations of threads, in letters. In "ld tt" the first of two threads locks and then
/// delegates, and the second tries to lock twice.
///
///     l  lock            d  delegate           s  lock shared
///     t  try to lock     D  detach             S  try to lock shared
///                        x  delegate what throws
using Mix = std::string;

struct ExploredLock {
  std::string_view name;
  std::string_view operations; ///< the letters of its operations
  ProgramFactory (*program)(const Mix &mix);
};

/// One row for each lock. The second and the third table have the same locks on a memory that makes
/// every acquire, or every release, relaxed, which must be noticed.
const std::vector<ExploredLock> &exploredLocks();
const std::vector<ExploredLock> &locksWithoutAcquire();
const std::vector<ExploredLock> &locksWithoutRelease();

const ExploredLock *lockOfName(std::string_view name);

/// All mixes of operations, without those that differ only in the order of threads, and without
/// operations that throw, which are delegations to the lock.
std::vector<Mix> everyMix(const ExploredLock &lock, unsigned threads, unsigned operations);
Mix randomMix(const ExploredLock &lock, unsigned threads, unsigned operations, std::uint64_t seed);

/// The result of exploring many mixes, up to the first that fails.
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
/// Explores random mixes, with a thousand schedules each. The mix and the seed or choices of a
/// failure are enough to find it again.
MixesResult exploreRandomMixes(const ExploredLock &lock, unsigned threads, unsigned operations,
                               std::uint64_t seed, std::uint64_t schedules);

} // namespace qdadvise::sim
