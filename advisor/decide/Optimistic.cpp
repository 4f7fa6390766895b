// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Optimistic.h"

#include "advisor/support/Ratio.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace qdadvise {
namespace {

/// C(A, B) is 0.5 where B writes to what A accesses: A may as well be through before B is.
double pairwise(std::uint64_t conflicts, std::uint64_t pairs) {
  return 0.5 * ratio(static_cast<double>(conflicts), static_cast<double>(pairs));
}

/// Waiting and holding times of one thread class.
struct Times {
  double waitNs = 0, sectionNs = 0;
};
using TimesOfClasses = std::map<std::size_t, Times>;

TimesOfClasses timesOf(const Profile &profile, const std::vector<double> &heldNs,
                       const std::function<bool(const ProfiledSection &)> &belongs) {
  TimesOfClasses times;
  for (std::size_t i = 0; i < profile.sections.size(); ++i) {
    const ProfiledSection &section = profile.sections[i];
    if (section.acquisitions == 0 || !belongs(section))
      continue;
    times[section.threadClass].waitNs += section.waitContended.sum();
    times[section.threadClass].sectionNs += heldNs[i];
  }
  return times;
}

/// Who finds the lock taken waits for one execution at least, though only for the rest of it.
/// There are never more to run beside one than other threads, however long some had to wait.
double waitsOf(const Measured &measured, double meanHeldNs, double otherThreads) {
  const double each = ratio(measured.waitContended.mean, meanHeldNs);
  return std::min(measured.contentionRate() * std::max(each, 1.0), std::max(otherThreads, 1.0));
}

double awakeNs(const ProfiledThreadClass &threads) { return threads.aliveNs - threads.blockedNs; }

OptimisticSections sectionsOf(const Profile &profile, double waits, const Conflicts &conflicts,
                              const TimesOfClasses &times) {
  OptimisticSections result;
  result.conflicts = conflicts;
  result.waits = waits;
  result.conflict = conflictAt(conflicts.probability, waits);
  result.lineConflict = conflictAt(conflicts.lineProbability, waits);
  for (const auto &[threadClass, time] : times) {
    const double ns = awakeNs(profile.threadClasses[threadClass]);
    OptimisticThreads threads{threadClass,
                              std::min(1.0, ratio(time.waitNs, ns)),
                              std::min(1.0, ratio(time.sectionNs, ns)),
                              {}};
    threads.gain = optimisticGain(result.conflict, threads.waitShare, threads.sectionShare);
    result.threads.push_back(threads);
  }
  return result;
}

} // namespace

std::optional<Conflicts> conflictsOf(const SectionMemory &memory) {
  const bool otherThreads = memory.others.pairs > 0;
  const format::ConflictPairs &compared = otherThreads ? memory.others : memory.own;
  const format::WriterPairs &ofWriters =
      otherThreads ? memory.othersOfWriters : memory.ownOfWriters;
  if (compared.pairs == 0)
    return std::nullopt;
  const auto in = [](std::uint64_t sum, std::uint64_t conflicts) {
    return ratio(static_cast<double>(sum), static_cast<double>(conflicts));
  };
  return Conflicts{otherThreads,
                   static_cast<double>(compared.pairs),
                   pairwise(compared.conflicts, compared.pairs),
                   pairwise(ofWriters.conflicts, ofWriters.pairs),
                   pairwise(compared.lineConflicts, compared.pairs),
                   in(compared.locations, compared.conflicts),
                   in(compared.lines, compared.lineConflicts)};
}

double conflictAt(double pairwise, double waits) { return 1 - std::pow(1 - pairwise, waits); }

OptimisticGain optimisticGain(double conflict, double waitShare, double sectionShare) {
  // Without any time in the sections there is nothing to repeat.
  const double repeated = sectionShare <= 0 ? 0
                          : conflict >= 1   ? std::numeric_limits<double>::infinity()
                                            : sectionShare * conflict / (1 - conflict);
  return {1 / (1 + repeated - waitShare), std::max(waitShare - repeated, 0.0)};
}

const OptimisticSite *OptimisticLock::find(std::size_t site, bool shared) const {
  const auto found = std::find_if(sites.begin(), sites.end(), [&](const OptimisticSite &one) {
    return one.site == site && one.shared == shared;
  });
  return found == sites.end() ? nullptr : &*found;
}

const OptimisticLock *OptimisticProgram::find(std::size_t lockClass) const {
  const auto found = std::find_if(locks.begin(), locks.end(), [&](const OptimisticLock &one) {
    return one.lockClass == lockClass;
  });
  return found == locks.end() ? nullptr : &*found;
}

std::optional<OptimisticProgram> optimisticProgram(const Profile &profile,
                                                   const ProfileSummary &summary) {
  if (profile.flags & format::runCountersOnly)
    return std::nullopt;
  const std::vector<double> heldNs = timesHeld(profile);
  OptimisticProgram program;
  double savedNs = 0;
  for (const LockSummary &lock : summary.locks) {
    const std::optional<Conflicts> conflicts =
        lock.measured.memory ? conflictsOf(*lock.measured.memory) : std::nullopt;
    if (!conflicts)
      continue;
    const TimesOfClasses times = timesOf(profile, heldNs, [&](const ProfiledSection &section) {
      return section.lockClass == lock.lockClass;
    });
    std::uint32_t threads = 0;
    for (const auto &[threadClass, time] : times)
      threads += profile.threadClasses[threadClass].maxAlive;
    threads = std::min(threads, profile.maxThreads);
    const double meanHeldNs =
        ratio(lock.measured.heldNs, static_cast<double>(lock.measured.acquisitions));
    const auto waits = [&](const Measured &measured) {
      return waitsOf(measured, meanHeldNs, static_cast<double>(threads) - 1);
    };
    OptimisticLock &found = program.locks.emplace_back(OptimisticLock{
        sectionsOf(profile, waits(lock.measured), *conflicts, times), lock.lockClass, {}});
    for (const OptimisticThreads &of : found.threads)
      savedNs += of.gain.benefit * awakeNs(profile.threadClasses[of.threadClass]);
    for (const SiteSummary &site : lock.sites) {
      const std::optional<Conflicts> own =
          site.measured.memory ? conflictsOf(*site.measured.memory) : std::nullopt;
      if (!own)
        continue;
      found.sites.push_back({sectionsOf(profile, waits(site.measured), *own,
                                        timesOf(profile, heldNs,
                                                [&](const ProfiledSection &section) {
                                                  return section.lockClass == lock.lockClass &&
                                                         section.site == site.site &&
                                                         section.shared == site.shared;
                                                })),
                             site.site, site.shared});
    }
  }
  if (program.locks.empty())
    return std::nullopt;
  program.efficiency = std::min(1.0, ratio(savedNs, summary.awakeNs));
  program.speedup = 1 / (1 - program.efficiency);
  return program;
}

} // namespace qdadvise
