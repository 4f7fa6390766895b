// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/LockFindings.h"

#include "advisor/profile/summary/ClosedLocks.h"
#include "advisor/support/Format.h"
#include "advisor/support/Ratio.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace qdadvise {
namespace {

Symptom symptomOf(Quadrant quadrant) {
  return quadrant == Quadrant::q1   ? contendedRarely
         : quadrant == Quadrant::q2 ? contendedOften
                                    : acquiredOften;
}

std::string quadrantMessage(const FindingSearch &search, const SectionGroup &group,
                            const Finding &finding) {
  const double acquisitions = static_cast<double>(group.acquisitions);
  const std::string rate = formatPercent(static_cast<double>(group.contended) / acquisitions);
  const std::string what =
      group.lockClasses.size() > 1
          ? fmt::format("{} kinds of locks at one place: ", group.lockClasses.size())
          : "";
  const std::string often = timesText(search, acquisitions);
  if (finding.quadrant == Quadrant::q4)
    return fmt::format("{}taken {}{}{}", what, often,
                       group.threads < 2 ? "" : fmt::format(", contended in {}", rate),
                       lossText(search, finding, "locking"));
  return fmt::format("{}found taken in {} of acquisitions; taken {}{}", what, rate, often,
                     lossText(search, finding, "waiting for it"));
}

/// A memory trace slows the program down: it does not have the program's rates.
bool isTraceAlone(const Profile &profile) {
  return (profile.flags & format::runMemory) && (profile.flags & format::runCountersOnly);
}

void addFinding(FindingSearch &search, const SectionGroup &group, Finding finding) {
  if (std::any_of(finding.causes.begin(), finding.causes.end(), [](const CauseFound &one) {
        return one.cause->id == std::string("common-lock");
      }))
    search.superfluous.insert(finding.lock);
  search.reported.insert(group.lockClasses.begin(), group.lockClasses.end());
  search.found.push_back(std::move(finding));
}

/// Whether locking takes so little of the threads' time that only what the source or a run shows to
/// be wrong is worth a word.
bool isCheap(const FindingSearch &search, const Finding &finding) {
  const bool isShown =
      std::any_of(finding.causes.begin(), finding.causes.end(),
                  [](const CauseFound &one) { return one.verdict == Verdict::shown; });
  const bool isTimed = (search.profile.flags & format::runCountersOnly) == 0;
  return isTimed && !isShown && finding.lost < search.thresholds.lockingShare;
}

/// Adds a finding if the group is in a quadrant that tells of one.
void judge(FindingSearch &search, const SectionGroup &group) {
  const bool alone = group.threads < 2;
  const Quadrant quadrant =
      quadrantOf(group.acquisitions, alone ? 0 : group.contended, search.profile.durationNs,
                 search.thresholds, search.profile.recordedShare());
  if (quadrant == Quadrant::q3 || isTraceAlone(search.profile))
    return;
  SectionEvidence evidence = alone ? search.evidence.fromSource(group) : search.evidence.of(group);
  if (alone && !evidence.oneInteger && !evidence.empty)
    return;
  if (search.superfluous.contains(evidence.alwaysInside))
    evidence.alwaysInside.clear();
  Finding finding = startFinding(search, group, symptomOf(quadrant), evidence);
  // Nothing that would make frequent acquisitions a waste is left as a cause, or little is wasted.
  if (quadrant == Quadrant::q4 && (finding.causes.empty() || isCheap(search, finding)))
    return;
  finding.quadrant = quadrant;
  finding.message = quadrantMessage(search, group, finding);
  addFinding(search, group, std::move(finding));
}

/// The longest held first, so that an outer lock comes before those inside.
void findLocks(FindingSearch &search) {
  for (const SectionGroup &group : search.byLock)
    if (!search.reported.contains(group.lockClasses.front()))
      judge(search, group);
}

/// Sites that are in a quadrant though none of their locks is: they add up several locks, or are
/// the one place where a lock is contended.
void findSites(FindingSearch &search) {
  const std::set<std::size_t> reported = search.reported;
  for (const SectionGroup &group : search.bySite)
    if (std::none_of(group.lockClasses.begin(), group.lockClasses.end(),
                     [&](std::size_t lock) { return reported.contains(lock); }))
      judge(search, group);
}

/// How a lock was used, or locks that were destroyed and had about the same traffic.
struct LockUse {
  double acquisitions = 0, contended = 0;

  double rate() const { return contended / acquisitions; }
  /// An end of the interval of the contention rate, three standard errors wide (Wilson 1927): a few
  /// acquisitions say little, however many were contended.
  double bound(double side) const {
    constexpr double z = 3;
    const double middle = rate() + z * z / (2 * acquisitions);
    const double width = z * std::sqrt(rate() * (1 - rate()) / acquisitions +
                                       z * z / (4 * acquisitions * acquisitions));
    return (middle + side * width) / (1 + z * z / acquisitions);
  }
};

/// The locks of each lock class.
std::vector<std::vector<LockUse>> usesOf(const Profile &profile) {
  std::vector<std::vector<LockUse>> uses(profile.lockClasses.size());
  const auto add = [&](const auto &lock) {
    if (lock.acquisitions > 0)
      uses[lock.lockClass].push_back(
          {static_cast<double>(lock.acquisitions), static_cast<double>(lock.contended)});
  };
  for (const ProfiledLock &lock : profile.locks)
    if (lock.address != 0)
      add(lock);
  for (const ProfiledInstances &closed : closedLocksOfARun(profile))
    add(closed);
  return uses;
}

} // namespace

void findByQuadrant(FindingSearch &search) {
  findLocks(search);
  findSites(search);
}

void findTraced(FindingSearch &search) {
  const bool contentionKnown = !isTraceAlone(search.profile);
  for (const SectionGroup &group : search.byLock) {
    if ((contentionKnown && group.threads > 1) ||
        search.reported.contains(group.lockClasses.front()))
      continue;
    SectionEvidence evidence = search.evidence.of(group);
    if (!evidence.memory)
      continue;
    if (search.superfluous.contains(evidence.alwaysInside))
      evidence.alwaysInside.clear();
    Finding finding = startFinding(search, group, memoryTraced, evidence);
    std::erase_if(finding.causes,
                  [](const CauseFound &one) { return one.verdict == Verdict::open; });
    if (finding.causes.empty())
      continue;
    finding.message = fmt::format("{} executions were traced, of {} instructions on average; how "
                                  "several threads contend for it was not measured",
                                  formatCount(evidence.memory->executions),
                                  formatCount(evidence.memory->instructions));
    addFinding(search, group, std::move(finding));
  }
}

void findFailingTries(FindingSearch &search) {
  for (const SectionGroup &group : search.byLock) {
    SectionGroup trying;
    trying.lockClasses = group.lockClasses;
    std::uint64_t failures = 0;
    for (const SiteSummary *site : group.sites)
      if (site->tryFailures > 0 && !(search.profile.sites[site->site].flags & siteTimed)) {
        trying.sites.push_back(site);
        trying.acquisitions += site->measured.acquisitions;
        trying.contended += site->measured.contended;
        trying.heldNs += site->measured.heldNs;
        trying.waitNs += site->measured.wait.sum();
        failures += site->tryFailures;
      }
    const double tries = static_cast<double>(trying.acquisitions + failures);
    const double share = ratio(static_cast<double>(failures), tries);
    const double perS = tries / seconds(search.profile);
    if (group.threads < 2 || share <= search.thresholds.tryFailureRate ||
        perS <= search.thresholds.acquisitionsPerS)
      continue;
    Finding finding = startFinding(search, trying, triesFail);
    finding.message =
        fmt::format("tried {}, of which {} failed", timesText(search, tries), formatPercent(share));
    finding.numbers.insert(finding.numbers.end(),
                           {{"tries", tries}, {"tries_per_s", perS}, {"try_failure_rate", share}});
    search.found.push_back(std::move(finding));
  }
}

void findAsymmetry(FindingSearch &search) {
  const std::vector<std::vector<LockUse>> usesByClass = usesOf(search.profile);
  for (const SectionGroup &group : search.byLock) {
    const std::vector<LockUse> &uses = usesByClass[group.lockClasses.front()];
    if (uses.size() < 2 || group.threads < 2)
      continue;
    const auto high = std::max_element(uses.begin(), uses.end(), [](const auto &a, const auto &b) {
      return a.bound(-1) < b.bound(-1);
    });
    const auto low = std::min_element(uses.begin(), uses.end(), [](const auto &a, const auto &b) {
      return a.bound(1) < b.bound(1);
    });
    if (high->rate() <= search.thresholds.contentionRate ||
        high->acquisitions < search.thresholds.leastAcquisitions ||
        high->bound(-1) < search.thresholds.asymmetry * low->bound(1))
      continue;
    Finding finding = startFinding(search, group, unevenContention);
    const double perS = static_cast<double>(group.acquisitions) / seconds(search.profile);
    finding.quadrant = perS > search.thresholds.acquisitionsPerS ? Quadrant::q2 : Quadrant::q1;
    finding.message = fmt::format(
        "one of these locks was found taken in {} of {} acquisitions, another in {} of {}{}",
        formatPercent(high->rate()), formatCount(high->acquisitions), formatPercent(low->rate()),
        formatCount(low->acquisitions), lossText(search, finding, "waiting for them"));
    finding.numbers.insert(finding.numbers.end(), {{"highest_contention_rate", high->rate()},
                                                   {"highest_acquisitions", high->acquisitions},
                                                   {"lowest_contention_rate", low->rate()},
                                                   {"lowest_acquisitions", low->acquisitions}});
    search.reported.insert(group.lockClasses.begin(), group.lockClasses.end());
    search.found.push_back(std::move(finding));
  }
}

} // namespace qdadvise
