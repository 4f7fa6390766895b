// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Findings.h"

#include "advisor/decide/Evidence.h"
#include "advisor/decide/LoadBalance.h"
#include "advisor/profile/ClosedLocks.h"
#include "advisor/profile/Names.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <tuple>

namespace qdadvise {
namespace {

struct Run {
  const Profile &profile;
  const FindingThresholds &thresholds;
  EvidenceSource evidence;
  std::vector<SectionGroup> byLock, bySite;
  std::vector<std::string> lockNames, threadNames;
  double awakeNs = 0;           ///< of all threads, blocked time left out
  std::set<std::size_t> told;   ///< lock classes of which the quadrant has been said
  std::set<std::string> common; ///< locks to go, as others inside them do their work
  std::vector<Finding> found;
};

/// What is found, and by what.
struct FindingKind {
  const char *id;
  unsigned symptoms; ///< of Symptom
};
constexpr FindingKind findingKinds[] = {
    {"high-contention", contendedRarely | contendedOften},
    {"extensive-acquisitions", acquiredOften},
    {"try-lock-failures", triesFail},
    {"asymmetric-contention", unevenContention},
    {"load-imbalance", unevenLoad},
    {"memory-diagnosis", diagnosed},
};

Finding startFinding(Symptom symptom, const SectionEvidence &evidence = {}) {
  Finding finding;
  for (const FindingKind &kind : findingKinds)
    if (kind.symptoms & symptom)
      finding.id = kind.id;
  finding.causes = causesOf(symptom, evidence);
  return finding;
}

/// Recorded, of a run of at least one.
double seconds(double durationNs, double recordedShare) {
  return std::max(durationNs * 1e-9, recordedShare);
}
double seconds(const Profile &profile) {
  return seconds(profile.durationNs, profile.recordedShare());
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// `1.2 million times, 350 thousand a second`, or of a short run `200 times in 30 ms`.
std::string timesOf(const Run &run, double count) {
  const double durationNs = run.profile.durationNs;
  return durationNs < 1e9
             ? fmt::format("{} times in {}", formatCount(count), formatDuration(durationNs))
             : fmt::format("{} times, {} a second", formatCount(count),
                           formatCount(count / seconds(run.profile)));
}

Symptom symptomOf(Quadrant quadrant) {
  return quadrant == Quadrant::q1   ? contendedRarely
         : quadrant == Quadrant::q2 ? contendedOften
                                    : acquiredOften;
}

/// The sites of a group, where threads lose most time (else: are most often) first.
void addSites(const Run &run, const SectionGroup &group, Finding &finding) {
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
    const ProfiledSite &site = run.profile.sites[summary->site];
    finding.sites.push_back(summary->site);
    finding.places.push_back(formatPlace(site.file, site.line));
  }
}

Finding findingOf(const Run &run, const SectionGroup &group, Symptom symptom,
                  const SectionEvidence &evidence = {}) {
  const double acquisitions = static_cast<double>(group.acquisitions);
  const double perS = acquisitions / seconds(run.profile);
  Finding finding = startFinding(symptom, evidence);
  finding.lock = run.lockNames[group.lockClasses.front()];
  finding.numbers = {
      {"acquisitions", acquisitions},
      {"acquisitions_per_s", perS},
      {"contention_rate", ratio(static_cast<double>(group.contended), acquisitions)}};
  if (!(run.profile.flags & format::runCountersOnly)) {
    finding.lost = std::min(1.0, ratio(group.waitNs, run.awakeNs));
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
  addSites(run, group, finding);
  return finding;
}

/// `; waiting for it took 12% of the threads' time`, where that is known.
std::string loss(const Run &run, const Finding &finding, const char *what) {
  return run.profile.flags & format::runCountersOnly
             ? ""
             : fmt::format("; {} took {} of the threads' time", what, formatPercent(finding.lost));
}

// --- one lock, or one site, at a time

std::string quadrantMessage(const Run &run, const SectionGroup &group, const Finding &finding) {
  const double acquisitions = static_cast<double>(group.acquisitions);
  const std::string rate = formatPercent(static_cast<double>(group.contended) / acquisitions);
  const std::string what =
      group.lockClasses.size() > 1
          ? fmt::format("{} kinds of locks at one place: ", group.lockClasses.size())
          : "";
  const std::string often = timesOf(run, acquisitions);
  if (finding.quadrant == Quadrant::q4)
    return fmt::format("{}taken {}{}{}", what, often,
                       group.threads < 2 ? "" : fmt::format(", contended in {}", rate),
                       loss(run, finding, "locking"));
  return fmt::format("{}found taken in {} of acquisitions; taken {}{}", what, rate, often,
                     loss(run, finding, "waiting for it"));
}

/// A diagnosis run is slow: it is not the program's rates that it has.
bool isDiagnosisAlone(const Profile &profile) {
  return (profile.flags & format::runMemory) && (profile.flags & format::runCountersOnly);
}

void tell(Run &run, const SectionGroup &group, Finding finding) {
  if (std::any_of(finding.causes.begin(), finding.causes.end(), [](const CauseFound &one) {
        return one.cause->id == std::string("common-lock");
      }))
    run.common.insert(finding.lock);
  run.told.insert(group.lockClasses.begin(), group.lockClasses.end());
  run.found.push_back(std::move(finding));
}

/// A finding if the group is in a quadrant that tells of one.
void judge(Run &run, const SectionGroup &group) {
  const bool alone = group.threads < 2;
  const Quadrant quadrant =
      quadrantOf(group.acquisitions, alone ? 0 : group.contended, run.profile.durationNs,
                 run.thresholds, run.profile.recordedShare());
  if (quadrant == Quadrant::q3 || isDiagnosisAlone(run.profile))
    return;
  SectionEvidence evidence = alone ? run.evidence.fromSource(group) : run.evidence.of(group);
  if (alone && !evidence.oneInteger && !evidence.empty)
    return;
  if (run.common.contains(evidence.alwaysInside))
    evidence.alwaysInside.clear();
  Finding finding = findingOf(run, group, symptomOf(quadrant), evidence);
  // Sections that are known to be none of what makes taking a lock often a waste.
  if (quadrant == Quadrant::q4 && finding.causes.empty())
    return;
  finding.quadrant = quadrant;
  finding.message = quadrantMessage(run, group, finding);
  tell(run, group, std::move(finding));
}

/// The longest held first, so that an outer lock comes before those inside.
void findLocks(Run &run) {
  for (const SectionGroup &group : run.byLock)
    if (!run.told.contains(group.lockClasses.front()))
      judge(run, group);
}

/// Sites that are what none of their locks is alone: several locks' sum, or the one place
/// where a lock is contended.
void findSites(Run &run) {
  const std::set<std::size_t> told = run.told;
  for (const SectionGroup &group : run.bySite)
    if (std::none_of(group.lockClasses.begin(), group.lockClasses.end(),
                     [&](std::size_t lock) { return told.contains(lock); }))
      judge(run, group);
}

/// Of locks that were traced where nothing tells how several threads would contend for them: one
/// thread took them, or there was a diagnosis run only.
void findDiagnosed(Run &run) {
  const bool contentionKnown = !isDiagnosisAlone(run.profile);
  for (const SectionGroup &group : run.byLock) {
    if ((contentionKnown && group.threads > 1) || run.told.contains(group.lockClasses.front()))
      continue;
    SectionEvidence evidence = run.evidence.of(group);
    if (!evidence.memory)
      continue;
    if (run.common.contains(evidence.alwaysInside))
      evidence.alwaysInside.clear();
    Finding finding = findingOf(run, group, diagnosed, evidence);
    std::erase_if(finding.causes,
                  [](const CauseFound &one) { return one.verdict == Verdict::open; });
    if (finding.causes.empty())
      continue;
    finding.message = fmt::format("{} executions were traced, of {} instructions on average; how "
                                  "several threads contend for it was not measured",
                                  formatCount(evidence.memory->executions),
                                  formatCount(evidence.memory->instructions));
    tell(run, group, std::move(finding));
  }
}

void findFailingTries(Run &run) {
  for (const SectionGroup &group : run.byLock) {
    SectionGroup trying;
    trying.lockClasses = group.lockClasses;
    std::uint64_t failures = 0;
    for (const SiteSummary *site : group.sites)
      if (site->tryFailures > 0 && !(run.profile.sites[site->site].flags & siteTimed)) {
        trying.sites.push_back(site);
        trying.acquisitions += site->measured.acquisitions;
        trying.contended += site->measured.contended;
        trying.heldNs += site->measured.heldNs;
        trying.waitNs += site->measured.wait.sum();
        failures += site->tryFailures;
      }
    const double tries = static_cast<double>(trying.acquisitions + failures);
    const double share = ratio(static_cast<double>(failures), tries);
    const double perS = tries / seconds(run.profile);
    if (group.threads < 2 || share <= run.thresholds.tryFailureRate ||
        perS <= run.thresholds.acquisitionsPerS)
      continue;
    Finding finding = findingOf(run, trying, triesFail);
    finding.message =
        fmt::format("tried {}, of which {} failed", timesOf(run, tries), formatPercent(share));
    finding.numbers.insert(finding.numbers.end(),
                           {{"tries", tries}, {"tries_per_s", perS}, {"try_failure_rate", share}});
    run.found.push_back(std::move(finding));
  }
}

// --- locks of one class side by side

/// A lock, or locks that are no more and had about the same traffic.
struct LockUse {
  double acquisitions = 0, contended = 0;

  double rate() const { return contended / acquisitions; }
  /// Where the rate may lie, three standard errors wide (Wilson 1927): what was acquired a
  /// few times says little, however often it was contended.
  double bound(double side) const {
    constexpr double z = 3;
    const double middle = rate() + z * z / (2 * acquisitions);
    const double width = z * std::sqrt(rate() * (1 - rate()) / acquisitions +
                                       z * z / (4 * acquisitions * acquisitions));
    return (middle + side * width) / (1 + z * z / acquisitions);
  }
};

/// By lock class.
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

void findAsymmetry(Run &run) {
  const std::vector<std::vector<LockUse>> usesByClass = usesOf(run.profile);
  for (const SectionGroup &group : run.byLock) {
    const std::vector<LockUse> &uses = usesByClass[group.lockClasses.front()];
    if (uses.size() < 2 || group.threads < 2)
      continue;
    const auto high = std::max_element(uses.begin(), uses.end(), [](const auto &a, const auto &b) {
      return a.bound(-1) < b.bound(-1);
    });
    const auto low = std::min_element(uses.begin(), uses.end(), [](const auto &a, const auto &b) {
      return a.bound(1) < b.bound(1);
    });
    if (high->rate() <= run.thresholds.contentionRate ||
        high->acquisitions < run.thresholds.leastAcquisitions ||
        high->bound(-1) < run.thresholds.asymmetry * low->bound(1))
      continue;
    Finding finding = findingOf(run, group, unevenContention);
    const double perS = static_cast<double>(group.acquisitions) / seconds(run.profile);
    finding.quadrant = perS > run.thresholds.acquisitionsPerS ? Quadrant::q2 : Quadrant::q1;
    finding.message = fmt::format(
        "one of these locks was found taken in {} of {} acquisitions, another in {} of {}{}",
        formatPercent(high->rate()), formatCount(high->acquisitions), formatPercent(low->rate()),
        formatCount(low->acquisitions), loss(run, finding, "waiting for them"));
    finding.numbers.insert(finding.numbers.end(), {{"highest_contention_rate", high->rate()},
                                                   {"highest_acquisitions", high->acquisitions},
                                                   {"lowest_contention_rate", low->rate()},
                                                   {"lowest_acquisitions", low->acquisitions}});
    run.told.insert(group.lockClasses.begin(), group.lockClasses.end());
    run.found.push_back(std::move(finding));
  }
}

// --- threads

/// What the threads of a class do with their time, summed over them.
struct ClassWork {
  std::size_t index; ///< of the class
  std::uint32_t threads;
  double computingNs, waitingNs;

  double each() const { return computingNs / threads; }
  double waitingShare() const { return waitingNs / (computingNs + waitingNs); }
};

/// The main thread starts the others and waits for them: it is none of them.
std::vector<ClassWork> workOf(const Profile &profile) {
  std::vector<double> lockWaits(profile.threadClasses.size(), 0);
  for (const ProfiledSection &section : profile.sections)
    lockWaits[section.threadClass] += section.wait.sum();
  std::vector<ClassWork> work;
  for (std::size_t i = 0; i < profile.threadClasses.size(); ++i) {
    const ProfiledThreadClass &one = profile.threadClasses[i];
    const double waitingNs = std::min(one.blockedNs + lockWaits[i], one.aliveNs);
    if (!one.isMain && one.maxAlive > 0 && one.aliveNs > 0)
      work.push_back({i, one.maxAlive, one.aliveNs - waitingNs, waitingNs});
  }
  return work;
}

/// Share of the most loaded thread's work; another assignment of threads that saves less is
/// none to tell of.
constexpr double leastSaving = 0.01;

void findImbalance(Run &run) {
  const std::vector<ClassWork> work = workOf(run.profile);
  if (work.size() < 2 || run.profile.flags & format::runCountersOnly)
    return;
  const auto [least, most] =
      std::minmax_element(work.begin(), work.end(), [](const ClassWork &a, const ClassWork &b) {
        return a.each() < b.each();
      });
  const auto idle =
      std::max_element(work.begin(), work.end(), [](const ClassWork &a, const ClassWork &b) {
        return a.waitingShare() < b.waitingShare();
      });
  // Threads that all compute all the time have nothing to give to each other, and those that
  // hardly compute need no more of them.
  if (most->each() * (1 - run.thresholds.imbalance) <= least->each() ||
      idle->waitingShare() <= run.thresholds.imbalance || idle == most ||
      1 - most->waitingShare() < run.thresholds.imbalance)
    return;
  std::vector<double> load; // in units of what the most loaded thread has
  std::uint32_t threads = 0;
  for (const ClassWork &one : work) {
    load.push_back(one.each() / most->each() * one.threads);
    threads += one.threads;
  }
  const ThreadAssignment assignment = assignThreads(load, threads);
  const double saved = 1 - bottleneck(load, assignment.best);
  if (saved < leastSaving)
    return;
  Finding finding = startFinding(unevenLoad);
  finding.lost = saved;
  finding.message = fmt::format(
      "threads of {} compute {} of their time, those of {} wait {} of theirs; with the best "
      "assignment the most loaded threads have {} less to do",
      run.threadNames[most->index], formatPercent(1 - most->waitingShare()),
      run.threadNames[idle->index], formatPercent(idle->waitingShare()), formatPercent(saved));
  finding.numbers = {{"threads", threads},
                     {"least_computation_ns", least->each()},
                     {"most_computation_ns", most->each()},
                     {"most_waiting_share", idle->waitingShare()},
                     {"saved_share", saved}};
  for (std::size_t i = 0; i < work.size(); ++i) {
    const ProfiledThreadClass &one = run.profile.threadClasses[work[i].index];
    if (!one.file.empty())
      finding.places.push_back(formatPlace(one.file, one.line));
    finding.threads.push_back({run.threadNames[work[i].index], work[i].threads,
                               1 - work[i].waitingShare(), work[i].waitingShare(),
                               assignment.exact[i], assignment.best[i]});
  }
  run.found.push_back(std::move(finding));
}

} // namespace

Quadrant quadrantOf(std::uint64_t acquisitions, std::uint64_t contended, double durationNs,
                    const FindingThresholds &thresholds, double recordedShare) {
  const auto count = static_cast<double>(acquisitions);
  const bool isContended = count >= thresholds.leastAcquisitions &&
                           static_cast<double>(contended) > thresholds.contentionRate * count;
  const bool often = count / seconds(durationNs, recordedShare) > thresholds.acquisitionsPerS;
  return isContended ? (often ? Quadrant::q2 : Quadrant::q1)
                     : (often ? Quadrant::q4 : Quadrant::q3);
}

std::vector<Finding> findingsOf(const Profile &profile, const ProfileSummary &summary,
                                const FindingThresholds &thresholds) {
  Run run{profile,
          thresholds,
          EvidenceSource(profile, thresholds),
          groupsByLock(profile, summary),
          groupsBySite(profile, summary),
          lockNames(profile),
          threadClassNames(profile),
          summary.awakeNs,
          {},
          {},
          {}};
  // What explains a lock's contention comes before what only says that there is some.
  for (void (*const find)(Run &) :
       {findAsymmetry, findLocks, findSites, findDiagnosed, findFailingTries, findImbalance})
    find(run);
  std::vector<std::size_t> order(run.found.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return run.found[a].lost != run.found[b].lost ? run.found[a].lost > run.found[b].lost : a < b;
  });
  std::vector<Finding> sorted;
  for (const std::size_t index : order)
    sorted.push_back(std::move(run.found[index]));
  return sorted;
}

} // namespace qdadvise
