// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Evidence.h"

#include "advisor/decide/DataGroups.h"
#include "advisor/decide/Optimistic.h"
#include "advisor/profile/Names.h"
#include "advisor/profile/summary/ClosedLocks.h"
#include "advisor/support/Format.h"
#include "runtime/abi/lock_algorithms.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace qdadvise {
namespace {

/// From this contention rate on, readers that enter together make a difference.
constexpr double moderateContention = 0.01;

void add(SectionGroup &group, const SiteSummary &site) {
  group.sites.push_back(&site);
  group.acquisitions += site.measured.acquisitions;
  group.contended += site.measured.contended;
  group.heldNs += site.measured.heldNs;
  group.waitNs += site.measured.wait.sum();
  group.waitContendedNs += site.measured.waitContended.sum();
}

/// How many threads may be in such sections at once: those of the classes that have some.
template <typename Belongs> std::uint32_t threadsAt(const Profile &profile, Belongs belongs) {
  std::set<std::size_t> classes;
  for (const ProfiledSection &section : profile.sections)
    if (section.acquisitions + section.tryFailures > 0 && belongs(section))
      classes.insert(section.threadClass);
  std::uint32_t threads = 0;
  for (const std::size_t one : classes)
    threads += profile.threadClasses[one].maxAlive;
  return std::min(threads, profile.maxThreads);
}

/// The median: the mean is dominated by the few executions whose thread lost its core. Nested
/// sections have no histogram here, and count with their mean.
double typicalHoldNs(const SectionGroup &group) {
  Measured own;
  for (const SiteSummary *site : group.sites) {
    own.hold.merge(site->measured.hold);
    own.holdHistogram.merge(site->measured.holdHistogram);
  }
  const double nestedNs = group.heldNs - own.hold.sum();
  return own.holdQuantile(0.5) + nestedNs / static_cast<double>(group.acquisitions);
}

/// Lock classes that stand for the sections beyond max_sections, whichever locks these take.
std::set<std::size_t> unknownLocks(const Profile &profile) {
  std::set<std::size_t> unknown;
  for (const ProfiledSection &section : profile.sections)
    if (section.other)
      unknown.insert(section.lockClass);
  return unknown;
}

std::vector<std::uint64_t> countInstances(const Profile &profile) {
  std::vector<std::uint64_t> instances(profile.lockClasses.size(), 0);
  for (const ProfiledLock &lock : profile.locks)
    instances[lock.lockClass] += lock.address == 0 ? 2 : 1; // 0: those beyond max_locks
  for (const ProfiledInstances &closed : closedLocksOfARun(profile))
    instances[closed.lockClass] += closed.instances;
  return instances;
}

/// Facts whose effects neither the compiler nor a memory trace need have seen.
constexpr SectionFactBits unseen =
    factCallsUnknown | factCallsPointer | factWaits | factDoesIo | factTakesLock;

/// The share of the acquisitions at sites without a traced execution, and of the accesses, that may
/// be missing.
constexpr double negligible = 0.01;

using Function = std::pair<std::string, std::string>; ///< file and name

Function functionOf(const ProfiledSite &site) { return {site.file, site.function}; }

/// Whether two sections at different locks use the same data, which then neither lock protects.
bool overlapAtTwoLocks(const ProfiledSection &a, const ProfiledSection &b) {
  return a.lockClass != b.lockClass && a.memory && b.memory && a.memory->knowsOverlaps() &&
         b.memory->knowsOverlaps() && a.memory->meets(*b.memory);
}

bool contains(const std::vector<std::size_t> &list, std::size_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

} // namespace

std::vector<SectionGroup> groupsByLock(const Profile &profile, const ProfileSummary &summary) {
  const std::set<std::size_t> unknown = unknownLocks(profile);
  std::vector<SectionGroup> groups;
  for (const LockSummary &lock : summary.locks) {
    if (unknown.contains(lock.lockClass))
      continue;
    SectionGroup group;
    group.lockClasses = {lock.lockClass};
    for (const SiteSummary &site : lock.sites)
      add(group, site);
    group.threads = threadsAt(profile, [&](const ProfiledSection &section) {
      return section.lockClass == lock.lockClass;
    });
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<SectionGroup> groupsBySite(const Profile &profile, const ProfileSummary &summary) {
  const std::set<std::size_t> unknown = unknownLocks(profile);
  std::map<std::size_t, SectionGroup> bySite;
  std::map<std::size_t, std::map<std::size_t, std::uint64_t>> classes;
  for (const LockSummary &lock : summary.locks)
    for (const SiteSummary &site : lock.sites) {
      if (unknown.contains(lock.lockClass))
        continue;
      add(bySite[site.site], site);
      classes[site.site][lock.lockClass] += site.measured.acquisitions;
    }
  std::vector<SectionGroup> groups;
  for (auto &[site, group] : bySite) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (const auto &[lock, acquisitions] : classes[site])
      order.emplace_back(acquisitions, lock);
    std::sort(order.rbegin(), order.rend());
    for (const auto &[acquisitions, lock] : order)
      group.lockClasses.push_back(lock);
    group.threads = threadsAt(
        profile, [place = site](const ProfiledSection &section) { return section.site == place; });
    groups.push_back(std::move(group));
  }
  return groups;
}

EvidenceSource::EvidenceSource(const Profile &profile, const FindingThresholds &thresholds)
    : profile(profile), thresholds(thresholds), lockNames(qdadvise::lockNames(profile)),
      instances(countInstances(profile)), around(profile.sections.size()) {
  for (std::size_t i = 0; i < around.size(); ++i)
    for (std::optional<std::size_t> outer = profile.sections[i].inside; outer;
         outer = profile.sections[*outer].inside) {
      const ProfiledSection &section = profile.sections[*outer];
      if (!section.other && !section.shared && instances[section.lockClass] == 1 &&
          section.lockClass != profile.sections[i].lockClass)
        around[i].push_back(section.lockClass);
    }
}

/// The lock that is held whenever one of the class is taken.
std::optional<std::size_t> EvidenceSource::alwaysAround(std::size_t lockClass) const {
  std::optional<std::vector<std::size_t>> common;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const ProfiledSection &section = profile.sections[i];
    if (section.other || section.lockClass != lockClass || section.acquisitions == 0)
      continue;
    if (!common)
      common = around[i];
    std::erase_if(*common, [&](std::size_t lock) { return !contains(around[i], lock); });
  }
  return common && !common->empty() ? std::optional(common->front()) : std::nullopt;
}

/// Several locks that are taken in half of this one's sections or more.
void EvidenceSource::addLocksInside(std::size_t lockClass, std::uint64_t acquisitions,
                                    SectionEvidence &evidence) const {
  std::vector<const ProfiledSection *> sections;
  std::set<std::size_t> inner;
  std::uint64_t taken = 0, locks = 0;
  for (std::size_t i = 0; i < around.size(); ++i) {
    const ProfiledSection &section = profile.sections[i];
    if (section.other || !contains(around[i], lockClass))
      continue;
    taken += section.acquisitions;
    sections.push_back(&section);
    if (inner.insert(section.lockClass).second)
      locks += instances[section.lockClass];
  }
  if (locks < 2 || 2 * taken < acquisitions)
    return;
  for (const std::size_t lock : inner)
    evidence.locksInside.push_back(lockNames[lock]);
  for (const ProfiledSection *a : sections)
    for (const ProfiledSection *b : sections)
      evidence.insideOverlaps = evidence.insideOverlaps || overlapAtTwoLocks(*a, *b);
}

/// The function that takes the lock at one place, and hardly does anything before it takes
/// it again at another, in half of the acquisitions or more.
std::string EvidenceSource::inARow(std::size_t lockClass, std::uint64_t acquisitions) const {
  if (instances[lockClass] != 1)
    return {};
  const auto isWait = [&](const ProfiledSection &section) {
    return profile.sites[section.site].role == static_cast<std::uint32_t>(SiteRole::wait);
  };
  std::map<Function, std::uint64_t> times;
  for (const ProfiledTransition &way : profile.transitions) {
    if (!way.from || !way.to)
      continue;
    const ProfiledSection &from = profile.sections[*way.from], &to = profile.sections[*way.to];
    if (from.other || to.other || from.lockClass != lockClass || to.lockClass != lockClass ||
        from.site == to.site || isWait(from) || isWait(to) ||
        way.local.mean + way.blocked.mean > thresholds.shortSectionNs)
      continue;
    const Function function = functionOf(profile.sites[to.site]);
    if (functionOf(profile.sites[from.site]) == function)
      times[function] += way.local.count;
  }
  for (const auto &[function, count] : times)
    if (2 * count >= acquisitions)
      return withoutParameters(function.second);
  return {};
}

/// Whether other sections are inside these: what those do is not counted here.
bool EvidenceSource::isAroundOthers(const SectionGroup &group) const {
  return std::any_of(
      profile.sections.begin(), profile.sections.end(), [&](const ProfiledSection &inner) {
        if (!inner.inside || inner.acquisitions == 0)
          return false;
        const ProfiledSection &outer = profile.sections[*inner.inside];
        return contains(group.lockClasses, outer.lockClass) &&
               std::any_of(group.sites.begin(), group.sites.end(),
                           [&](const SiteSummary *site) { return site->site == outer.site; });
      });
}

/// The places of the group's sections, where some have no data in common with others. Rare sections
/// are left out: they can take several locks.
std::vector<std::string> EvidenceSource::apart(const SectionGroup &group) const {
  std::vector<const SectionMemory *> memories;
  std::vector<const ProfiledSite *> sites;
  for (const SiteSummary *site : group.sites) {
    if (static_cast<double>(site->measured.acquisitions) <=
        negligible * static_cast<double>(group.acquisitions))
      continue;
    const std::optional<SectionMemory> &memory = site->measured.memory;
    const bool isKnown =
        memory && static_cast<double>(memory->executions) >= thresholds.leastAcquisitions;
    memories.push_back(isKnown ? &*memory : nullptr);
    sites.push_back(&profile.sites[site->site]);
  }
  const std::optional<std::vector<DataGroup>> groups = dataGroups(memories);
  std::vector<std::string> result;
  if (groups && groups->size() > 1)
    for (const DataGroup &one : *groups) {
      std::vector<std::string> places;
      for (const std::size_t i : one)
        places.push_back(fmt::format("{}:{}", sites[i]->file, sites[i]->line));
      result.push_back(someOf(places, 3));
    }
  return result;
}

/// None where too few executions were traced, or some sites were not.
std::optional<MemoryEvidence> EvidenceSource::memoryOf(const SectionGroup &group) const {
  SectionMemory sum;
  std::uint64_t untraced = 0;
  for (const SiteSummary *site : group.sites) {
    if (site->measured.memory)
      sum.merge(*site->measured.memory);
    else
      untraced += site->measured.acquisitions;
  }
  const auto executions = static_cast<double>(sum.executions);
  if (executions < thresholds.leastAcquisitions ||
      static_cast<double>(untraced) > negligible * static_cast<double>(group.acquisitions))
    return std::nullopt;
  MemoryEvidence memory;
  memory.executions = executions;
  memory.instructions = sum.mean(sum.instructions);
  memory.sharedAccesses = sum.mean(sum.sharedAccesses);
  memory.writtenLines = sum.mean(sum.linesWritten);
  memory.lines = sum.distinctLines();
  const bool whole = !isAroundOthers(group);
  memory.large = whole && memory.instructions >= thresholds.largeSection;
  memory.small = whole && memory.instructions <= thresholds.smallSection;
  memory.mostlyUnshared =
      memory.large && !memory.nothingShared() && memory.sharedShare() < thresholds.sharedShare;
  memory.oneLocation = memory.small && sum.updatesOneLocation();
  memory.unsafeAccesses = memory.sharedAccesses - sum.mean(sum.safeAccesses);
  memory.mostlyAtomic = sum.atomics > 0 && memory.unsafeShare() <= negligible;
  memory.mostlyReads = !memory.nothingShared() && memory.writtenLines <= thresholds.writtenShare;
  const std::optional<Conflicts> conflicts = conflictsOf(sum);
  memory.conflict = conflicts ? conflicts->probability : 0;
  if (memory.nothingShared() || memory.mostlyUnshared || memory.lines < thresholds.manyLines)
    memory.muchData = false;
  else if (conflicts && conflicts->pairs >= thresholds.leastAcquisitions &&
           conflicts->probability <= thresholds.rareConflicts)
    memory.muchData = true;
  memory.apart = apart(group);
  return memory;
}

/// The sites that take locks of the group's classes, those that no thread reached included.
std::set<std::size_t> EvidenceSource::sitesOfLocks(const SectionGroup &group) const {
  std::set<std::size_t> sites;
  for (const std::size_t lockClass : group.lockClasses) {
    const ProfiledLockClass &lock = profile.lockClasses[lockClass];
    for (const ProfiledSection &section : profile.sections)
      if (section.lockClass == lockClass)
        sites.insert(section.site);
    for (std::size_t i = 0; i != profile.sites.size(); ++i)
      if (profile.sites[i].executed + profile.sites[i].inside == 0 &&
          isDeclaredAs(profile.sites[i], lock))
        sites.insert(i);
  }
  return sites;
}

SectionEvidence EvidenceSource::fromSource(const SectionGroup &group) const {
  SectionEvidence evidence;
  evidence.factsKnown = evidence.oneInteger = evidence.empty = true;
  evidence.opaque = false;
  bool waits = false, doesIo = false;
  for (const SiteSummary *summary : group.sites) {
    const ProfiledSite &site = profile.sites[summary->site];
    const bool known = site.facts & factsKnown;
    evidence.factsKnown = evidence.factsKnown && known;
    evidence.opaque = evidence.opaque || !known || (site.facts & unseen);
    evidence.waitsInside =
        evidence.waitsInside || site.role == static_cast<std::uint32_t>(SiteRole::wait);
    waits = waits || (site.facts & factWaits);
    doesIo = doesIo || (site.facts & factDoesIo);
  }
  // A lock is superfluous only if this holds wherever it is taken.
  for (const std::size_t at : sitesOfLocks(group)) {
    const ProfiledSite &site = profile.sites[at];
    const bool known = site.facts & factsKnown;
    evidence.oneInteger = evidence.oneInteger && known && (site.facts & factOneIntegerUpdate);
    evidence.empty = evidence.empty && known && (site.facts & factEmpty);
  }
  // A condition wait gives the lock up: nobody waits for it meanwhile.
  evidence.sleeps = doesIo || (waits && !evidence.waitsInside);
  const std::uint32_t kind = profile.lockClasses[group.lockClasses.front()].kind;
  if (const LockAlgorithm *algorithm = findLockAlgorithm(algorithmOfNumber(kind))) {
    evidence.spins = algorithm->spins;
    evidence.readersApart = algorithm->sharesReads;
  }
  return evidence;
}

SectionEvidence EvidenceSource::of(const SectionGroup &group) const {
  SectionEvidence evidence = fromSource(group);
  if (group.threads > 1)
    evidence.contended = static_cast<double>(group.contended) >=
                         moderateContention * static_cast<double>(group.acquisitions);
  evidence.memory = memoryOf(group);
  evidence.opaque = evidence.opaque || isAroundOthers(group);
  if (!(profile.flags & format::runCountersOnly) && group.acquisitions > 0) {
    evidence.holdNs = typicalHoldNs(group);
    evidence.isShort = evidence.holdNs <= thresholds.shortSectionNs;
  }
  if (group.lockClasses.size() > 1)
    return evidence;
  const std::size_t lock = group.lockClasses.front();
  addLocksInside(lock, group.acquisitions, evidence);
  if (const std::optional<std::size_t> outer = alwaysAround(lock))
    evidence.alwaysInside = lockNames[*outer];
  if (evidence.isShort)
    evidence.inARow = inARow(lock, group.acquisitions);
  return evidence;
}

} // namespace qdadvise
