// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile by lock and by site: the figures of a report. Times in nanoseconds.
#pragma once

#include "advisor/profile/Profile.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// What was measured of a lock or of one of its sites.
struct Measured {
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0; ///< summed, nested sections included
  /// Share of the run that it was held, of one instance, on average. Of a reader-writer lock,
  /// readers that hold it at once count once; of a site, each.
  double utilization = 0;
  Moments hold; ///< nested sections and blocked time left out
  Histogram holdHistogram;
  Moments wait; ///< over all acquisitions
  Histogram waitHistogram;
  Moments waitContended;
  std::uint64_t contendedByWriter = 0; ///< of `contended`, at a reader-writer lock
  Moments waitByWriter;
  std::optional<SectionMemory> memory; ///< of a diagnosis run

  double contentionRate() const {
    return acquisitions > 0 ? static_cast<double>(contended) / static_cast<double>(acquisitions)
                            : 0;
  }
  /// p-quantiles of the holding and of the waiting time, within what was seen.
  double holdQuantile(double p) const;
  double waitQuantile(double p) const;
};

/// How a site was reached, where that was asked for.
struct PathSummary {
  std::vector<CallFrame> frames; ///< the innermost caller first; none: all other paths
  Measured measured;             ///< but for the time held with what is nested, and utilization
};

/// A site in one mode, over all thread classes and whatever it is nested in.
struct SiteSummary {
  std::size_t site = 0; ///< index in the profile
  std::string name;
  bool shared = false;
  bool nested = false; ///< in some executions another section was around it
  std::uint64_t tryFailures = 0;
  Measured measured;
  std::vector<PathSummary> paths; ///< most acquisitions first, others last; addPaths fills them in
};

/// Adds the counts and times of a section.
void addSection(Measured &sum, const ProfiledSection &section);

/// Locks of one class with about the same traffic, by powers of two.
struct TrafficShare {
  std::uint64_t acquisitionsFrom = 0, acquisitionsTo = 0; ///< of each of them
  std::uint64_t instances = 0, acquisitions = 0, contended = 0;
};

struct LockSummary {
  std::size_t lockClass = 0; ///< index in the profile
  std::string name;
  std::string kind;                       ///< key of the table of lock algorithms, or "unknown"
  std::uint64_t instances = 0;            ///< acquired; those that are no more, too
  std::vector<TrafficShare> distribution; ///< the least busy first; those beyond max_locks left out
  double busiestShare = 0;                ///< of the traffic: that of the busiest one
  std::uint64_t halfTheTraffic = 0;       ///< so many of the busiest have half of it
  bool moreInstances = false;             ///< beyond max_locks, which were not counted
  std::optional<double> ownedShare;       ///< of Takers.h
  bool readerWriter = false;              ///< can be taken in shared mode
  Measured measured;
  Measured readers, writers;      ///< of `measured`, by mode
  ProfiledReaders sharing;        ///< how readers share it
  double heldBlockedNs = 0;       ///< of the time held: its holders were blocked
  std::vector<SiteSummary> sites; ///< longest held first
};

struct ProfileSummary {
  std::vector<LockSummary> locks;       ///< longest held first; only those acquired
  std::vector<std::size_t> notExecuted; ///< sites that take a lock and never ran
  double awakeNs = 0;                   ///< of all threads together: alive and not blocked
  double waitedNs = 0;                  ///< of that, at locks that were found taken
};

ProfileSummary summarize(const Profile &profile);

/// By section: how long its lock was held, what is nested in it included. Blocked time is not.
std::vector<double> timesHeld(const Profile &profile);

/// Of the locks of a class that were alive at the end, those with the most acquisitions.
std::vector<const ProfiledLock *> busiestLocks(const Profile &profile, std::size_t lockClass,
                                               std::size_t count);

/// What keeps the profile from being the whole truth, a sentence each; for people.
std::vector<std::string> shortcomings(const Profile &profile);

/// `pthread_mutex`, `spinlock`, `qd`, `pthread_rwlock` or `unknown`, of a LockKind.
const char *lockKindName(std::uint32_t kind);

} // namespace qdadvise
