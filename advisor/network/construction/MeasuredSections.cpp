// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/MeasuredSections.h"

#include "advisor/network/DataMovement.h"
#include "advisor/network/construction/MeasuredDuration.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/network/construction/Steadiness.h"
#include "advisor/profile/Names.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

/// The time-stamp counter resolves no less, and a cycle that takes no time has no throughput.
constexpr double shortestHoldNs = 0.1;

/// With fewer observations, rare long ones are mere chance.
constexpr std::uint64_t fewestForATail = 30;

/// What was seen of a section in all thread classes.
struct Observations {
  std::uint64_t acquisitions = 0;
  Moments hold;
  Histogram holds;
  SectionMemory memory;
};

Observations observationsOf(const Profile &profile, const std::vector<std::size_t> &members) {
  Observations result;
  for (const std::size_t member : members) {
    const ProfiledSection &section = profile.sections[member];
    result.acquisitions += section.acquisitions;
    result.hold.merge(section.hold);
    result.holds.merge(section.holdHistogram);
    if (section.memory)
      result.memory.merge(*section.memory);
  }
  return result;
}

Duration holdOf(const Profile &profile, const std::vector<std::size_t> &members,
                const Observations &seen) {
  const Moments &hold = seen.hold;
  Duration result = durationOf(std::max(hold.mean, shortestHoldNs), hold.variance(), hold.count);
  result.inefficiency = inefficiencyOfHolds(profile, members, hold.mean, hold.variance(),
                                            static_cast<double>(hold.count));
  if (hold.count >= fewestForATail)
    result.skewness = seen.holds.skewness();
  return result;
}

/// The holding time for a section that has none: that of the others on its lock, else of all
/// others.
Duration usualHold(const Profile &profile, std::size_t lockClass) {
  Moments here, anywhere;
  for (const ProfiledSection &section : profile.sections) {
    anywhere.merge(section.hold);
    if (section.lockClass == lockClass)
      here.merge(section.hold);
  }
  const Moments &usual = here.count > 0 ? here : anywhere;
  // It is as good as one observation: the spread is not known, and the error is large.
  return durationOf(std::max(usual.mean, shortestHoldNs), usual.variance(), 1);
}

/// Takes `ns` from the mean and keeps the spread.
void shorten(Duration &hold, double ns) {
  // It takes at most half, since the description may be of another machine than the recording one.
  const double less = std::max({hold.mean - ns, hold.mean / 2, shortestHoldNs});
  hold.cv *= hold.mean / less;
  hold.mean = less;
}

/// The number of executions that have read a line since it was written, in the middle of a bucket
/// (runtime/abi/profile_format.h). The last bucket counts as if it ended like those before it.
double readersOf(unsigned bucket) {
  return bucket < 4 ? bucket : 1.5 * std::ldexp(1.0, static_cast<int>(bucket) - 2) - 0.5;
}

Footprint footprintOf(const SectionMemory &memory) {
  Footprint result;
  double lines = 0;
  for (unsigned bucket = 0; bucket < format::readersBuckets; ++bucket) {
    const double readers = readersOf(bucket);
    if (memory.readAfter[bucket] > 0)
      result.read.push_back({readers, memory.mean(memory.readAfter[bucket])});
    if (memory.writtenAfter[bucket] > 0)
      result.written.push_back({readers, memory.mean(memory.writtenAfter[bucket])});
    lines += memory.mean(memory.readAfter[bucket] + memory.writtenAfter[bucket]);
  }
  if (lines > 0)
    result.chained = std::min(1.0, memory.mean(memory.chainedLines) / lines);
  return result;
}

/// The time in which the section's data moved between the threads of the recorded run. Holding
/// times contain it. With delegation, the data stay with the helper.
double movedNs(const Profile &profile, const std::vector<std::size_t> &members,
               const Footprint &footprint, const Machine &machine) {
  const std::size_t lockClass = profile.sections[members.front()].lockClass;
  const LockAlgorithm *algorithm =
      findLockAlgorithm(algorithmOfNumber(profile.lockClasses[lockClass].kind));
  std::vector<Visitors> threads(profile.threadClasses.size());
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads[i].threads = profile.threadClasses[i].maxAlive;
  for (const ProfiledSection &other : profile.sections)
    if (other.lockClass == lockClass)
      threads[other.threadClass].visits += static_cast<double>(other.acquisitions);
  double acquisitions = 0, contended = 0;
  for (const std::size_t member : members) {
    acquisitions += static_cast<double>(profile.sections[member].acquisitions);
    contended += static_cast<double>(profile.sections[member].contended);
  }
  const MovementTimes times = DataMovement(machine)(footprint, evenVisitors(threads));
  const bool delegates = algorithm && algorithm->delegates;
  return times.free + contended / acquisitions * ((delegates ? 0 : times.handed) - times.free);
}

} // namespace

SourceSite sourceOf(const ProfiledSite &site) {
  SourceSite result{site.file,    site.function,    site.expression, site.line,  site.column,
                    site.ordinal, site.sectionHash, site.role,       site.flags, site.facts};
  if (site.reentered)
    result.flags |= siteRecursive;
  return result;
}

MeasuredSections measuredSections(const Profile &profile, const Placement &placement,
                                  const std::vector<Lock> &locks,
                                  const std::vector<std::size_t> &lockOf, const Machine &machine) {
  const std::vector<std::string> siteName = siteNames(profile);
  MeasuredSections result;
  std::vector<Section> &sections = result.sections;
  std::vector<std::string> names, suffixes;
  std::vector<std::uint64_t> acquisitions;
  for (const std::vector<std::size_t> &members : placement.members) {
    const ProfiledSection &first = profile.sections[members.front()];
    const Observations seen = observationsOf(profile, members);
    const bool traced = seen.memory.executions > 0;
    Section section;
    section.lock = lockOf[sections.size()];
    section.shared = first.shared;
    if (first.inside)
      section.inside = placement.places[*first.inside];
    section.site = sourceOf(profile.sites[first.site]);
    names.push_back(siteName[first.site] + (first.shared ? " shared" : ""));
    suffixes.push_back(" " + locks[section.lock].name);
    if (traced)
      section.footprint = footprintOf(seen.memory);
    if (seen.hold.count == 0) {
      section.hold = usualHold(profile, first.lockClass);
      section.untimed = true;
      result.guessed.push_back(names.back());
    } else {
      section.hold = holdOf(profile, members, seen);
      if (traced)
        shorten(section.hold, movedNs(profile, members, *section.footprint, machine));
    }
    acquisitions.push_back(seen.acquisitions);
    result.memory.push_back(traced ? std::optional(seen.memory) : std::nullopt);
    sections.push_back(std::move(section));
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (const std::optional<std::size_t> outer = sections[i].inside) {
      sections[i].visits =
          static_cast<double>(acquisitions[i]) / static_cast<double>(acquisitions[*outer]);
      names[i] += " in " + names[*outer];
      // The inner release runs while the outer lock is held.
      shorten(sections[*outer].hold,
              sections[i].visits * releaseNs(machine, locks[sections[i].lock].kind.kind));
    }
  }
  names = makeUnique(std::move(names), suffixes);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].name = names[i];
    // The skewness is from buckets, which are coarser than the moments.
    if (std::optional<double> &skewness = sections[i].hold.skewness)
      skewness = std::max(*skewness, leastSkewness(sections[i].hold.cv));
    // Shorter times are rid of their delays already (removePreemptions).
    sections[i].delayed = profile.isDelayed() && sections[i].hold.mean >= interruptNs;
  }
  return result;
}

} // namespace qdadvise
