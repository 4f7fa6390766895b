// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has changed at the locks of a program from one profile to another, and whether that is
// worse.
#pragma once

#include "advisor/decide/Decision.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// From where on a lock counts as worse. Runs of one program differ by some percent, however many
/// samples they have.
struct ComparisonThresholds {
  double longer = 0.25;     ///< holding time: the low end of its interval is this much longer
  double contention = 0.05; ///< found taken: the low end is so many more of the acquisitions
  /// Predicted throughput with today's locks: so much less. Where it is not, a change that is
  /// advised now is one that an improvement elsewhere has made worth it.
  double throughput = 0.1;
  double share = 0.01; ///< only locks that are held for this share of the threads' time
};

struct ChangeInterval {
  double value = 0, low = 0, high = 0; ///< 95 %, of the sampling error
};

struct LockComparison {
  std::string name;
  bool isNew = false, isGone = false; ///< acquired in one of the runs only
  double share = 0;                   ///< of the threads' time that it is held, in the new run
  double holdBefore = 0, holdAfter = 0;
  std::optional<ChangeInterval> longer; ///< ratio of the mean holding times; none without times
  double takenBefore = 0, takenAfter = 0;
  ChangeInterval taken; ///< difference of the contention rates
  /// What it should be; none where it is not in the network.
  std::optional<LockDecision> before, after;

  bool isLonger = false, isContended = false; ///< beyond the thresholds
  /// It could stay, or was not there, and its change is likely to gain now: of a new lock, or of a
  /// program that has become slower.
  bool needsChange = false;
  bool isWorse() const { return isLonger || isContended || needsChange; }
  bool verdictChanged() const;
};

/// One side: a profile without what the scheduler did in it, and what is advised for it.
struct ComparedRun {
  Profile profile;
  Network network;
  Decisions decisions;
};

/// The locks of both runs by name, those that are worse first, then by the time held.
std::vector<LockComparison> compareRuns(const ComparedRun &before, const ComparedRun &after,
                                        const ComparisonThresholds &thresholds);

} // namespace qdadvise
