// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Merge.h"

#include "runtime/profile_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

/// The members of one vector by what identifies them, across runs.
template <typename Key> class Registry {
public:
  /// The index of `key`, and whether it is new (then the caller appends to its vector).
  std::pair<std::size_t, bool> place(const Key &key) {
    const auto [at, isNew] = indices.try_emplace(key, indices.size());
    return {at->second, isNew};
  }

private:
  std::map<Key, std::size_t> indices;
};

auto identity(const ProfiledSite &site) {
  return std::tie(site.file, site.line, site.column, site.function, site.expression, site.ordinal,
                  site.lockName, site.lockType, site.declFile, site.declLine, site.declColumn,
                  site.role, site.kind, site.flags, site.sectionHash, site.facts, site.caller);
}

auto identity(const ProfiledLockClass &lock) {
  return std::tie(lock.name, lock.type, lock.declFile, lock.declLine, lock.declColumn, lock.kind);
}

auto identity(const ProfiledThreadClass &thread) {
  return std::tie(thread.name, thread.file, thread.line, thread.isMain);
}

/// The values of a tuple of references.
template <typename... Fields> std::tuple<Fields...> ownCopy(std::tuple<const Fields &...> fields) {
  return fields;
}

class Merger {
public:
  void add(const Profile &run);
  Profile profile;

private:
  void addRun(const Profile &run);
  void addSites(const Profile &run);
  void addLocks(const Profile &run);
  void addThreadClasses(const Profile &run);
  void addSections(const Profile &run);
  std::size_t sectionOf(const Profile &run, std::size_t section);
  void addTransitions(const Profile &run);
  void addWindows(const Profile &run, double startNs);

  template <typename Member> using KeyOf = decltype(ownCopy(identity(std::declval<Member &>())));
  using OptionalIndex = std::optional<std::size_t>;

  Registry<KeyOf<const ProfiledSite>> sites;
  Registry<KeyOf<const ProfiledLockClass>> lockClasses;
  Registry<KeyOf<const ProfiledThreadClass>> threadClasses;
  Registry<std::pair<std::size_t, std::int64_t>> locks;        ///< class; rank, or -1 for the rest
  Registry<std::pair<std::size_t, std::uint32_t>> closedLocks; ///< class, bucket
  Registry<std::tuple<std::size_t, std::size_t, std::size_t, OptionalIndex, bool, bool>> sections;
  Registry<std::tuple<std::size_t, OptionalIndex, OptionalIndex>> transitions;
  std::size_t runs = 0;

  // Of the run being added: its indices to ours.
  std::vector<std::size_t> siteMap, lockClassMap, threadClassMap;
  std::vector<OptionalIndex> sectionMap;
};

void Merger::add(const Profile &run) {
  const double startNs = profile.durationNs;
  addRun(run);
  addSites(run);
  addLocks(run);
  addThreadClasses(run);
  addSections(run);
  addTransitions(run);
  addWindows(run, startNs);
  ++runs;
}

void Merger::addRun(const Profile &run) {
  if (runs == 0) {
    profile.program = run.program;
    profile.host = run.host;
    profile.command = run.command;
    profile.flags = run.flags;
    profile.pid = run.pid;
    profile.startUnixNs = run.startUnixNs;
    profile.ticksPerNs = run.ticksPerNs;
    profile.timerNs = run.timerNs;
  } else {
    const auto join = [](std::string &ours, const std::string &theirs) {
      if (ours != theirs)
        ours = std::min(ours, theirs);
    };
    join(profile.program, run.program);
    join(profile.host, run.host);
    join(profile.command, run.command);
    // A second thread must have existed in every run to be sure of it.
    const std::uint32_t threaded = profile.flags & run.flags & format::runThreaded;
    profile.flags = ((profile.flags | run.flags) & ~format::runThreaded) | threaded;
    profile.pid = profile.pid == run.pid ? run.pid : 0;
    profile.startUnixNs = std::min(profile.startUnixNs, run.startUnixNs);
    profile.timerNs = std::max(profile.timerNs, run.timerNs);
  }
  const double events = static_cast<double>(profile.events + run.events);
  if (events > 0)
    profile.hookNs += (run.hookNs - profile.hookNs) * (static_cast<double>(run.events) / events);
  profile.durationNs += run.durationNs;
  profile.events += run.events;
  profile.dropped += run.dropped;
  profile.unmatched += run.unmatched;
  profile.otherSections += run.otherSections;
  profile.otherLocks += run.otherLocks;
  profile.maxThreads = std::max(profile.maxThreads, run.maxThreads);
  profile.threadsTotal += run.threadsTotal;
}

void Merger::addSites(const Profile &run) {
  siteMap.clear();
  for (const ProfiledSite &site : run.sites) {
    const auto [index, isNew] = sites.place(ownCopy(identity(site)));
    siteMap.push_back(index);
    if (isNew) {
      profile.sites.push_back(site);
      continue;
    }
    ProfiledSite &ours = profile.sites[index];
    ours.executed += site.executed;
    ours.inside += site.inside;
    ours.tryFailures += site.tryFailures;
  }
}

void Merger::addLocks(const Profile &run) {
  lockClassMap.clear();
  for (const ProfiledLockClass &lockClass : run.lockClasses) {
    const auto [index, isNew] = lockClasses.place(ownCopy(identity(lockClass)));
    lockClassMap.push_back(index);
    if (isNew)
      profile.lockClasses.push_back(lockClass);
    else
      profile.lockClasses[index].readers.merge(lockClass.readers);
  }

  std::vector<const ProfiledLock *> busiestFirst;
  for (const ProfiledLock &lock : run.locks)
    busiestFirst.push_back(&lock);
  std::sort(busiestFirst.begin(), busiestFirst.end(),
            [](const ProfiledLock *a, const ProfiledLock *b) {
              return std::tie(b->acquisitions, a->address) < std::tie(a->acquisitions, b->address);
            });
  std::map<std::size_t, std::int64_t> nextRank;
  for (const ProfiledLock *lock : busiestFirst) {
    const std::size_t lockClass = lockClassMap[lock->lockClass];
    const std::int64_t rank = lock->address == 0 ? -1 : nextRank[lockClass]++;
    const auto [index, isNew] = locks.place({lockClass, rank});
    if (isNew)
      profile.locks.push_back({lockClass, lock->address, 0, 0, 0, 0});
    ProfiledLock &ours = profile.locks[index];
    ours.acquisitions += lock->acquisitions;
    ours.contended += lock->contended;
    ours.heldNs += lock->heldNs;
    ours.waitNs += lock->waitNs;
  }
  // The average of a sum of two lies between theirs, so that it is of the same bucket.
  for (const ProfiledInstances &some : run.closedLocks) {
    const std::size_t lockClass = lockClassMap[some.lockClass];
    const auto [index, isNew] = closedLocks.place({lockClass, some.bucket});
    if (isNew)
      profile.closedLocks.push_back({lockClass, some.bucket, 0, 0, 0, 0, 0});
    ProfiledInstances &ours = profile.closedLocks[index];
    ours.instances += some.instances;
    ours.acquisitions += some.acquisitions;
    ours.contended += some.contended;
    ours.heldNs += some.heldNs;
    ours.waitNs += some.waitNs;
  }
}

void Merger::addThreadClasses(const Profile &run) {
  threadClassMap.clear();
  for (const ProfiledThreadClass &thread : run.threadClasses) {
    const auto [index, isNew] = threadClasses.place(ownCopy(identity(thread)));
    threadClassMap.push_back(index);
    if (isNew) {
      profile.threadClasses.push_back(thread);
      continue;
    }
    ProfiledThreadClass &ours = profile.threadClasses[index];
    ours.count += thread.count;
    ours.maxAlive = std::max(ours.maxAlive, thread.maxAlive);
    ours.aliveNs += thread.aliveNs;
    ours.blockedNs += thread.blockedNs;
  }
}

void Merger::addSections(const Profile &run) {
  sectionMap.assign(run.sections.size(), std::nullopt);
  for (std::size_t i = 0; i < run.sections.size(); ++i) {
    const ProfiledSection &section = run.sections[i];
    ProfiledSection &ours = profile.sections[sectionOf(run, i)];
    ours.acquisitions += section.acquisitions;
    ours.contended += section.contended;
    ours.tryFailures += section.tryFailures;
    ours.hold.merge(section.hold);
    ours.wait.merge(section.wait);
    ours.waitContended.merge(section.waitContended);
    ours.contendedByWriter += section.contendedByWriter;
    ours.waitByWriter.merge(section.waitByWriter);
    ours.holdHistogram.merge(section.holdHistogram);
    ours.waitHistogram.merge(section.waitHistogram);
  }
}

/// Our index of a section, outer sections first: they are part of what identifies it.
std::size_t Merger::sectionOf(const Profile &run, std::size_t section) {
  std::vector<std::size_t> inwards{section};
  while (!sectionMap[inwards.back()] && run.sections[inwards.back()].inside)
    inwards.push_back(*run.sections[inwards.back()].inside);
  for (; !inwards.empty(); inwards.pop_back()) {
    OptionalIndex &ours = sectionMap[inwards.back()];
    if (ours)
      continue;
    const ProfiledSection &theirs = run.sections[inwards.back()];
    ProfiledSection empty;
    empty.threadClass = threadClassMap[theirs.threadClass];
    empty.site = siteMap[theirs.site];
    empty.lockClass = lockClassMap[theirs.lockClass];
    empty.inside = theirs.inside ? sectionMap[*theirs.inside] : std::nullopt;
    empty.shared = theirs.shared;
    empty.other = theirs.other;
    const auto [index, isNew] = sections.place(
        {empty.threadClass, empty.site, empty.lockClass, empty.inside, empty.shared, empty.other});
    ours = index;
    if (isNew)
      profile.sections.push_back(std::move(empty));
  }
  return *sectionMap[section];
}

void Merger::addTransitions(const Profile &run) {
  for (const ProfiledTransition &transition : run.transitions) {
    const std::size_t threadClass = threadClassMap[transition.threadClass];
    const OptionalIndex from = transition.from ? sectionMap[*transition.from] : std::nullopt;
    const OptionalIndex to = transition.to ? sectionMap[*transition.to] : std::nullopt;
    const auto [index, isNew] = transitions.place({threadClass, from, to});
    if (isNew)
      profile.transitions.push_back({threadClass, from, to, {}, {}, {}});
    ProfiledTransition &ours = profile.transitions[index];
    ours.local.merge(transition.local);
    ours.blocked.merge(transition.blocked);
    ours.localHistogram.merge(transition.localHistogram);
  }
}

void Merger::addWindows(const Profile &run, double startNs) {
  for (ProfiledWindow window : run.windows) {
    window.startNs += startNs;
    for (ProfiledWindow::Section &section : window.sections)
      section.section = *sectionMap[section.section];
    for (ProfiledWindow::Threads &threads : window.threads)
      threads.threadClass = threadClassMap[threads.threadClass];
    profile.windows.push_back(std::move(window));
  }
}

} // namespace

Expected<Profile> mergeProfiles(std::vector<Profile> profiles) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string, std::size_t>> order;
  if (profiles.size() > 1)
    for (std::size_t i = 0; i < profiles.size(); ++i)
      order.emplace_back(profiles[i].startUnixNs, profiles[i].pid, encodeProfile(profiles[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Profile> ordered;
  for (const auto &entry : order)
    ordered.push_back(std::move(profiles[std::get<3>(entry)]));
  return mergeInOrder(order.empty() ? profiles : ordered);
}

Expected<Profile> mergeInOrder(const std::vector<Profile> &profiles) {
  if (profiles.empty())
    return makeError("no profile given");
  Merger merger;
  for (const Profile &profile : profiles) {
    if ((profile.flags ^ profiles.front().flags) & format::runCountersOnly)
      return makeError(fmt::format(
          "profiles with and without times (counters_only) cannot be merged: pid {} of {}; "
          "`qdadvise merge --visits` takes those that only count",
          profile.pid, profile.program));
    merger.add(profile);
  }
  return std::move(merger.profile);
}

} // namespace qdadvise
