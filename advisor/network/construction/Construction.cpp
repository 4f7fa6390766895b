// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Construction.h"

#include "advisor/network/Validation.h"
#include "advisor/network/construction/JointSections.h"
#include "advisor/network/construction/MeasuredRun.h"
#include "advisor/network/construction/MeasuredSections.h"
#include "advisor/network/construction/MeasuredTransitions.h"
#include "advisor/network/construction/OwnLocks.h"
#include "advisor/network/construction/Placement.h"
#include "advisor/network/construction/Preemption.h"
#include "advisor/network/construction/RunPhases.h"
#include "advisor/network/construction/Steadiness.h"
#include "advisor/network/construction/Traffic.h"
#include "advisor/profile/Names.h"
#include "advisor/profile/summary/Summary.h"
#include "advisor/profile/summary/Takers.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

namespace qdadvise {
namespace {

class Builder {
public:
  Builder(const Profile &source, const Machine &measuredOn, const ConstructionOptions &wishes)
      : profile(source), machine(measuredOn), options(wishes), placement(placeSections(source)) {}

  Expected<Construction> build();

private:
  std::optional<Error> lackOfLocks() const;
  Expected<Construction> buildWithoutLocks(const Error &lack);
  void noteCoverage();
  void notePlacement();
  void addLocks();
  void addSections();
  void findOwned();
  void divideOwned();
  void noteGuesses();
  std::vector<bool> takersOfLocks() const;
  std::optional<Error> addClasses(const std::vector<bool> &takesLocks);
  void addTransitions(std::size_t threadClass);
  void addPhasesOfRun();

  GivenKind kindOf(std::size_t lockClass);
  void note(std::string text) { result.notes.push_back(std::move(text)); }

  const Profile &profile;
  const Machine &machine;
  const ConstructionOptions &options;
  const Placement placement;
  Construction result;

  std::vector<std::size_t> lockOf;                 ///< by section of the network
  std::vector<std::size_t> lockClasses;            ///< of the profile, by lock of the network
  std::vector<bool> scales;                        ///< by thread class of the profile
  std::vector<std::optional<std::size_t>> classes; ///< of the network, by that of the profile
  std::vector<std::string> guessed; ///< locks that are a thread's own as it made them
  double outsideNs = 0; ///< time of classes that scale, before and after what they repeat
  double endsNs = 0;    ///< the same of those that repeat nothing
};

/// Says which places that take locks the run never came to. No verdict knows of them. All
/// instantiations of a template are one place.
void Builder::noteCoverage() {
  const auto placeOf = [&](std::size_t site) {
    return fmt::format("{}:{}", profile.sites[site].file, profile.sites[site].line);
  };
  std::set<std::string> ran, never;
  for (const ProfiledSection &section : profile.sections)
    if (section.acquisitions > 0)
      ran.insert(placeOf(section.site));
  for (const std::size_t site : sitesNotExecuted(profile))
    if (const std::string place = placeOf(site); !ran.contains(place))
      never.insert(place);
  if (!never.empty())
    note(fmt::format("{} of {} places that take a lock never ran, and nothing is known of them: {}",
                     never.size(), never.size() + ran.size(),
                     someOf({never.begin(), never.end()})));
}

void Builder::notePlacement() {
  std::uint64_t unknown = 0;
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    if (!placement.places[i])
      unknown += profile.sections[i].acquisitions;
  if (unknown > 0)
    note(fmt::format("{} acquisitions beyond max_sections, or inside such ones, are taken as local "
                     "computation",
                     unknown));
}

GivenKind Builder::kindOf(std::size_t lockClass) {
  const ProfiledLockClass &lock = profile.lockClasses[lockClass];
  if (static_cast<LockKind>(lock.kind) != LockKind::unknown)
    return algorithmOfNumber(lock.kind);
  // Whatever it is, its readers do not exclude each other.
  const bool isShared = std::any_of(profile.sections.begin(), profile.sections.end(),
                                    [&](const ProfiledSection &section) {
                                      return section.lockClass == lockClass && section.shared;
                                    });
  return isShared ? LockKind::pthreadRwlock : LockKind::pthreadMutex;
}

/// The places where the source waits for a condition with locks of this class, and no thread did.
std::vector<SourceSite> unseenWaits(const Profile &profile, const ProfiledLockClass &lock) {
  std::vector<SourceSite> result;
  for (const ProfiledSite &site : profile.sites) {
    const bool waits =
        static_cast<SiteRole>(site.role) == SiteRole::wait || (site.flags & siteWaits) != 0;
    if (waits && site.executed + site.inside == 0 && isDeclaredAs(site, lock))
      result.push_back(sourceOf(site));
  }
  return result;
}

/// The places where the source takes locks of this class, and no thread came.
std::vector<SourceSite> unseenPlaces(const Profile &profile, const ProfiledLockClass &lock) {
  std::vector<SourceSite> result;
  for (const std::size_t site : sitesNotExecuted(profile))
    if (isDeclaredAs(profile.sites[site], lock))
      result.push_back(sourceOf(profile.sites[site]));
  return result;
}

void Builder::addLocks() {
  const std::vector<std::string> names = lockNames(profile);
  std::map<std::string_view, std::vector<std::string>> unknown; // by what they are taken for
  std::map<std::size_t, std::size_t> known;                     // by lock class
  for (const std::vector<std::size_t> &sections : placement.members) {
    const std::size_t lockClass = profile.sections[sections.front()].lockClass;
    const auto [at, isNew] = known.try_emplace(lockClass, result.network.locks.size());
    lockOf.push_back(at->second);
    if (!isNew)
      continue;
    Lock lock;
    lock.name = names[lockClass];
    lock.kind = kindOf(lockClass);
    lock.waits = unseenWaits(profile, profile.lockClasses[lockClass]);
    lock.neverRan = unseenPlaces(profile, profile.lockClasses[lockClass]);
    const TrafficShares traffic = trafficShares(profile, lockClass);
    lock.instances = traffic.instances;
    lock.shares = traffic.shares;
    if (traffic.guessed)
      note(fmt::format("lock {}: the locks beyond max_locks are taken for as many as their traffic "
                       "suggests",
                       lock.name));
    lock.assumed = static_cast<LockKind>(profile.lockClasses[lockClass].kind) == LockKind::unknown;
    if (lock.assumed)
      unknown[algorithmOf(lock.kind.kind).name].push_back(lock.name);
    result.network.locks.push_back(std::move(lock));
    lockClasses.push_back(lockClass);
  }
  for (const auto &[kind, locks] : unknown)
    note(fmt::format("modelled as {}, for no primitive was seen inside: {}", kind,
                     fmt::join(locks, ", ")));
}

void Builder::addSections() {
  MeasuredSections measured =
      measuredSections(profile, placement, result.network.locks, lockOf, machine);
  result.network.sections = std::move(measured.sections);
  result.memory = std::move(measured.memory);
  if (!measured.guessed.empty())
    note(fmt::format("counted but not timed, or never released while recording, so that the "
                     "holding time is taken for that of the lock's other sections, or of all: {}",
                     fmt::join(measured.guessed, ", ")));
}

/// Whether the threads of a class do hardly anything compared with the busiest ones. They are there
/// to wait for something, and do not multiply when there are more threads. Stages of a pipeline do:
/// of each there are as many as of the busiest one.
bool isIdle(const ProfiledThreadClass &threads, const ProfiledThreadClass &busiest) {
  constexpr double little = 0.2;
  const bool isSingle = threads.maxAlive <= 1;
  return (isSingle || threads.maxAlive != busiest.maxAlive) &&
         busyNs(threads) < little * busyNs(busiest);
}

/// Whether the busiest of the created threads only waits beside `main`, which does the work: it
/// shows progress, say. Threads that main creates late are busy while they live.
bool onlyWaitBeside(const ProfiledThreadClass &main, const ProfiledThreadClass &busiest) {
  constexpr double little = 0.05;
  return busyNs(busiest) <
         little * std::min(busyNs(main), busiest.aliveNs / std::max(1u, busiest.maxAlive));
}

/// Whether `main` does what the threads do that it has started, and is one of them. It is busy
/// where they are, and takes its locks where they take theirs.
bool worksToo(const Profile &profile, std::size_t mainClass, double busiestNs) {
  constexpr double most = 0.9, busy = 0.5, often = 0.25;
  if (busyNs(profile.threadClasses[mainClass]) < busy * busiestNs)
    return false;
  using Place = std::tuple<std::size_t, std::size_t, bool>;
  std::set<Place> places;
  const auto placeOf = [](const ProfiledSection &section) {
    return Place(section.site, section.lockClass, section.shared);
  };
  std::vector<double> taken(profile.threadClasses.size(), 0); // by a thread of the class
  for (const ProfiledSection &section : profile.sections)
    if (section.threadClass != mainClass && section.acquisitions > 0) {
      places.insert(placeOf(section));
      taken[section.threadClass] += static_cast<double>(section.acquisitions) /
                                    std::max(1u, profile.threadClasses[section.threadClass].count);
    }
  double all = 0, common = 0;
  for (const ProfiledSection &section : profile.sections)
    if (section.threadClass == mainClass && !section.other) {
      const auto acquisitions = static_cast<double>(section.acquisitions);
      all += acquisitions;
      common += places.count(placeOf(section)) > 0 ? acquisitions : 0;
    }
  return all > 0 && common >= most * all &&
         common >= often * *std::max_element(taken.begin(), taken.end());
}

std::vector<bool> Builder::takersOfLocks() const {
  std::vector<bool> takes(profile.threadClasses.size(), false);
  for (const std::vector<std::size_t> &sections : placement.members)
    for (const std::size_t member : sections)
      takes[profile.sections[member].threadClass] = true;
  return takes;
}

/// Adds the thread classes that take locks, or do instead what such classes do, and decides which
/// of them take the threads of --threads.
std::optional<Error> Builder::addClasses(const std::vector<bool> &takesLocks) {
  const std::vector<std::string> names = threadClassNames(profile);
  for (const std::string &wanted : options.scale) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      return Error{fmt::format("--scale {}: no such thread class; there are: {}", wanted,
                               fmt::join(names, ", "))};
    if (!takesLocks[static_cast<std::size_t>(found - names.begin())])
      return Error{fmt::format("--scale {}: this thread class takes no locks", wanted)};
  }
  const ProfiledThreadClass *main = nullptr;
  std::optional<ProfiledThreadClass> busiest; // of the created ones
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const ProfiledThreadClass &threads = profile.threadClasses[i]; takesLocks[i]) {
      if (threads.isMain)
        main = &threads;
      else if (!busiest || busyNs(threads) > busyNs(*busiest))
        busiest = threads;
    }
  const bool mainWorksAlone = !busiest || (main && onlyWaitBeside(*main, *busiest));
  const auto isTakenToScale = [&](std::size_t i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    if (mainWorksAlone)
      return threads.isMain;
    return threads.isMain ? worksToo(profile, i, busyNs(*busiest)) : !isIdle(threads, *busiest);
  };
  scales.assign(names.size(), false);
  classes.assign(names.size(), std::nullopt);
  std::vector<std::string> scaling, fixed;
  std::size_t single = 0; // of `scaling`: classes of which one thread at a time was seen
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!takesLocks[i])
      continue;
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    const auto wanted = std::find(options.scale.begin(), options.scale.end(), names[i]);
    const double alive = std::max({threads.maxAlive, std::min(threads.count, 1u), 1u});
    ThreadClass threadClass;
    threadClass.name = names[i];
    threadClass.scales = options.scale.empty() ? isTakenToScale(i) : wanted != options.scale.end();
    scales[i] = threadClass.scales;
    if (threadClass.scales)
      threadClass.weight = alive;
    else
      threadClass.threads = alive;
    single += threadClass.scales && !threads.isMain && alive == 1 ? 1 : 0;
    (threadClass.scales ? scaling : fixed)
        .push_back(threadClass.scales ? names[i] : fmt::format("{} ({:g})", names[i], alive));
    classes[i] = result.network.classes.size();
    result.network.classes.push_back(threadClass);
    if (!result.network.locks.empty())
      addTransitions(i);
  }
  note(fmt::format("thread classes that take the threads of --threads: {}{}",
                   fmt::join(scaling, ", "),
                   fixed.empty() ? "" : fmt::format("; fixed: {}", fmt::join(fixed, ", "))));
  if (single > 1 && options.scale.empty())
    note(fmt::format("{} of these classes had one thread at a time, and nothing tells that the "
                     "program would make more of each: --scale CLASS names those of which it would",
                     single));
  return std::nullopt;
}

/// Adds the transitions of the class that was added last.
void Builder::addTransitions(std::size_t threadClass) {
  Network &network = result.network;
  const std::size_t networkClass = network.classes.size() - 1;
  const MeasuredTransitions measured =
      measuredTransitions(profile, threadClass, placement, network, networkClass, machine);
  network.transitions.insert(network.transitions.end(), measured.transitions.begin(),
                             measured.transitions.end());
  outsideNs += measured.outsideNs;
  endsNs += measured.endsNs;
  if (measured.nested > 0)
    note(fmt::format("{} transitions from or to nested sections are left out", measured.nested));
  if (measured.outsideNs > 0.05 * measured.repeatedNs)
    note(fmt::format("thread class {}: {:.1f} ms before and after what its threads repeat are left "
                     "out, with the sections that ran only then",
                     network.classes[networkClass].name, measured.outsideNs * 1e-6));
}

/// Finds the locks that each scaling thread has for itself.
void Builder::findOwned() {
  std::vector<std::string> owned;
  for (std::size_t i = 0; i < lockClasses.size(); ++i) {
    Lock &lock = result.network.locks[i];
    lock.perThread = isPerThread(profile, lockClasses[i], scales);
    if (lock.perThread)
      owned.push_back(lock.name);
    else if (lock.instances > 1)
      lock.own = ownTraffic(profile, lockClasses[i], scales).share;
    lock.guessed = lock.perThread && isOfOneThread(profile, lockClasses[i]);
    if (lock.guessed)
      guessed.push_back(lock.name);
  }
  if (!owned.empty())
    note(fmt::format("each thread has a lock of its own, which it waits for nobody at: {}",
                     fmt::join(owned, ", ")));
}

/// Makes two locks of a class of few busy ones: those that each thread has for itself, and those
/// that threads share.
void Builder::divideOwned() {
  std::vector<std::string> divided;
  const std::size_t count = result.network.locks.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (result.network.locks[i].own == 0 || !hasBusyLocks(result.network.locks[i]))
      continue;
    const OwnTraffic own = ownTraffic(profile, lockClasses[i], scales);
    result.network.locks[i].own = 0;
    std::vector<std::optional<SectionMemory>> memory;
    for (const std::size_t section : divideOwn(result.network, i, own))
      memory.push_back(result.memory[section]);
    result.memory = std::move(memory);
    const std::string &name = result.network.locks[i].name;
    divided.push_back(fmt::format("{} ({:.1f} %)", name, 100 * own.share));
    if (isOfOneThread(profile, lockClasses[i])) {
      result.network.locks.back().guessed = true;
      guessed.push_back(name);
    }
  }
  if (!divided.empty())
    note(fmt::format("each thread has some locks for itself, which it waits for nobody at, and "
                     "shares others: {}",
                     fmt::join(divided, ", ")));
}

/// A run with one thread does not tell whether another would make locks, too.
void Builder::noteGuesses() {
  if (!guessed.empty())
    note(fmt::format("one thread took locks that it had made, and others are taken to make their "
                     "own: {}; `qdadvise record --threads 1,2` tells whether they do",
                     fmt::join(guessed, ", ")));
}

/// Each phase of a run that was not steady is predicted by itself. Where no networks can be made of
/// them, predictions are of one steady state.
void Builder::addPhasesOfRun() {
  constexpr double worthANote = 0.1;
  if (addPhases(result.network, profile, placement, classes) > 1) {
    std::vector<std::string> shares;
    for (const double share : result.network.phases)
      shares.push_back(fmt::format("{:.0f}", 100 * share));
    note(fmt::format("the run goes through {} phases, which have {} % of its sections: each is "
                     "predicted by itself, with all threads in it",
                     shares.size(), fmt::join(shares, ", ")));
  } else if (const double share = unsteadiness(profile, scales); share > worthANote) {
    note(fmt::format("the run is unsteady: over its parts, threads spend {:.0f} % of their time "
                     "otherwise than on the whole; predicted is one run of their mean",
                     100 * share));
  }
}

/// Why no network of locks can be made, if so.
std::optional<Error> Builder::lackOfLocks() const {
  if (std::any_of(profile.sections.begin(), profile.sections.end(),
                  [](const ProfiledSection &section) { return section.acquisitions > 1; }))
    return std::nullopt;
  if (profile.sections.empty() && sitesNotExecuted(profile).empty())
    return Error{"nothing that was compiled with the plugin takes a lock: there is none to "
                 "choose; `qdadvise record --count-unseen` tells of locks in other code"};
  return Error{"the profile has no critical section that ran twice: record a longer run, or "
               "one that uses the locks; where they are taken in company only, "
               "`qdadvise record --threads 1,2` adds a run that has some"};
}

/// The created threads, and the run. They are taken to divide what they do from when they are
/// created until they are joined, as between two barriers (RUN10).
Expected<Construction> Builder::buildWithoutLocks(const Error &lack) {
  std::vector<bool> created;
  for (const ProfiledThreadClass &threads : profile.threadClasses)
    created.push_back(!threads.isMain);
  if (std::none_of(created.begin(), created.end(), [](bool one) { return one; }))
    return Unexpected(lack);
  note(lack.message);
  TRY(addClasses(created));
  std::optional<Run> &run = result.network.run;
  run = measuredRun(profile, scales, {}, options.scale.empty());
  if (!run)
    return Unexpected(lack);
  run->ends = run->longestStretch = 0;
  run->barrierStretch = 1;
  run->copies = measuredCopiesOf(profile, machine);
  return std::move(result);
}

Expected<Construction> Builder::build() {
  if (profile.flags & format::runCountersOnly)
    return makeError("the profile has counts but no times: record one with times");
  const std::optional<Error> lack = lackOfLocks();
  if (lack && !options.withoutLocks)
    return Unexpected(*lack);
  for (const std::string &shortcoming : shortcomings(profile))
    note(shortcoming);
  noteCoverage();
  if (lack)
    return buildWithoutLocks(*lack);
  notePlacement();
  addLocks();
  addSections();
  TRY(addClasses(takersOfLocks()));
  findOwned();
  result.network.run = measuredRun(profile, scales, {outsideNs, endsNs}, options.scale.empty());
  if (result.network.run)
    result.network.run->copies = measuredCopiesOf(profile, machine);
  else if (!profile.copies.empty())
    note("copies of the program ran, and nothing follows from them: the run as a whole is not "
         "known");
  addPhasesOfRun();
  divideOwned();
  noteGuesses();
  if (const auto together = orderJointSections(result.network); !together.empty())
    note(fmt::format(
        "taken together by one operation, all or none, whatever order it names them in: "
        "{}",
        fmt::join(together, ", ")));
  if (const std::optional<Error> error = validate(result.network))
    return makeError(
        fmt::format("the profile makes no network: {}; record a longer run", error->message));
  return std::move(result);
}

} // namespace

Expected<Construction> constructNetwork(const Profile &profile, const Machine &machine,
                                        const ConstructionOptions &options) {
  Profile undisturbed = profile;
  const Preemptions removed = removePreemptions(undisturbed);
  Expected<Construction> construction = Builder(undisturbed, machine, options).build();
  if (construction && removed.observations > 0)
    construction->notes.push_back(preemptionNote(removed) +
                                  "; a quieter machine gives a better profile");
  return construction;
}

} // namespace qdadvise
