// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Summary.h"

#include "advisor/profile/Names.h"
#include "advisor/profile/summary/ClosedLocks.h"
#include "advisor/profile/summary/Takers.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

template <typename Summary> void sortByTimeHeld(std::vector<Summary> &summaries) {
  std::sort(summaries.begin(), summaries.end(), [](const Summary &a, const Summary &b) {
    return std::tie(b.measured.heldNs, b.measured.acquisitions, a.name) <
           std::tie(a.measured.heldNs, a.measured.acquisitions, b.name);
  });
}

/// Whether a critical section begins where the site is executed. The body of a wrapper takes a lock
/// for its callers, which are sites themselves where their source is known.
bool takesLock(const ProfiledSite &site) {
  const auto role = static_cast<SiteRole>(site.role);
  return (role == SiteRole::acquire || role == SiteRole::wait || role == SiteRole::wrapper) &&
         (site.flags & (siteByCaller | siteInner)) == 0;
}

/// Adds how the traffic of each class spreads over its locks.
void addTraffic(const Profile &profile, std::vector<LockSummary> &locks) {
  std::vector<std::map<unsigned, TrafficShare>> spread(locks.size());
  // Locks of equal traffic, the busiest first.
  std::vector<std::map<double, std::uint64_t, std::greater<>>> busiest(locks.size());
  const auto note = [&](const ProfiledInstances &some) {
    locks[some.lockClass].instances += some.instances;
    TrafficShare &share = spread[some.lockClass][some.bucket];
    share.acquisitionsFrom = std::uint64_t{1} << some.bucket;
    share.acquisitionsTo = 2 * share.acquisitionsFrom - 1;
    share.instances += some.instances;
    share.acquisitions += some.acquisitions;
    share.contended += some.contended;
    busiest[some.lockClass][static_cast<double>(some.acquisitions) /
                            static_cast<double>(some.instances)] += some.instances;
  };
  for (const ProfiledLock &lock : profile.locks) {
    if (lock.address == 0)
      locks[lock.lockClass].moreInstances = true;
    else if (lock.acquisitions == 0)
      ++locks[lock.lockClass].instances;
    else
      note({lock.lockClass, static_cast<std::uint32_t>(std::bit_width(lock.acquisitions) - 1), 1,
            lock.acquisitions, lock.contended, 0, 0});
  }
  for (const ProfiledInstances &some : closedLocksOfARun(profile))
    note(some);
  for (std::size_t i = 0; i < locks.size(); ++i) {
    double total = 0, sum = 0;
    for (const auto &[bucket, share] : spread[i]) {
      locks[i].distribution.push_back(share);
      total += static_cast<double>(share.acquisitions);
    }
    for (const auto &[each, count] : busiest[i]) {
      const double all = each * static_cast<double>(count);
      if (sum < total / 2)
        locks[i].halfTheTraffic += static_cast<std::uint64_t>(
            std::min(std::ceil((total / 2 - sum) / each), static_cast<double>(count)));
      sum += all;
    }
    locks[i].busiestShare = busiest[i].empty() ? 0 : busiest[i].begin()->first / total;
  }
}

double quantile(const Moments &moments, const Histogram &histogram, double p) {
  if (histogram.buckets.empty())
    return moments.mean;
  return std::clamp(histogram.quantile(p), std::min(moments.min, moments.max), moments.max);
}

} // namespace

std::vector<std::size_t> sitesNotExecuted(const Profile &profile) {
  std::vector<bool> entered(profile.sites.size(), false);
  for (const ProfiledSection &section : profile.sections)
    if (section.acquisitions > 0)
      entered[section.site] = true;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < profile.sites.size(); ++i) {
    const ProfiledSite &site = profile.sites[i];
    if (takesLock(site) && !entered[i] && site.executed + site.inside + site.tryFailures == 0)
      result.push_back(i);
  }
  return result;
}

/// A recorded holding time leaves out nested sections, during which the lock is held. So inner
/// holding and waiting times count for every section around them.
std::vector<double> timesHeld(const Profile &profile) {
  std::vector<double> held(profile.sections.size(), 0);
  for (const ProfiledSection &section : profile.sections) {
    const double inner = section.hold.sum() + section.wait.sum();
    for (std::optional<std::size_t> outer = section.inside; outer;
         outer = profile.sections[*outer].inside)
      held[*outer] += inner;
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] += profile.sections[i].hold.sum();
  return held;
}

void addSection(Measured &sum, const ProfiledSection &section) {
  sum.acquisitions += section.acquisitions;
  sum.contended += section.contended;
  sum.hold.merge(section.hold);
  sum.holdHistogram.merge(section.holdHistogram);
  sum.wait.merge(section.wait);
  sum.waitHistogram.merge(section.waitHistogram);
  sum.waitContended.merge(section.waitContended);
  sum.contendedByWriter += section.contendedByWriter;
  sum.waitByWriter.merge(section.waitByWriter);
  if (section.memory)
    (sum.memory ? *sum.memory : sum.memory.emplace()).merge(*section.memory);
}

double Measured::holdQuantile(double p) const { return quantile(hold, holdHistogram, p); }
double Measured::waitQuantile(double p) const { return quantile(wait, waitHistogram, p); }

std::string unseenLocks(const Profile &profile) {
  constexpr std::size_t most = 5;
  std::vector<ProfiledUnseen> modules = profile.unseen;
  std::sort(modules.begin(), modules.end(), [](const ProfiledUnseen &a, const ProfiledUnseen &b) {
    return std::tie(b.acquisitions, a.module) < std::tie(a.acquisitions, b.module);
  });
  std::vector<std::string> items;
  std::uint64_t rest = 0;
  for (const ProfiledUnseen &one : modules) {
    if (items.size() == most) {
      rest += one.acquisitions;
      continue;
    }
    const std::string itself = one.module == profile.program ? " itself" : "";
    items.push_back(fmt::format("{}{}{} {}", baseName(one.module), itself,
                                items.empty() ? " took locks" : "",
                                plural(one.acquisitions, "time")));
  }
  if (rest > 0)
    items.push_back(
        fmt::format("{} {}", plural(modules.size() - most, "more module"), plural(rest, "time")));
  return items.empty() ? ""
                       : fmt::format("not seen: {}, where there are no hooks: code of another "
                                     "compiler, or that was not built for recording",
                                     enumerated(items));
}

std::string runDelay(const Profile &profile) {
  return profile.isDelayed()
             ? fmt::format("threads waited for a processor for {:.0f} % of the time in which they "
                           "could have run: long times contain that",
                           100 * profile.runDelayShare())
             : "";
}

std::vector<std::string> shortcomings(const Profile &profile) {
  std::vector<std::string> lines;
  const auto say = [&](std::uint64_t count, const std::string &what) {
    if (count > 0)
      lines.push_back(fmt::format("{} {}", count, what));
  };
  say(profile.dropped, "events were dropped: the figures are too low");
  say(profile.unmatched, "releases without their acquisition, or acquisitions without their "
                         "release: holding times are missing");
  say(profile.otherSections, "events fell into the bucket beyond max_sections");
  say(profile.otherLocks, "acquisitions were of locks beyond max_locks");
  if (!(profile.flags & format::runThreaded))
    lines.emplace_back("no second thread ever ran (threaded=0): the C library took its locks "
                       "without atomic operations, so times are too short");
  if (std::string delay = runDelay(profile); !delay.empty())
    lines.push_back(std::move(delay));
  if (const double share = profile.recordedShare(); share < 1)
    lines.push_back(fmt::format("a sample: {:.3g} s of {:.3g} s were recorded ({:.3g} %), in "
                                "slices; counts are those of the "
                                "recorded time, and what ran only outside of it is missing",
                                profile.durationNs * 1e-9, profile.slicedNs * 1e-9, 100 * share));
  if (profile.flags & format::runLacksCode)
    lines.emplace_back("some code is missing: another version of QDAdvise's plugin instrumented "
                       "it; compile it again with the plugin that came with the runtime");
  if (profile.flags & format::runLacksSlices)
    lines.emplace_back(
        "all of the time was recorded: no thread could be started for slices, or the "
        "program has forbidden itself system calls");
  if (profile.flags & format::runCountersOnly)
    lines.emplace_back("counters only: no times were taken");
  if (std::string unseen = unseenLocks(profile); !unseen.empty())
    lines.push_back(std::move(unseen));
  return lines;
}

ProfileSummary summarize(const Profile &profile) {
  const std::vector<std::string> names = lockNames(profile);
  const std::vector<std::string> places = siteNames(profile);
  std::vector<LockSummary> locks(profile.lockClasses.size());
  for (std::size_t i = 0; i < locks.size(); ++i) {
    locks[i].lockClass = i;
    locks[i].name = names[i];
    locks[i].kind = algorithmOfNumber(profile.lockClasses[i].kind);
    locks[i].ownedShare = ownedShare(profile, i);
    locks[i].readerWriter =
        locks[i].kind != LockKind::unknown && algorithmOf(locks[i].kind).sharesReads;
  }
  addTraffic(profile, locks);

  const std::vector<double> held = timesHeld(profile);
  std::vector<double> fromAcquireToRelease(locks.size(), 0);
  for (const ProfiledLock &lock : profile.locks)
    fromAcquireToRelease[lock.lockClass] += lock.heldNs;
  for (const ProfiledInstances &some : profile.closedLocks)
    fromAcquireToRelease[some.lockClass] += some.heldNs;
  // The mean over instances, since a class of a thousand idle locks is not busy.
  const auto utilization = [&](const LockSummary &lock, double heldNs) {
    const double instances = static_cast<double>(std::max<std::uint64_t>(lock.instances, 1));
    return profile.durationNs > 0 ? heldNs / profile.durationNs / instances : 0;
  };
  std::map<std::tuple<std::size_t, std::size_t, bool>, SiteSummary> sites;
  for (std::size_t i = 0; i < profile.sections.size(); ++i) {
    const ProfiledSection &section = profile.sections[i];
    if (section.acquisitions == 0 && section.tryFailures == 0)
      continue;
    LockSummary &lock = locks[section.lockClass];
    SiteSummary &site = sites[{section.lockClass, section.site, section.shared}];
    site.site = section.site;
    site.name = places[section.site];
    site.shared = section.shared;
    site.nested = site.nested || section.inside.has_value();
    site.tryFailures += section.tryFailures;
    lock.readerWriter = lock.readerWriter || section.shared;
    for (Measured *sum :
         {&site.measured, &lock.measured, section.shared ? &lock.readers : &lock.writers}) {
      addSection(*sum, section);
      sum->heldNs += held[i];
      sum->utilization += utilization(lock, held[i]);
    }
  }
  for (auto &[key, site] : sites)
    locks[std::get<0>(key)].sites.push_back(std::move(site));

  ProfileSummary summary;
  for (LockSummary &lock : locks) {
    if (lock.sites.empty())
      continue;
    lock.sharing = profile.lockClasses[lock.lockClass].readers;
    const double writersHeld =
        std::max(lock.writers.heldNs, fromAcquireToRelease[lock.lockClass] -
                                          std::max(lock.sharing.heldNs, lock.readers.heldNs));
    lock.heldBlockedNs = writersHeld - lock.writers.heldNs;
    lock.writers.heldNs = writersHeld;
    lock.writers.utilization = utilization(lock, writersHeld);
    // Without busy periods there is only the sum, in which simultaneous readers count separately.
    if (lock.sharing.busy.count > 0)
      lock.readers.utilization = utilization(lock, lock.sharing.busy.sum());
    lock.measured.heldNs = lock.readers.heldNs + lock.writers.heldNs;
    lock.measured.utilization = lock.readers.utilization + lock.writers.utilization;
    sortByTimeHeld(lock.sites);
    summary.locks.push_back(std::move(lock));
  }
  sortByTimeHeld(summary.locks);
  for (const LockSummary &lock : summary.locks)
    summary.waitedNs += lock.measured.waitContended.sum();
  for (const ProfiledThreadClass &threads : profile.threadClasses)
    summary.awakeNs += threads.aliveNs - threads.blockedNs;
  summary.notExecuted = sitesNotExecuted(profile);
  return summary;
}

std::vector<const ProfiledLock *> busiestLocks(const Profile &profile, std::size_t lockClass,
                                               std::size_t count) {
  std::vector<const ProfiledLock *> locks;
  for (const ProfiledLock &lock : profile.locks)
    if (lock.lockClass == lockClass && lock.address != 0)
      locks.push_back(&lock);
  std::sort(locks.begin(), locks.end(), [](const ProfiledLock *a, const ProfiledLock *b) {
    return std::tie(b->acquisitions, a->address) < std::tie(a->acquisitions, b->address);
  });
  locks.resize(std::min(count, locks.size()));
  return locks;
}

} // namespace qdadvise
