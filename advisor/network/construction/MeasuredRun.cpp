// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/MeasuredRun.h"

#include "advisor/profile/Names.h"
#include "advisor/profile/summary/Copies.h"
#include "runtime/abi/section_facts.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {
namespace {

/// Is it of a section of a barrier?
bool isAtBarrier(const Profile &profile, std::optional<std::size_t> section) {
  if (!section)
    return false;
  const std::uint64_t facts = profile.sites[profile.sections[*section].site].facts;
  return (facts & factsKnown) && (facts & factBarrier);
}

/// Does a way from section to section lead to a barrier, come from one or have one on it?
bool isAtBarrier(const Profile &profile, const ProfiledTransition &way) {
  return isAtBarrier(profile, way.from) || isAtBarrier(profile, way.to) || way.barriers > 0;
}

/// Does each thread go this way once at most? Then it is no job of many. What was recorded in part
/// does not tell.
bool isOnce(const Profile &profile, const ProfiledTransition &way) {
  const std::uint64_t threads = profile.threadClasses[way.threadClass].count;
  const auto ranOnce = [&](std::size_t section) {
    return profile.sections[section].acquisitions <= threads;
  };
  return profile.recordedShare() == 1 && (ranOnce(*way.from) || ranOnce(*way.to));
}

/// How often threads of these classes were created anew, after the ones before had ended: in
/// several runs, or in rounds that each have threads of their own.
std::uint64_t roundsOf(const Profile &profile, const std::vector<bool> &scales) {
  std::uint64_t rounds = std::max<std::uint64_t>(profile.runs, 1);
  for (std::size_t i = 0; i < scales.size(); ++i)
    if (const ProfiledThreadClass &threads = profile.threadClasses[i]; scales[i])
      rounds = std::max<std::uint64_t>(rounds, threads.count / std::max(1u, threads.maxAlive));
  return rounds;
}

/// The longest stretch between two sections of these thread classes, of those that begin or end at
/// a barrier, or of the others that threads go through again and again. Each of several rounds has
/// one, as far as there are stretches of at least half that length. Of a run that was recorded in
/// part only its share counts, for no other stretch was longer.
double longestStretchesNs(const Profile &profile, const std::vector<bool> &scales, bool atBarrier) {
  double longestNs = 0;
  const auto forEachWay = [&](const auto &visit) {
    for (const ProfiledTransition &way : profile.transitions)
      if (scales[way.threadClass] && way.from && way.to && atBarrier == isAtBarrier(profile, way) &&
          (atBarrier || !isOnce(profile, way)))
        visit(way);
  };
  forEachWay(
      [&](const ProfiledTransition &way) { longestNs = std::max(longestNs, way.local.max); });
  std::uint64_t alike = 0;
  forEachWay([&](const ProfiledTransition &way) {
    for (const auto &[bucket, count] : way.localHistogram.buckets)
      if (Histogram::lowerBound(bucket) >= longestNs / 2)
        alike += count;
  });
  const std::uint64_t rounds = std::clamp<std::uint64_t>(alike, 1, roundsOf(profile, scales));
  return longestNs * profile.recordedShare() * static_cast<double>(rounds);
}

/// How often threads of these classes came to a barrier, all together. Who waits there takes its
/// lock once more.
double arrivalsAtBarriers(const Profile &profile, const std::vector<bool> &scales) {
  double arrivals = 0;
  for (std::size_t i = 0; i < profile.sections.size(); ++i) {
    const ProfiledSection &section = profile.sections[i];
    if (scales[section.threadClass] && isAtBarrier(profile, i) &&
        static_cast<SiteRole>(profile.sites[section.site].role) != SiteRole::wait)
      arrivals += static_cast<double>(section.acquisitions);
  }
  for (const ProfiledTransition &way : profile.transitions)
    if (scales[way.threadClass])
      arrivals += static_cast<double>(way.barriers);
  return arrivals;
}

/// The time that threads of these classes spend once, all together: between two sections, or where
/// they were created, before their first section and after their last one. Where one thread was
/// created after the other, these are jobs, of which the longest may not be divided.
double onceNs(const Profile &profile, const std::vector<bool> &scales) {
  double ns = 0;
  for (const ProfiledTransition &way : profile.transitions) {
    if (!scales[way.threadClass] || isAtBarrier(profile, way))
      continue;
    const ProfiledThreadClass &threads = profile.threadClasses[way.threadClass];
    if (way.from && way.to)
      ns += isOnce(profile, way) ? way.local.sum() : 0;
    else if ((way.from || way.to) && !threads.isMain)
      ns += std::min(way.local.sum(), way.local.max * static_cast<double>(profile.runs) *
                                          std::max(1u, threads.maxAlive));
  }
  return ns;
}

/// Finds how much more than its share of time threads of these classes spent before their first
/// sections. A beginning is recorded as a whole before there are slices. Where they begin
/// later it has its share of the time already, and its longest tells how long it was.
double overcountedBeginningNs(const Profile &profile, const std::vector<bool> &scales) {
  double ns = 0;
  for (const ProfiledTransition &way : profile.transitions)
    if (scales[way.threadClass] && !way.from)
      ns += std::max(0.0, way.local.sum() - profile.recordedShare() * way.local.max *
                                                static_cast<double>(way.local.count));
  return ns;
}

/// Finds what hooks took of the lives of threads of these classes, in place and with what reads
/// their events: what is left when all is taken out that the threads did, which is without hooks.
/// Where records were dropped that may also be time of which nothing is known; so much that hooks
/// do not cost it is not theirs (RUN18). Threads that have no section meet no hook. Slices are a
/// sample of a time that goes by nearly without hooks.
double hooksNs(const Profile &profile, const std::vector<bool> &scales) {
  if (profile.recordedShare() < 1)
    return 0;
  constexpr double dearest = 6; // times what one costs in a loop; 2.2 to 5.5 were measured
  double ns = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (!scales[i])
      continue;
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    double didNs = threads.blockedNs;
    bool hasSections = false;
    for (const ProfiledSection &section : profile.sections)
      if (section.threadClass == i) {
        hasSections = true;
        // An outer section's time contains its inner ones.
        didNs += section.inside ? 0 : section.wait.sum() + section.heldNs();
      }
    for (const ProfiledTransition &way : profile.transitions)
      if (way.threadClass == i)
        didNs += way.local.sum();
    if (hasSections)
      ns += std::max(0.0, threads.aliveNs - didNs);
  }
  return std::min(ns, dearest * profile.hookNs * static_cast<double>(profile.events));
}

/// The time of a class's threads from their first section to their last, or of their lives where
/// they take no locks.
struct Activity {
  double computedNs = 0;
  double blockedNs = 0;
};

Activity activityOf(const Profile &profile, std::size_t threadClass) {
  Activity found;
  for (const ProfiledSection &section : profile.sections)
    if (section.threadClass == threadClass)
      found.computedNs += section.heldNs();
  for (const ProfiledTransition &way : profile.transitions)
    if (way.threadClass == threadClass && way.from && way.to) {
      found.computedNs += way.local.sum();
      found.blockedNs += way.blocked.sum();
    }
  const ProfiledThreadClass &threads = profile.threadClasses[threadClass];
  if (found.computedNs == 0 && found.blockedNs == 0 && !threads.isMain)
    found = {std::max(0.0, threads.aliveNs - threads.blockedNs), threads.blockedNs};
  // Threads that were ready to run did not: their times are so much too long.
  found.computedNs *= 1 - profile.runDelayShare();
  return found;
}

/// Threads do so much in the parallel part.
struct Work {
  double fixedNs = 0; ///< one that does not scale and works on what the others do
  double allNs = 0;   ///< that one and all that scale
};

/// Finds the work of a parallel part that took so long with hooks. A thread that does not scale
/// works on what the others do if it waits for them from time to time, or ends before they do. One
/// that does neither may poll as well, and computes nothing for them.
Work workOf(const Profile &profile, const std::vector<bool> &scales, double parallelNs) {
  constexpr double leastWaiting = 0.05;
  Work work;
  for (std::size_t i = 0; i < profile.threadClasses.size(); ++i) {
    const Activity activity = activityOf(profile, i);
    if (scales[i]) {
      work.allNs += activity.computedNs;
      continue;
    }
    const double threads = std::max(profile.threadClasses[i].maxAlive, 1u);
    const double partNs = parallelNs * threads;
    const double idleNs =
        activity.blockedNs + std::max(0.0, partNs - profile.threadClasses[i].aliveNs);
    if (idleNs < leastWaiting * partNs)
      continue;
    // Some of it may have been before or after the parallel part.
    const double ns = std::clamp(partNs - idleNs, 0.0, activity.computedNs);
    work.allNs += ns;
    work.fixedNs = std::max(work.fixedNs, ns / threads);
  }
  return work;
}

/// How many threads on the average computed in the parallel part, if all threads together did so
/// for that time in the run as a whole. In the serial part one does.
double computingThreads(const Profile &profile, const Run &run, double ns) {
  const double wholeNs = std::max(profile.durationNs, profile.slicedNs);
  return std::max(0.0, ns / wholeNs - run.serialShare()) / (1 - run.serialShare());
}

/// Adds up what those of these classes compute that had one thread at a time, without the busiest.
double guessedStagesNs(const Profile &profile, const std::vector<bool> &scales) {
  double busiestNs = 0, allNs = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    if (!scales[i] || threads.maxAlive > 1)
      continue;
    busiestNs = std::max(busiestNs, busyNs(threads));
    allNs += busyNs(threads);
  }
  return allNs - busiestNs;
}

/// The thread classes that scale, all together.
struct Scaling {
  std::vector<std::string> names;
  double aliveNs = 0;
  double threads = 0; ///< at a time, if all classes were there together
  bool hasMain = false;
};

Scaling scalingClasses(const Profile &profile, const std::vector<bool> &scales) {
  const std::vector<std::string> names = threadClassNames(profile);
  Scaling scaling;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    if (!scales[i])
      continue;
    scaling.names.push_back(names[i]);
    scaling.aliveNs += threads.aliveNs;
    scaling.threads += std::max(threads.maxAlive, 1u);
    scaling.hasMain = scaling.hasMain || threads.isMain;
  }
  return scaling;
}

/// Divides the run as it was recorded, with hooks.
Run dividedRun(const Profile &profile, const std::vector<bool> &scales, const Scaling &scaling,
               const TimeAtEnds &atEnds) {
  Run run;
  double wholeNs = profile.durationNs;
  if (scaling.hasMain) {
    const double overcountedNs = std::min(overcountedBeginningNs(profile, scales),
                                          (1 - profile.recordedShare()) * atEnds.leftOutNs);
    wholeNs -= overcountedNs;
    run.serialNs = std::min(atEnds.leftOutNs - overcountedNs, wholeNs);
    run.serial = scaling.names.front() + " before and after what it repeats";
  } else {
    double mainBlockedNs = 0;
    for (const ProfiledThreadClass &threads : profile.threadClasses)
      mainBlockedNs += threads.isMain ? threads.blockedNs : 0;
    // Classes may have come one after the other; main lives beside all of them.
    const double atATime = profile.maxThreads > 1
                               ? std::min(scaling.threads, profile.maxThreads - 1.0)
                               : scaling.threads;
    const double together =
        std::max(scaling.aliveNs / atATime, std::min(mainBlockedNs, scaling.aliveNs));
    run.serialNs = wholeNs - std::min(together, wholeNs);
    run.serial =
        fmt::format("what main does while there is no {}", fmt::join(scaling.names, " or "));
    const double mean = std::min(atATime, scaling.aliveNs / together);
    run.threads = std::max(1, static_cast<int>(std::lround(mean)));
  }
  run.parallelNs = wholeNs - run.serialNs;
  return run;
}

} // namespace

double busyNs(const ProfiledThreadClass &threads) {
  return (threads.aliveNs - threads.blockedNs) / std::max(1u, threads.maxAlive);
}

std::optional<Run> measuredRun(const Profile &profile, const std::vector<bool> &scales,
                               const TimeAtEnds &atEnds, bool isGuess) {
  const Scaling scaling = scalingClasses(profile, scales);
  if (profile.durationNs <= 0 || scaling.aliveNs <= 0 ||
      (scaling.hasMain && scaling.names.size() > 1))
    return std::nullopt;
  Run run = dividedRun(profile, scales, scaling, atEnds);
  if (run.parallelNs <= 0)
    return std::nullopt;
  const Work work = workOf(profile, scales, run.parallelNs);
  const double onProcessors = computingThreads(profile, run, profile.onProcessorNs);
  const double computing =
      computingThreads(profile, run, profile.onProcessorNs + profile.runDelayNs);
  if (isGuess)
    run.guessedStages = std::clamp(guessedStagesNs(profile, scales) / run.parallelNs, 0.0, 1.0);

  // The parallel part is without hooks from here on, and so is all that follows.
  const double recordedNs = run.parallelNs, hooks = hooksNs(profile, scales);
  run.parallelNs -= hooks * (scaling.hasMain ? 1 : recordedNs / scaling.aliveNs);
  run.parallelNs = std::max(run.parallelNs, work.fixedNs);
  if (run.parallelNs <= 0)
    return std::nullopt;
  // Nobody would make threads for what repeats if that were little of the run.
  run.openSerial = scaling.hasMain ? run.serialShare() : 0;
  constexpr double leastFixed = 0.01;
  if (work.fixedNs >= leastFixed * run.parallelNs) {
    run.fixedWork = work.fixedNs / run.parallelNs;
    run.work = std::max(work.allNs, work.fixedNs) / run.parallelNs;
  }
  const auto withoutHooks = [&](double threads) {
    return profile.onProcessorNs + profile.runDelayNs > 0
               ? std::max(0.0, threads * recordedNs - hooks) / run.parallelNs
               : run.computingUnlessTold();
  };
  run.processors = withoutHooks(onProcessors);
  run.computing = withoutHooks(computing);
  const auto longest = [&](bool atBarrier) {
    return std::min(1.0, longestStretchesNs(profile, scales, atBarrier) / run.parallelNs);
  };
  run.longestStretch = longest(false);
  run.barrierStretch = longest(true);
  // The serial part may contain what main does once.
  double unsharedNs = scaling.hasMain ? atEnds.keptNs : 0;
  if (!scaling.hasMain || atEnds.leftOutNs == 0)
    unsharedNs += onceNs(profile, scales) / run.threads;
  if (profile.recordedShare() == 1)
    run.ends = std::min(1.0, unsharedNs / run.parallelNs);
  run.barriers = arrivalsAtBarriers(profile, scales) / run.threads;
  return run;
}

std::optional<RunCopies> measuredCopiesOf(const Profile &profile, const Machine &machine) {
  const std::vector<MeasuredCopies> all = measuredCopies(profile);
  if (all.empty())
    return std::nullopt;
  const auto here = std::find_if(all.begin(), all.end(), [&](const MeasuredCopies &one) {
    return machine.isMeasuredOn(one.cpu, static_cast<int>(one.processors));
  });
  const MeasuredCopies &found = here == all.end() ? all.front() : *here;
  RunCopies copies{found.cpu, static_cast<int>(found.processors), {}};
  for (const CopiesSlowdown &one : found.slowdowns)
    copies.rows.push_back({static_cast<int>(one.copies), one.factor, one.deviation});
  return copies;
}

} // namespace qdadvise
