// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What would be gained if critical sections ran at once, without their lock, and were repeated
// where they conflict: the analysis of PinCS (Roy, Hand and Harris, "Exploring the limits of
// disjoint access parallelism", HotPar 2009, section 2.3). docs/theory/optimistic.md says what is
// measured here in another way than there.
#pragma once

#include "advisor/profile/summary/Summary.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// How likely two executions would conflict if they ran at once.
struct Conflicts {
  bool otherThreads = true; ///< false: executions of one thread stand in for other threads'
  double pairs = 0;
  /// p_c: the other one writes to what this one accesses, and is the first to end.
  double probability = 0;
  double ofWriters = 0;            ///< p_c of executions that write
  double lineProbability = 0;      ///< p_c by cache line
  double locations = 0, lines = 0; ///< in common, where two conflict

  /// The probability of conflicts that only sharing a cache line causes.
  double falseProbability() const { return lineProbability - probability; }
};
/// The conflicts of sections; none where no two executions were compared.
std::optional<Conflicts> conflictsOf(const SectionMemory &memory);

/// p_conflict: 1 - (1 - p_c)^w_c, the probability that an execution conflicts with one of the
/// `waits` others that it would have waited for.
double conflictAt(double pairwise, double waits);

/// What threads gain that repeat what conflicts instead of waiting at a lock.
struct OptimisticGain {
  /// By Amdahl's law, 1 / (1 + f_exec p / (1 - p) - f_wait); below 1 where repeating costs more
  /// than waiting does, 0 where no execution ever succeeds.
  double speedup = 1;
  double benefit = 0; ///< share of the time that is saved; 0 where none is
};
/// `conflict` is p_conflict.
OptimisticGain optimisticGain(double conflict, double waitShare, double sectionShare);

struct OptimisticThreads {
  std::size_t threadClass = 0; ///< index in the profile
  double waitShare = 0, sectionShare = 0;
  OptimisticGain gain;
};

/// What the sections of a lock, or one of them, would gain.
struct OptimisticSections {
  Conflicts conflicts;
  double waits = 0;                      ///< w_c, as measured
  double conflict = 0, lineConflict = 0; ///< p_conflict, by location and by cache line
  std::vector<OptimisticThreads> threads;
};

struct OptimisticSite : OptimisticSections {
  std::size_t site = 0; ///< index in the profile
  bool shared = false;
};

struct OptimisticLock : OptimisticSections {
  std::size_t lockClass = 0; ///< index in the profile
  std::vector<OptimisticSite> sites;

  const OptimisticSite *find(std::size_t site, bool shared) const;
};

/// Locks with traced sections, in the summary's order.
struct OptimisticProgram {
  std::vector<OptimisticLock> locks;
  double efficiency = 0; ///< occ_eff: share of the threads' time that is saved, where any is
  double speedup = 1;    ///< of the program, in the best case

  const OptimisticLock *find(std::size_t lockClass) const;
};
/// `summary` is of the whole profile. None without times or without traced sections. Threads'
/// time is what they were not blocked.
std::optional<OptimisticProgram> optimisticProgram(const Profile &profile,
                                                   const ProfileSummary &summary);

} // namespace qdadvise
