// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the detectors of findings share: what they look at, what they have found, and how a finding
// begins.
#pragma once

#include "advisor/decide/Evidence.h"
#include "advisor/decide/Findings.h"

#include <set>
#include <string>
#include <vector>

namespace qdadvise {

struct FindingSearch {
  FindingSearch(const Profile &profile, const ProfileSummary &summary,
                const FindingThresholds &thresholds);

  const Profile &profile;
  const FindingThresholds &thresholds;
  EvidenceSource evidence;
  std::vector<SectionGroup> byLock, bySite;
  std::vector<std::string> lockNames, threadNames;
  double awakeNs = 0; ///< of all threads, blocked time left out
  /// Lock classes whose contention, or lack of it, a finding tells of.
  std::set<std::size_t> reported;
  /// Locks to remove, because others inside them do their work.
  std::set<std::string> superfluous;
  std::vector<Finding> found;
};

/// A finding with its symptom and causes only.
Finding startFinding(Symptom symptom, const SectionEvidence &evidence = {});
/// A finding with the figures and places of a group, too.
Finding startFinding(const FindingSearch &search, const SectionGroup &group, Symptom symptom,
                     const SectionEvidence &evidence = {});

/// How long the run was recorded, but at least one second of it.
double seconds(double durationNs, double recordedShare);
double seconds(const Profile &profile);
/// `1.2 million times, 350 thousand a second`, or of a short run `200 times in 30 ms`.
std::string timesText(const FindingSearch &search, double count);
/// `; waiting for it took 12% of the threads' time`, where that is known.
std::string lossText(const FindingSearch &search, const Finding &finding, const char *what);

} // namespace qdadvise
