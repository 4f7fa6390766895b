// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures of a report: a profile by lock and by site. Times in nanoseconds.
#pragma once

#include "advisor/profile/Profile.h"
#include "runtime/abi/lock_algorithms.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// The figures of a lock, or of one of its sites.
struct Measured {
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0; ///< summed, with nested sections
  /// The share of the run in which it was held, as the mean over instances. Simultaneous readers of
  /// a lock count once; at a site, they count separately.
  double utilization = 0;
  Moments hold; ///< without nested sections and blocked time
  Histogram holdHistogram;
  Moments wait; ///< over all acquisitions
  Histogram waitHistogram;
  Moments waitContended;
  std::uint64_t contendedByWriter = 0; ///< of `contended`, at a reader-writer lock
  Moments waitByWriter;
  std::optional<SectionMemory> memory; ///< from a memory trace

  double contentionRate() const {
    return acquisitions > 0 ? static_cast<double>(contended) / static_cast<double>(acquisitions)
                            : 0;
  }
  /// The p-quantiles of the holding and of the waiting time, between the least and the greatest
  /// seen.
  double holdQuantile(double p) const;
  double waitQuantile(double p) const;
};

/// One call path to a site, where call paths were recorded.
struct PathSummary {
  std::vector<CallFrame> frames; ///< the innermost caller first; empty for all other paths
  Measured measured;             ///< without `heldNs` and `utilization`
};

/// A site in one mode, over all thread classes and all sections that it is nested in.
struct SiteSummary {
  std::size_t site = 0; ///< index in the profile
  std::string name;
  bool shared = false;
  bool nested = false; ///< some executions were inside another section
  std::uint64_t tryFailures = 0;
  Measured measured;
  std::vector<PathSummary> paths; ///< by acquisitions, all others last; addPaths fills them in
};

/// Adds the counts and times of a section.
void addSection(Measured &sum, const ProfiledSection &section);

/// Locks of one class whose traffic lies between the same powers of two.
struct TrafficShare {
  std::uint64_t acquisitionsFrom = 0, acquisitionsTo = 0; ///< of each of them
  std::uint64_t instances = 0, acquisitions = 0, contended = 0;
};

struct LockSummary {
  std::size_t lockClass = 0; ///< index in the profile
  std::string name;
  LockKind kind = LockKind::unknown;
  std::uint64_t instances = 0;            ///< the number of locks acquired, with closed ones
  std::vector<TrafficShare> distribution; ///< the least busy first, without those beyond max_locks
  double busiestShare = 0;                ///< the share of the busiest lock in the traffic
  std::uint64_t halfTheTraffic = 0;       ///< so many of the busiest locks have half of the traffic
  bool moreInstances = false;             ///< there are locks beyond max_locks, not counted
  std::optional<double> ownedShare;       ///< of Takers.h
  bool readerWriter = false;              ///< can be taken in shared mode
  Measured measured;
  Measured readers, writers;      ///< the parts of `measured` by mode
  ProfiledReaders sharing;        ///< how readers share it
  double heldBlockedNs = 0;       ///< the part of the time held in which its holders were blocked
  std::vector<SiteSummary> sites; ///< longest held first
};

struct ProfileSummary {
  std::vector<LockSummary> locks;       ///< the acquired ones, longest held first
  std::vector<std::size_t> notExecuted; ///< sites that take a lock and never ran
  double awakeNs = 0;  ///< the time in which threads were alive and not blocked, summed
  double waitedNs = 0; ///< the part of it at locks that were found taken
};

ProfileSummary summarize(const Profile &profile);

/// By section, how long its lock was held, with nested sections but without blocked time.
std::vector<double> timesHeld(const Profile &profile);

/// The locks of a class with the most acquisitions, of those that were alive at the end.
std::vector<const ProfiledLock *> busiestLocks(const Profile &profile, std::size_t lockClass,
                                               std::size_t count);

/// That threads waited for processors so long that it matters, for people; "" where they did not.
std::string runDelay(const Profile &profile);

/// What the profile lacks, a sentence each, for people.
std::vector<std::string> shortcomings(const Profile &profile);

/// Which modules took locks where no hook told of it, for people; "" where none did, or nobody
/// counted them.
std::string unseenLocks(const Profile &profile);

/// The sites that take a lock and never ran, as indices into `profile.sites`.
std::vector<std::size_t> sitesNotExecuted(const Profile &profile);

} // namespace qdadvise
