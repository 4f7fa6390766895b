// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a profile in the groups that findings judge, and what is known of them.
#pragma once

#include "advisor/advice/FindingThresholds.h"
#include "advisor/decide/RootCauses.h"
#include "advisor/profile/Summary.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// All sites of one lock class; or one site and all lock classes whose locks it takes.
struct SectionGroup {
  std::vector<std::size_t> lockClasses; ///< that with most acquisitions first
  std::vector<const SiteSummary *> sites;
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
  std::uint32_t threads = 0; ///< that may have been there at once
};

std::vector<SectionGroup> groupsByLock(const Profile &profile, const ProfileSummary &summary);
std::vector<SectionGroup> groupsBySite(const Profile &profile, const ProfileSummary &summary);

/// Tells of groups what the source and the run show. Profile and thresholds have to outlive it.
class EvidenceSource {
public:
  EvidenceSource(const Profile &profile, const FindingThresholds &thresholds);

  /// What the source alone tells.
  SectionEvidence fromSource(const SectionGroup &group) const;
  std::set<std::size_t> sitesOfLocks(const SectionGroup &group) const;
  /// What the run tells, too.
  SectionEvidence of(const SectionGroup &group) const;

private:
  std::optional<std::size_t> alwaysAround(std::size_t lockClass) const;
  void addLocksInside(std::size_t lockClass, std::uint64_t acquisitions,
                      SectionEvidence &evidence) const;
  std::string inARow(std::size_t lockClass, std::uint64_t acquisitions) const;
  bool isAroundOthers(const SectionGroup &group) const;
  std::vector<std::string> apart(const SectionGroup &group) const;
  std::optional<MemoryEvidence> memoryOf(const SectionGroup &group) const;

  const Profile &profile;
  const FindingThresholds &thresholds;
  std::vector<std::string> lockNames;
  std::vector<std::uint64_t> instances; ///< of each lock class
  /// Of each section: classes of the locks that meanwhile keep everybody else out, nearest first.
  std::vector<std::vector<std::size_t>> around;
};

} // namespace qdadvise
