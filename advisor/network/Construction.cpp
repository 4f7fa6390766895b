// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/Construction.h"

#include "advisor/network/Chain.h"
#include "advisor/network/DataMovement.h"
#include "advisor/network/Preemption.h"
#include "advisor/network/Steadiness.h"
#include "advisor/network/Traffic.h"
#include "advisor/profile/Names.h"
#include "advisor/profile/Summary.h"
#include "runtime/profile_format.h"
#include "runtime/site_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

using OptionalIndex = std::optional<std::size_t>;

/// A thread that runs this many sections lives on them: how it began and how it will end
/// is no part of the cycle that more threads would repeat.
constexpr double sectionsOfALongLife = 100;

/// The counter does not resolve less; and a cycle in which everything took no time
/// would have no throughput.
constexpr double shortestHoldNs = 0.1;

/// Observations; of fewer, the rare long ones are mere chance.
constexpr std::uint64_t fewestForATail = 30;

Duration durationOf(double mean, double variance, std::uint64_t samples) {
  Duration duration;
  duration.mean = mean;
  duration.samples = samples;
  // Of a single observation the spread is not known; then it is that of an exponential.
  if (samples > 1)
    duration.cv = mean > 0 ? std::sqrt(variance) / mean : 0;
  return duration;
}

/// The same spread about a mean that is so much less.
void shorten(Duration &hold, double ns) {
  // At most half: the description may be of another machine than the one that recorded.
  const double less = std::max({hold.mean - ns, hold.mean / 2, shortestHoldNs});
  hold.cv *= hold.mean / less;
  hold.mean = less;
}

/// Executions that have read a line since it was written, in the middle of a bucket
/// (runtime/profile_format.h); of the last one as if it ended like those before.
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

class Builder {
public:
  Builder(const Profile &source, const Machine &measuredOn, const ConstructionOptions &wishes)
      : profile(source), machine(measuredOn), options(wishes) {}

  Expected<Construction> build();

private:
  void placeSections();
  OptionalIndex place(std::size_t section);
  void addLocks();
  void addSections();
  std::optional<Error> addClasses();
  Chain chainOf(std::size_t threadClass);
  double executionNs(std::size_t section) const;
  void keepWhatRepeats(Chain &chain, const std::string &threads);
  void addTransitions(std::size_t threadClass, std::size_t networkClass);
  void addRun();
  void noteUnsteadiness();

  std::string kindOf(std::size_t lockClass);
  double releaseNs(std::size_t networkLock) const;
  double movedNs(std::size_t section, const Footprint &footprint) const;
  Duration usualHold(std::size_t lockClass) const;
  void note(std::string text) { result.notes.push_back(std::move(text)); }

  const Profile &profile;
  const Machine &machine;
  const ConstructionOptions &options;
  Construction result;

  // Of each section of the profile, the one of the network it is part of; sections of
  // different thread classes at one site are one.
  std::map<std::tuple<std::size_t, std::size_t, OptionalIndex, bool>, std::size_t> places;
  std::vector<std::optional<OptionalIndex>> placed; ///< outer: visited; inner: has one
  std::vector<std::vector<std::size_t>> members;    ///< by section of the network
  double outsideNs = 0; ///< of classes that scale: before and after what they repeat
  std::map<std::size_t, std::size_t> lockOf; ///< lock class to lock of the network
};

OptionalIndex Builder::place(std::size_t index) {
  if (placed[index])
    return *placed[index];
  placed[index] = OptionalIndex();
  const ProfiledSection &section = profile.sections[index];
  if (section.acquisitions == 0 || section.other)
    return std::nullopt;
  OptionalIndex outer;
  if (section.inside) {
    outer = place(*section.inside);
    if (!outer)
      return std::nullopt;
  }
  const auto [at, isNew] =
      places.try_emplace({section.lockClass, section.site, outer, section.shared}, members.size());
  if (isNew)
    members.emplace_back();
  members[at->second].push_back(index);
  placed[index] = at->second;
  return at->second;
}

void Builder::placeSections() {
  placed.assign(profile.sections.size(), std::nullopt);
  std::uint64_t unknown = 0;
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    if (!place(i))
      unknown += profile.sections[i].acquisitions;
  if (unknown > 0)
    note(fmt::format("{} acquisitions beyond max_sections, or inside such ones, are taken as local "
                     "computation",
                     unknown));
}

std::string Builder::kindOf(std::size_t lockClass) {
  const ProfiledLockClass &lock = profile.lockClasses[lockClass];
  return static_cast<LockKind>(lock.kind) == LockKind::unknown ? "pthread_mutex"
                                                               : lockKindName(lock.kind);
}

void Builder::addLocks() {
  const std::vector<std::string> names = lockNames(profile);
  std::vector<std::string> unknown;
  for (const std::vector<std::size_t> &sections : members) {
    const std::size_t lockClass = profile.sections[sections.front()].lockClass;
    if (!lockOf.try_emplace(lockClass, result.network.locks.size()).second)
      continue;
    Lock lock;
    lock.name = names[lockClass];
    lock.kind = kindOf(lockClass);
    const TrafficShares traffic = trafficShares(profile, lockClass);
    lock.instances = traffic.instances;
    lock.shares = traffic.shares;
    if (traffic.guessed)
      note(fmt::format("lock {}: the locks beyond max_locks are taken for as many as their traffic "
                       "suggests",
                       lock.name));
    if (static_cast<LockKind>(profile.lockClasses[lockClass].kind) == LockKind::unknown)
      unknown.push_back(lock.name);
    result.network.locks.push_back(std::move(lock));
  }
  if (!unknown.empty())
    note(fmt::format("modelled as pthread_mutex, for no primitive was seen inside: {}",
                     fmt::join(unknown, ", ")));
}

/// What a release costs with the lock of today: half of acquire and release together.
/// Zero where the machine does not say.
double Builder::releaseNs(std::size_t networkLock) const {
  const auto kind = machine.kinds.find(result.network.locks[networkLock].kind);
  if (kind == machine.kinds.end())
    return 0;
  const auto overhead = kind->second.figures.find("lock_overhead_ns");
  return overhead == kind->second.figures.end() ? 0 : overhead->second.value / 2;
}

/// What its data took to move between the threads of the recorded run, which holding times
/// contain. Who delegates has it with the helper.
double Builder::movedNs(std::size_t section, const Footprint &footprint) const {
  const std::size_t lockClass = profile.sections[members[section].front()].lockClass;
  const auto kind = static_cast<LockKind>(profile.lockClasses[lockClass].kind);
  std::vector<Visitors> threads(profile.threadClasses.size());
  for (std::size_t i = 0; i < threads.size(); ++i)
    threads[i].threads = profile.threadClasses[i].maxAlive;
  for (const ProfiledSection &other : profile.sections)
    if (other.lockClass == lockClass)
      threads[other.threadClass].visits += static_cast<double>(other.acquisitions);
  double acquisitions = 0, contended = 0;
  for (const std::size_t member : members[section]) {
    acquisitions += static_cast<double>(profile.sections[member].acquisitions);
    contended += static_cast<double>(profile.sections[member].contended);
  }
  const MovementTimes times = DataMovement(machine)(footprint, evenVisitors(threads));
  const bool delegates = kind == LockKind::qd || kind == LockKind::mrqd;
  return times.free + contended / acquisitions * ((delegates ? 0 : times.handed) - times.free);
}

/// For a section without a holding time: of the others on its lock, else of all others.
Duration Builder::usualHold(std::size_t lockClass) const {
  Moments here, anywhere;
  for (const ProfiledSection &section : profile.sections) {
    anywhere.merge(section.hold);
    if (section.lockClass == lockClass)
      here.merge(section.hold);
  }
  const Moments &usual = here.count > 0 ? here : anywhere;
  // As good as one observation: its spread is not known, and its error is large.
  return durationOf(std::max(usual.mean, shortestHoldNs), usual.variance(), 1);
}

void Builder::addSections() {
  const std::vector<std::string> siteName = siteNames(profile);
  std::vector<std::string> names, suffixes;
  std::vector<std::uint64_t> acquisitions(members.size(), 0);
  std::vector<std::string> neverReleased;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ProfiledSection &first = profile.sections[members[i].front()];
    const ProfiledSite &site = profile.sites[first.site];
    Moments hold;
    Histogram histogram;
    SectionMemory memory;
    for (const std::size_t member : members[i]) {
      if (const auto &traced = profile.sections[member].memory)
        memory.merge(*traced);
      hold.merge(profile.sections[member].hold);
      histogram.merge(profile.sections[member].holdHistogram);
      acquisitions[i] += profile.sections[member].acquisitions;
    }
    Section section;
    section.lock = lockOf.at(first.lockClass);
    section.hold = durationOf(std::max(hold.mean, shortestHoldNs), hold.variance(), hold.count);
    section.hold.samples = static_cast<std::uint64_t>(independentHolds(
        profile, members[i], hold.mean, hold.variance(), static_cast<double>(hold.count)));
    if (hold.count >= fewestForATail)
      section.hold.skewness = histogram.skewness();
    section.shared = first.shared;
    if (first.inside)
      section.inside = *placed[*first.inside];
    result.memory.emplace_back();
    if (memory.executions > 0) {
      section.footprint = footprintOf(memory);
      shorten(section.hold, movedNs(i, *section.footprint));
      result.memory.back() = memory;
    }
    section.site =
        SourceSite{site.file,    site.function,    site.expression, site.line,  site.column,
                   site.ordinal, site.sectionHash, site.role,       site.flags, site.facts};
    result.network.sections.push_back(std::move(section));
    names.push_back(siteName[first.site] + (first.shared ? " shared" : ""));
    suffixes.push_back(fmt::format(" {}", result.network.locks[lockOf.at(first.lockClass)].name));
    if (hold.count == 0) {
      neverReleased.push_back(names.back());
      result.network.sections.back().hold = usualHold(first.lockClass);
    }
  }
  std::vector<Section> &sections = result.network.sections;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    // An outer section comes before those inside it: `place` makes it so.
    if (const OptionalIndex outer = sections[i].inside) {
      sections[i].visits =
          static_cast<double>(acquisitions[i]) / static_cast<double>(acquisitions[*outer]);
      names[i] += " in " + names[*outer];
      // The inner release runs while the outer lock is held.
      shorten(sections[*outer].hold, sections[i].visits * releaseNs(sections[i].lock));
    }
  }
  names = makeUnique(std::move(names), suffixes);
  // Buckets are coarser than the moments beside them.
  for (Section &section : sections)
    if (std::optional<double> &skewness = section.hold.skewness)
      skewness = std::max(*skewness, leastSkewness(section.hold.cv));
  for (std::size_t i = 0; i < sections.size(); ++i)
    sections[i].name = names[i];
  if (!neverReleased.empty())
    note(fmt::format("counted but not timed, or never released while recording, so that the "
                     "holding time is taken for that of the lock's other sections, or of all: {}",
                     fmt::join(neverReleased, ", ")));
}

/// Who takes the threads of --threads.
std::optional<Error> Builder::addClasses() {
  const std::vector<std::string> names = threadClassNames(profile);
  std::vector<bool> takesLocks(names.size(), false);
  for (const std::vector<std::size_t> &sections : members)
    for (const std::size_t member : sections)
      takesLocks[profile.sections[member].threadClass] = true;

  for (const std::string &wanted : options.scale) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      return Error{fmt::format("--scale {}: no such thread class; there are: {}", wanted,
                               fmt::join(names, ", "))};
    if (!takesLocks[static_cast<std::size_t>(found - names.begin())])
      return Error{fmt::format("--scale {}: this thread class takes no locks", wanted)};
  }
  bool onlyMain = true;
  for (std::size_t i = 0; i < names.size(); ++i)
    onlyMain = onlyMain && (!takesLocks[i] || profile.threadClasses[i].isMain);

  std::vector<std::string> scaling, fixed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!takesLocks[i])
      continue;
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    const bool wanted =
        std::find(options.scale.begin(), options.scale.end(), names[i]) != options.scale.end();
    const double alive = std::max({threads.maxAlive, std::min(threads.count, 1u), 1u});
    ThreadClass threadClass;
    threadClass.name = names[i];
    threadClass.scales = options.scale.empty() ? onlyMain || !threads.isMain : wanted;
    if (threadClass.scales)
      threadClass.weight = alive;
    else
      threadClass.threads = alive;
    (threadClass.scales ? scaling : fixed)
        .push_back(threadClass.scales ? names[i] : fmt::format("{} ({:g})", names[i], alive));
    result.network.classes.push_back(threadClass);
    addTransitions(i, result.network.classes.size() - 1);
  }
  note(fmt::format("thread classes that take the threads of --threads: {}{}",
                   fmt::join(scaling, ", "),
                   fixed.empty() ? "" : fmt::format("; fixed: {}", fmt::join(fixed, ", "))));
  return std::nullopt;
}

/// What of the run more threads would share. What main does while none of the threads that scale
/// lives, it does alone; where it is main that scales, what comes before and after what it
/// repeats. How long several threads lived together is not recorded: as long as each of them
/// on average, or as long as main was blocked, whichever is more.
void Builder::addRun() {
  const std::vector<std::string> names = threadClassNames(profile);
  std::vector<std::string> scaling;
  double aliveNs = 0, alive = 0, mainBlockedNs = 0;
  bool mainScales = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    mainBlockedNs += threads.isMain ? threads.blockedNs : 0;
    const auto &classes = result.network.classes;
    if (std::none_of(classes.begin(), classes.end(),
                     [&](const ThreadClass &one) { return one.scales && one.name == names[i]; }))
      continue;
    scaling.push_back(names[i]);
    mainScales = mainScales || threads.isMain;
    aliveNs += threads.aliveNs;
    alive += std::max(threads.maxAlive, 1u);
  }
  const double wholeNs = profile.durationNs;
  if (wholeNs <= 0 || aliveNs <= 0 || (mainScales && scaling.size() > 1))
    return;
  Run run;
  if (mainScales) {
    run.serialNs = std::min(outsideNs, wholeNs);
    run.serial = scaling.front() + " before and after what it repeats";
  } else {
    const double together = std::max(aliveNs / alive, std::min(mainBlockedNs, aliveNs));
    run.serialNs = wholeNs - std::min(together, wholeNs);
    run.serial = fmt::format("what main does while there is no {}", fmt::join(scaling, " or "));
    run.threads = std::max(1, static_cast<int>(std::lround(std::min(alive, aliveNs / together))));
  }
  run.parallelNs = wholeNs - run.serialNs;
  if (run.parallelNs > 0)
    result.network.run = std::move(run);
}

/// One steady state is predicted, whatever the run was.
void Builder::noteUnsteadiness() {
  constexpr double worthANote = 0.1;
  const std::vector<std::string> names = threadClassNames(profile);
  std::vector<bool> scales(names.size(), false);
  for (const ThreadClass &threads : result.network.classes)
    for (std::size_t i = 0; i < names.size(); ++i)
      scales[i] = scales[i] || (threads.scales && threads.name == names[i]);
  if (const double share = unsteadiness(profile, scales); share > worthANote)
    note(fmt::format("the run is unsteady: over its parts, threads spend {:.0f} % of their time "
                     "otherwise than on the whole; predicted is one run of their mean",
                     100 * share));
}

/// The transitions of a class as a closed chain over sections of the network.
Chain Builder::chainOf(std::size_t threadClass) {
  Chain chain;
  // Sections that the network leaves out take part under numbers of their own first.
  const auto node = [&](const OptionalIndex &section) {
    if (!section)
      return Chain::outside;
    const OptionalIndex at = *placed[*section];
    return at ? *at : members.size() + *section;
  };
  std::uint64_t nested = 0;
  for (const ProfiledTransition &transition : profile.transitions) {
    if (transition.threadClass != threadClass)
      continue;
    const bool isNested = (transition.from && profile.sections[*transition.from].inside) ||
                          (transition.to && profile.sections[*transition.to].inside);
    if (isNested)
      nested += transition.local.count;
    else
      chain.add(node(transition.from), node(transition.to),
                Flow::of(transition.local, transition.blocked));
  }
  if (nested > 0)
    note(fmt::format("{} transitions from or to nested sections are left out", nested));
  chain.balance();
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    if (profile.sections[i].threadClass == threadClass && !*placed[i])
      chain.eliminate(node(i), Flow::of(profile.sections[i].hold, Moments()));
  return chain;
}

/// Time in a section, and in those inside it.
double Builder::executionNs(std::size_t section) const {
  double ns = result.network.sections[section].hold.mean;
  for (std::size_t i = section + 1; i < result.network.sections.size(); ++i)
    if (const Section &inner = result.network.sections[i]; inner.inside == section)
      ns += inner.visits * executionNs(i);
  return ns;
}

/// Leaves out how the threads began and ended; also the sections that they ran only then, which
/// are none that more threads would meet in.
void Builder::keepWhatRepeats(Chain &chain, const std::string &threads) {
  Chain core = chain;
  while (const auto node = core.beginningOrEnd()) {
    Flow within;
    within.localMean = executionNs(*node);
    core.eliminate(*node, within);
  }
  // Unless that was all.
  if (core.insideCount() > 0)
    chain = std::move(core);
  const double leftOut = chain.outsideNs();
  outsideNs += leftOut;
  if (leftOut > 0.05 * chain.insideNs())
    note(fmt::format("thread class {}: {:.1f} ms before and after what its threads repeat are left "
                     "out, with the sections that ran only then",
                     threads, leftOut * 1e-6));
  chain.forgetOutsideTimes();
}

void Builder::addTransitions(std::size_t threadClass, std::size_t networkClass) {
  Chain chain = chainOf(threadClass);
  double sections = 0, beginnings = 0;
  for (const auto &[ends, flow] : chain.flows()) {
    sections += ends.second == Chain::outside ? 0 : flow.count;
    beginnings += ends.first == Chain::outside ? flow.count : 0;
  }
  const ThreadClass &threads = result.network.classes[networkClass];
  if (threads.scales && sections > sectionsOfALongLife * beginnings)
    keepWhatRepeats(chain, threads.name);
  chain.eliminate(Chain::outside);

  // Local times hang together or not as a class's do on the whole.
  Flow all;
  for (const auto &[ends, flow] : chain.flows())
    all.merge(flow);
  const double independent = all.count > 0 ? independentLocals(profile, threadClass, all.localMean,
                                                               all.localVariance, all.count) /
                                                 all.count
                                           : 1;
  std::map<std::size_t, double> rowSums;
  for (const auto &[ends, flow] : chain.flows())
    rowSums[ends.first] += flow.count;
  for (const auto &[ends, flow] : chain.flows()) {
    const std::size_t lock = result.network.sections[ends.first].lock;
    const auto samples =
        static_cast<std::uint64_t>(std::max<long long>(std::llround(flow.count), 1));
    Transition transition;
    transition.threadClass = networkClass;
    transition.from = ends.first;
    transition.to = ends.second;
    transition.probability = flow.count / rowSums[ends.first];
    transition.local =
        durationOf(std::max(flow.localMean - releaseNs(lock), 0.0), flow.localVariance, samples);
    transition.blockedNs = flow.blockedMean;
    transition.local.samples =
        static_cast<std::uint64_t>(std::max(1.0, independent * static_cast<double>(samples)));
    transition.samples = samples;
    result.network.transitions.push_back(transition);
  }
}

Expected<Construction> Builder::build() {
  if (profile.flags & format::runCountersOnly)
    return makeError("the profile has counts but no times: record again without counters_only=1");
  const bool repeated =
      std::any_of(profile.sections.begin(), profile.sections.end(),
                  [](const ProfiledSection &section) { return section.acquisitions > 1; });
  if (!repeated)
    return makeError("the profile has no critical section that ran twice: record a longer run, or "
                     "one that uses the locks");
  for (const std::string &shortcoming : shortcomings(profile))
    note(shortcoming);
  placeSections();
  addLocks();
  addSections();
  if (const std::optional<Error> error = addClasses())
    return tl::unexpected(*error);
  addRun();
  noteUnsteadiness();
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
    construction->notes.push_back(fmt::format(
        "{} times of over 20 us, {:.0f} ms in all, look like interrupts or the scheduler's "
        "and are left out; a quieter machine gives a better profile",
        removed.observations, removed.ns * 1e-6));
  return construction;
}

} // namespace qdadvise
