// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Merge.h"

#include "advisor/profile/Identity.h"
#include "advisor/profile/merge/CanonicalOrder.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

/// Finds the members of one vector by what identifies them across runs.
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

/// The values of a tuple of references.
template <typename... Fields> std::tuple<Fields...> ownCopy(std::tuple<const Fields &...> fields) {
  return fields;
}

} // namespace

class Merger {
public:
  Expected<void> add(const Profile &run);
  /// In the order of their first runs.
  Expected<Profile> finish();
  std::size_t runs = 0;

private:
  void addRun(const Profile &run);
  void addSites(const Profile &run);
  void addLocks(const Profile &run);
  void addThreadClasses(const Profile &run);
  void addTakers(const Profile &run);
  void addSections(const Profile &run);
  std::size_t sectionOf(const Profile &run, std::size_t section);
  void addTransitions(const Profile &run);
  void addWindows(const Profile &run);
  void addUnseen(const Profile &run);

  template <typename Member> using KeyOf = decltype(ownCopy(identity(std::declval<Member &>())));
  using OptionalIndex = std::optional<std::size_t>;

  Registry<KeyOf<const ProfiledSite>> sites;
  Registry<KeyOf<const ProfiledLockClass>> lockClasses;
  Registry<KeyOf<const ProfiledThreadClass>> threadClasses;
  Registry<std::pair<std::size_t, std::int64_t>> locks;        ///< class; rank, or -1 for the rest
  Registry<std::pair<std::size_t, std::uint32_t>> closedLocks; ///< class, bucket
  Registry<std::pair<std::size_t, OptionalIndex>> takers;      ///< lock class, thread class
  Registry<std::tuple<std::size_t, std::size_t, std::size_t, OptionalIndex, bool, bool>> sections;
  Registry<std::tuple<std::size_t, OptionalIndex, OptionalIndex>> transitions;
  Registry<std::string> modules;
  Profile profile;
  std::uint64_t firstStartUs = 0; ///< where our windows count from

  // From the indices of the run that is being added to those of the result.
  std::vector<std::size_t> siteMap, lockClassMap, threadClassMap;
  std::vector<OptionalIndex> sectionMap;
};

Expected<void> Merger::add(const Profile &run) {
  if (runs > 0 && ((profile.flags ^ run.flags) & format::runCountersOnly))
    return makeError(fmt::format("profiles with and without times cannot be merged: pid {} of {}; "
                                 "`qdadvise merge --visits` takes those that only count",
                                 run.pid, run.program));
  addRun(run);
  addSites(run);
  addLocks(run);
  addThreadClasses(run);
  addTakers(run);
  addSections(run);
  addTransitions(run);
  addWindows(run);
  addUnseen(run);
  profile.copies.insert(profile.copies.end(), run.copies.begin(), run.copies.end());
  ++runs;
  return {};
}

void Merger::addRun(const Profile &run) {
  if (runs == 0) {
    profile.program = run.program;
    profile.host = run.host;
    profile.command = run.command;
    profile.flags = run.flags;
    profile.pid = run.pid;
    profile.runs = run.runs;
    profile.startUnixNs = run.startUnixNs;
    firstStartUs = run.startUnixNs / 1000;
    profile.ticksPerNs = run.ticksPerNs;
    profile.timerNs = run.timerNs;
    profile.hookNs = run.hookNs;
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
    profile.runs = profile.runs > 0 && run.runs > 0 ? profile.runs + run.runs : 0;
    if (profile.runs == 0)
      profile.pid = 0; // or it would be taken for one run
    profile.startUnixNs = std::min(profile.startUnixNs, run.startUnixNs);
    profile.ticksPerNs = std::max(profile.ticksPerNs, run.ticksPerNs);
    profile.timerNs = std::max(profile.timerNs, run.timerNs);
  }
  // The mean over all events is added up as a sum of whole nanoseconds.
  const double hooksNs = addedNs(profile.hookNs * static_cast<double>(profile.events),
                                 run.hookNs * static_cast<double>(run.events));
  profile.events += run.events;
  if (runs > 0)
    profile.hookNs = profile.events > 0 ? hooksNs / static_cast<double>(profile.events)
                                        : std::max(profile.hookNs, run.hookNs);
  if (profile.slicedNs > 0 || run.slicedNs > 0) {
    const auto whole = [](const Profile &one) {
      return one.slicedNs > 0 ? one.slicedNs : one.durationNs;
    };
    profile.slicedNs = addedUs(whole(profile), whole(run));
  }
  profile.durationNs = addedUs(profile.durationNs, run.durationNs);
  profile.onProcessorNs = addedUs(profile.onProcessorNs, run.onProcessorNs);
  profile.runDelayNs = addedUs(profile.runDelayNs, run.runDelayNs);
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
    ours.reentered = ours.reentered || site.reentered;
  }
}

void Merger::addLocks(const Profile &run) {
  lockClassMap.clear();
  for (const ProfiledLockClass &lockClass : run.lockClasses) {
    const auto [index, isNew] = lockClasses.place(ownCopy(identity(lockClass)));
    lockClassMap.push_back(index);
    if (isNew) {
      profile.lockClasses.push_back(lockClass);
      profile.lockClasses.back().closedRuns = 0;
    } else {
      profile.lockClasses[index].readers.merge(lockClass.readers);
    }
  }
  std::vector<bool> closed(run.lockClasses.size(), false);
  for (const ProfiledInstances &some : run.closedLocks)
    closed[some.lockClass] = true;
  for (std::size_t i = 0; i < closed.size(); ++i)
    if (closed[i])
      profile.lockClasses[lockClassMap[i]].closedRuns +=
          std::max(run.lockClasses[i].closedRuns, 1u);

  std::vector<const ProfiledLock *> busiestFirst;
  for (const ProfiledLock &lock : run.locks)
    busiestFirst.push_back(&lock);
  // Class by class: a lock's index depends on the number of locks that each class has, and not on
  // which of them are busier. In merged profiles the order tells the rank, also of locks with equal
  // traffic.
  const auto order = [](const ProfiledLock *lock) {
    return std::tuple(lock->lockClass, lock->address == 0, ~lock->acquisitions, lock);
  };
  std::sort(busiestFirst.begin(), busiestFirst.end(),
            [&](const ProfiledLock *a, const ProfiledLock *b) { return order(a) < order(b); });
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
    ours.heldNs = addedNs(ours.heldNs, lock->heldNs);
    ours.waitNs = addedNs(ours.waitNs, lock->waitNs);
  }
  // The mean of two entries of one bucket lies between their means, thus in the same bucket.
  for (const ProfiledInstances &some : run.closedLocks) {
    const std::size_t lockClass = lockClassMap[some.lockClass];
    const auto [index, isNew] = closedLocks.place({lockClass, some.bucket});
    if (isNew)
      profile.closedLocks.push_back({lockClass, some.bucket, 0, 0, 0, 0, 0});
    ProfiledInstances &ours = profile.closedLocks[index];
    ours.instances += some.instances;
    ours.acquisitions += some.acquisitions;
    ours.contended += some.contended;
    ours.heldNs = addedNs(ours.heldNs, some.heldNs);
    ours.waitNs = addedNs(ours.waitNs, some.waitNs);
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
    ours.aliveNs = addedUs(ours.aliveNs, thread.aliveNs);
    ours.blockedNs = addedUs(ours.blockedNs, thread.blockedNs);
  }
}

void Merger::addTakers(const Profile &run) {
  for (const ProfiledTakers &some : run.takers) {
    const std::size_t lockClass = lockClassMap[some.lockClass];
    const OptionalIndex threadClass =
        some.threadClass ? OptionalIndex(threadClassMap[*some.threadClass]) : std::nullopt;
    const auto [index, isNew] = takers.place({lockClass, threadClass});
    if (isNew)
      profile.takers.push_back({lockClass, threadClass, 0, 0, 0, 0, 0, 0, 0});
    ProfiledTakers &ours = profile.takers[index];
    ours.runs += some.runs;
    ours.threads += some.threads;
    ours.owners += some.owners;
    ours.acquisitions += some.acquisitions;
    ours.ofOwned += some.ofOwned;
    ours.heldNs = addedNs(ours.heldNs, some.heldNs);
    ours.ofOwnedHeldNs = addedNs(ours.ofOwnedHeldNs, some.ofOwnedHeldNs);
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
    if (section.memory)
      (ours.memory ? *ours.memory : ours.memory.emplace()).merge(*section.memory);
  }
}

/// The index of a section in the result. Outer sections come first, since they help to identify it.
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
      profile.transitions.push_back({threadClass, from, to, {}, {}, {}, 0});
    ProfiledTransition &ours = profile.transitions[index];
    ours.local.merge(transition.local);
    ours.blocked.merge(transition.blocked);
    ours.barriers += transition.barriers;
    ours.localHistogram.merge(transition.localHistogram);
  }
}

/// Moves a time from one origin to another, in whole microseconds, so that repeated moves lose
/// nothing.
static double movedNs(double startNs, std::uint64_t fromUs, std::uint64_t toUs) {
  return addedUs(startNs, 1000 * static_cast<double>(static_cast<std::int64_t>(fromUs - toUs)));
}

/// Windows stay where they were in time.
void Merger::addWindows(const Profile &run) {
  for (ProfiledWindow window : run.windows) {
    window.startNs = movedNs(window.startNs, run.startUnixNs / 1000, firstStartUs);
    for (ProfiledWindow::Section &section : window.sections)
      section.section = *sectionMap[section.section];
    for (ProfiledWindow::Threads &threads : window.threads)
      threads.threadClass = threadClassMap[threads.threadClass];
    profile.windows.push_back(std::move(window));
  }
}

void Merger::addUnseen(const Profile &run) {
  for (const ProfiledUnseen &one : run.unseen) {
    const auto [index, isNew] = modules.place(one.module);
    if (isNew)
      profile.unseen.push_back({one.module, 0});
    profile.unseen[index].acquisitions += one.acquisitions;
  }
}

Expected<Profile> Merger::finish() {
  if (runs == 0)
    return makeError("no profile given");
  for (ProfiledWindow &window : profile.windows)
    window.startNs = movedNs(window.startNs, firstStartUs, profile.startUnixNs / 1000);
  return std::move(profile);
}

ProfileMerger::ProfileMerger() : merger(std::make_unique<Merger>()) {}
ProfileMerger::~ProfileMerger() = default;
Expected<void> ProfileMerger::add(const Profile &run) { return merger->add(run); }

Expected<Profile> ProfileMerger::finish() {
  Expected<Profile> merged = merger->finish();
  if (merged && merger->runs > 1)
    sortCanonically(*merged);
  return merged;
}

namespace {

template <typename AnyMerger>
Expected<Profile> merge(AnyMerger merger, const std::vector<Profile> &profiles) {
  for (const Profile &profile : profiles)
    if (const auto added = merger.add(profile); !added)
      return Unexpected(added.error());
  return merger.finish();
}

} // namespace

Expected<Profile> mergeProfiles(const std::vector<Profile> &profiles) {
  return merge(ProfileMerger(), profiles);
}

Expected<Profile> mergeInOrder(const std::vector<Profile> &profiles) {
  return merge(Merger(), profiles);
}

} // namespace qdadvise
