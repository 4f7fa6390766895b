// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/FindingSearch.h"

#include "advisor/profile/Names.h"
#include "advisor/support/Format.h"
#include "advisor/support/Ratio.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace qdadvise {
namespace {

/// The sites of a group, where threads lose most time (else: are most often) first.
void addSites(const FindingSearch &search, const SectionGroup &group, Finding &finding) {
  std::vector<const SiteSummary *> sites = group.sites;
  std::sort(sites.begin(), sites.end(), [](const SiteSummary *a, const SiteSummary *b) {
    const auto cost = [](const SiteSummary *site) {
      return std::tuple(-site->measured.wait.sum(), ~site->measured.acquisitions, site->site);
    };
    return cost(a) < cost(b);
  });
  for (const SiteSummary *summary : sites) {
    // A site that takes the lock in two modes is one place.
    if (std::find(finding.sites.begin(), finding.sites.end(), summary->site) != finding.sites.end())
      continue;
    const ProfiledSite &site = search.profile.sites[summary->site];
    finding.sites.push_back(summary->site);
    finding.places.push_back(formatPlace(site.file, site.line));
  }
}

} // namespace

FindingSearch::FindingSearch(const Profile &profile, const ProfileSummary &summary,
                             const FindingThresholds &thresholds)
    : profile(profile), thresholds(thresholds), evidence(profile, thresholds),
      byLock(groupsByLock(profile, summary)), bySite(groupsBySite(profile, summary)),
      lockNames(qdadvise::lockNames(profile)), threadNames(threadClassNames(profile)),
      awakeNs(summary.awakeNs) {}

Finding startFinding(Symptom symptom, const SectionEvidence &evidence) {
  Finding finding;
  finding.symptom = symptom;
  finding.causes = causesOf(symptom, evidence);
  return finding;
}

Finding startFinding(const FindingSearch &search, const SectionGroup &group, Symptom symptom,
                     const SectionEvidence &evidence) {
  const double acquisitions = static_cast<double>(group.acquisitions);
  const double perS = acquisitions / seconds(search.profile);
  Finding finding = startFinding(symptom, evidence);
  finding.lock = search.lockNames[group.lockClasses.front()];
  finding.numbers = {
      {"acquisitions", acquisitions},
      {"acquisitions_per_s", perS},
      {"contention_rate", ratio(static_cast<double>(group.contended), acquisitions)}};
  if (!(search.profile.flags & format::runCountersOnly)) {
    // Where threads waited for a processor, the few waits at an uncontended lock are as long as a
    // turn of the scheduler's: fewer acquisitions would not make them shorter.
    const bool areDelays = symptom == acquiredOften && search.profile.isDelayed();
    const double lostNs = group.waitNs - (areDelays ? group.waitContendedNs : 0);
    finding.lost = std::clamp(ratio(lostNs, search.awakeNs), 0.0, 1.0);
    finding.numbers.insert(finding.numbers.end(), {{"wait_ns", ratio(group.waitNs, acquisitions)},
                                                   {"hold_ns", ratio(group.heldNs, acquisitions)},
                                                   {"lost_share", finding.lost}});
  }
  if (const std::optional<MemoryEvidence> &memory = evidence.memory)
    finding.numbers.insert(finding.numbers.end(), {{"traced_executions", memory->executions},
                                                   {"instructions", memory->instructions},
                                                   {"shared_accesses", memory->sharedAccesses},
                                                   {"unsafe_accesses", memory->unsafeAccesses},
                                                   {"cache_lines_written", memory->writtenLines},
                                                   {"distinct_cache_lines", memory->lines},
                                                   {"conflict_probability", memory->conflict}});
  addSites(search, group, finding);
  return finding;
}

double seconds(double durationNs, double recordedShare) {
  return std::max(durationNs * 1e-9, recordedShare);
}
double seconds(const Profile &profile) {
  return seconds(profile.durationNs, profile.recordedShare());
}

std::string timesText(const FindingSearch &search, double count) {
  const double durationNs = search.profile.durationNs;
  return durationNs < 1e9
             ? fmt::format("{} times in {}", formatCount(count), formatDuration(durationNs))
             : fmt::format("{} times, {} a second", formatCount(count),
                           formatCount(count / seconds(search.profile)));
}

std::string lossText(const FindingSearch &search, const Finding &finding, const char *what) {
  return search.profile.flags & format::runCountersOnly
             ? ""
             : fmt::format("; {} took {} of the threads' time", what, formatPercent(finding.lost));
}

} // namespace qdadvise
