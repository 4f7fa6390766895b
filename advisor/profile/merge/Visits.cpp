// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Visits.h"

#include "advisor/profile/Names.h"
#include "advisor/profile/merge/Merge.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>
#include <tuple>

namespace qdadvise {
namespace {

/// With fewer observations nobody can tell an interrupt from a section that takes long: then those
/// of the other run say more.
constexpr std::uint64_t fewestTimes = 30;

bool saysMore(const Moments &other, const Moments &found) {
  return found.count < fewestTimes && other.count > found.count;
}

/// The profile as if the program had not run yet.
Profile withoutFigures(Profile profile) {
  profile.durationNs = profile.slicedNs = profile.onProcessorNs = profile.runDelayNs = 0;
  profile.events = profile.dropped = profile.unmatched = 0;
  profile.otherSections = profile.otherLocks = 0;
  for (ProfiledSite &site : profile.sites)
    site.executed = site.inside = site.tryFailures = 0;
  for (ProfiledLockClass &lockClass : profile.lockClasses)
    lockClass.readers = {};
  for (ProfiledLock &lock : profile.locks)
    lock = {lock.lockClass, lock.address, 0, 0, 0, 0};
  profile.closedLocks.clear();
  profile.takers.clear();
  for (ProfiledThreadClass &threads : profile.threadClasses) {
    threads.count = threads.maxAlive = 0;
    threads.aliveNs = threads.blockedNs = 0;
  }
  for (ProfiledSection &section : profile.sections) {
    section.acquisitions = section.contended = section.tryFailures = section.contendedByWriter = 0;
    section.hold = section.wait = section.waitContended = section.waitByWriter = {};
    section.holdHistogram = section.waitHistogram = {};
  }
  for (ProfiledTransition &transition : profile.transitions) {
    transition.local = transition.blocked = {};
    transition.localHistogram = {};
    transition.barriers = 0;
  }
  profile.windows.clear();
  profile.unseen.clear();
  profile.copies.clear();
  return profile;
}

/// Moments of `times` observations that are like the given ones.
Moments scaled(const Moments &moments, std::uint64_t times) {
  return {times, moments.mean, moments.variance() * static_cast<double>(times), moments.min,
          moments.max};
}

struct Local {
  Moments local, blocked;
};

/// Joins two profiles with the same indices.
class Joiner {
public:
  Joiner(Profile timedRun, Profile countingRun, bool countingHasTimes)
      : timed(std::move(timedRun)), counting(std::move(countingRun)), hasTimes(countingHasTimes) {}

  ProfileWithVisits join() {
    result = timed;
    joinTotals();
    joinLocks();
    joinSections();
    joinTransitions();
    return {std::move(result), std::move(notes)};
  }

private:
  void joinTotals() {
    result.maxThreads = counting.maxThreads;
    result.threadsTotal = counting.threadsTotal;
    result.dropped += counting.dropped;
    result.unmatched += counting.unmatched;
    result.otherSections = counting.otherSections;
    result.otherLocks = counting.otherLocks;
    result.unseen = counting.unseen;
    for (std::size_t i = 0; i < result.sites.size(); ++i) {
      result.sites[i].executed = counting.sites[i].executed;
      result.sites[i].inside = counting.sites[i].inside;
      result.sites[i].tryFailures = counting.sites[i].tryFailures;
    }
    for (std::size_t i = 0; i < result.threadClasses.size(); ++i) {
      ProfiledThreadClass &threads = result.threadClasses[i];
      threads.count = counting.threadClasses[i].count;
      threads.maxAlive = counting.threadClasses[i].maxAlive;
      if (timed.threadClasses[i].count == 0)
        threads.aliveNs = threads.blockedNs = 0;
    }
  }

  void joinLocks() {
    for (std::size_t i = 0; i < result.lockClasses.size(); ++i) {
      result.lockClasses[i].readers.most = counting.lockClasses[i].readers.most;
      result.lockClasses[i].closedRuns = counting.lockClasses[i].closedRuns;
    }
    std::vector<ProfiledLock> locks;
    for (std::size_t i = 0; i < result.locks.size(); ++i) {
      ProfiledLock lock = result.locks[i];
      lock.acquisitions = counting.locks[i].acquisitions;
      lock.contended = counting.locks[i].contended;
      if (lock.acquisitions > 0)
        locks.push_back(lock);
    }
    result.locks = std::move(locks);
    result.closedLocks = counting.closedLocks;
    result.takers = counting.takers;
  }

  using Place = std::tuple<std::size_t, std::size_t, bool>;
  static Place placeOf(const ProfiledSection &section) {
    return {section.site, section.lockClass, section.shared};
  }
  std::optional<Place> placeOf(const std::optional<std::size_t> &section) const {
    return section ? std::optional(placeOf(timed.sections[*section])) : std::nullopt;
  }

  void joinSections() {
    const std::vector<std::string> names = siteNames(result);
    std::set<std::string> unknown;
    for (std::size_t i = 0; i < result.sections.size(); ++i) {
      ProfiledSection &section = result.sections[i];
      const ProfiledSection &counted = counting.sections[i];
      section.acquisitions = counted.acquisitions;
      section.contended = counted.contended;
      section.tryFailures = counted.tryFailures;
      section.contendedByWriter = counted.contendedByWriter;
      if (section.acquisitions == 0) {
        section.hold = section.wait = section.waitContended = section.waitByWriter = {};
        section.holdHistogram = section.waitHistogram = {};
        continue;
      }
      if (section.hold.count == 0)
        for (const ProfiledSection &other : timed.sections)
          if (placeOf(other) == placeOf(section)) {
            section.hold.merge(other.hold);
            section.holdHistogram.merge(other.holdHistogram);
          }
      if (hasTimes && saysMore(counted.hold, section.hold)) {
        section.hold = counted.hold;
        section.holdHistogram = counted.holdHistogram;
      }
      if (section.hold.count == 0 && !section.other)
        unknown.insert(names[section.site]);
    }
    if (!unknown.empty())
      notes.push_back(fmt::format("counted, but never timed, so that their holding times are not "
                                  "known: {}; record that run with times for --visits",
                                  fmt::join(unknown, ", ")));
  }

  /// Pools the times of all transitions for which a test holds.
  template <typename Test> Local pooled(const Test &test) const {
    Local sum;
    for (const ProfiledTransition &transition : timed.transitions)
      if (transition.local.count > 0 && test(transition)) {
        sum.local.merge(transition.local);
        sum.blocked.merge(transition.blocked);
      }
    return sum;
  }

  /// The time of the `index`th transition of both, from the best source.
  Local timeOf(std::size_t index, std::uint64_t &guessed) const {
    const ProfiledTransition &wanted = timed.transitions[index];
    const std::optional<Place> from = placeOf(wanted.from), to = placeOf(wanted.to);
    Local found{wanted.local, wanted.blocked};
    if (found.local.count == 0)
      found = pooled([&](const ProfiledTransition &other) {
        return placeOf(other.from) == from && placeOf(other.to) == to;
      });
    if (const Local other{counting.transitions[index].local, counting.transitions[index].blocked};
        hasTimes && saysMore(other.local, found.local))
      return other;
    if (found.local.count > 0)
      return found;
    guessed += counting.transitions[index].local.count;
    const std::function<bool(const ProfiledTransition &)> tests[] = {
        [&](const auto &other) { return from && to && other.to && placeOf(other.from) == from; },
        [&](const auto &other) { return from && to && other.from && placeOf(other.to) == to; },
        [&](const auto &other) { return other.from && other.to; },
    };
    for (const auto &test : tests)
      if (found = pooled(test); found.local.count > 0)
        return {found.local, {}};
    return {};
  }

  void joinTransitions() {
    std::vector<ProfiledTransition> transitions;
    std::uint64_t guessed = 0, all = 0;
    for (std::size_t i = 0; i < timed.transitions.size(); ++i) {
      const std::uint64_t times = counting.transitions[i].local.count;
      if (times == 0)
        continue;
      all += times;
      const ProfiledTransition &ends = timed.transitions[i];
      const Local time = timeOf(i, guessed);
      // There is no histogram, since only the counts of the timed run itself tell outliers.
      transitions.push_back({ends.threadClass,
                             ends.from,
                             ends.to,
                             scaled(time.local, times),
                             scaled(time.blocked, times),
                             {},
                             counting.transitions[i].barriers});
    }
    result.transitions = std::move(transitions);
    if (guessed > 0)
      notes.push_back(fmt::format(
          "{} of the ways from section to section were counted, but never timed: their local "
          "times are taken for those of the ways beside them; record that run with times for "
          "--visits",
          formatPercent(static_cast<double>(guessed) / static_cast<double>(all))));
  }

  const Profile timed, counting;
  const bool hasTimes;
  Profile result;
  std::vector<std::string> notes;
};

} // namespace

Expected<ProfileWithVisits> withVisits(const Profile &timed, const Profile &counting) {
  if (timed.flags & format::runCountersOnly)
    return makeError("there is no run with times among the profiles: record one, and "
                     "give those that only count with --visits");
  const bool hasTimes = (counting.flags & format::runCountersOnly) == 0;
  Profile first = timed, second = counting;
  // Each gets the sites of the other, so that an index means the same site in both.
  second.flags = first.flags;
  Expected<Profile> figures = mergeInOrder({first, withoutFigures(second)});
  Expected<Profile> visits = mergeInOrder({withoutFigures(first), second});
  if (!figures || !visits)
    return Unexpected(figures ? visits.error() : figures.error());
  constexpr std::uint32_t ofCounts = format::runCountsUnseen;
  figures->flags = (timed.flags & ~ofCounts) | (counting.flags & ofCounts);
  const bool related =
      std::any_of(timed.sites.begin(), timed.sites.end(), [&](const ProfiledSite &site) {
        return std::any_of(counting.sites.begin(), counting.sites.end(), [&](const auto &other) {
          return site.file == other.file && site.function == other.function;
        });
      });
  if (!related)
    return makeError(fmt::format("the run of '{}' for --visits has no site in common with '{}': "
                                 "both have to be of one program",
                                 counting.program, timed.program));
  return Joiner(std::move(*figures), std::move(*visits), hasTimes).join();
}

} // namespace qdadvise
