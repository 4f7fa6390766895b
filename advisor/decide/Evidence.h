// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the sections of a profile as findings judge them, and tells what is known of each group.
#pragma once

#include "advisor/advice/FindingThresholds.h"
#include "advisor/decide/RootCauses.h"
#include "advisor/profile/summary/Summary.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// Either all sites of one lock class, or one site with all lock classes whose locks it takes.
struct SectionGroup {
  std::vector<std::size_t> lockClasses; ///< the one with most acquisitions first
  std::vector<const SiteSummary *> sites;
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
  double waitContendedNs = 0; ///< the part of waitNs of those that found the lock taken
  std::uint32_t threads = 0;  ///< that may have been there at once
};

std::vector<SectionGroup> groupsByLock(const Profile &profile, const ProfileSummary &summary);
std::vector<SectionGroup> groupsBySite(const Profile &profile, const ProfileSummary &summary);

/// Tells what the source and the run show of a group. Profile and thresholds must outlive it.
class EvidenceSource {
public:
  EvidenceSource(const Profile &profile, const FindingThresholds &thresholds);

  /// The evidence of the source alone.
  SectionEvidence fromSource(const SectionGroup &group) const;
  std::set<std::size_t> sitesOfLocks(const SectionGroup &group) const;
  /// The evidence of the source and the run.
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
  /// By section: the classes of the locks held meanwhile that exclude all other threads, the
  /// innermost first.
  std::vector<std::vector<std::size_t>> around;
};

} // namespace qdadvise
