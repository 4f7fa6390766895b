// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/FixTable.h"

#include "advisor/decide/DataGroups.h"
#include "advisor/decide/Fixes.h"
#include "advisor/decide/Optimistic.h"
#include "advisor/decide/OptimisticRuns.h"
#include "advisor/model/locks/Station.h"
#include "advisor/support/Format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace qdadvise {
namespace {

FixCandidate candidate(std::size_t lock, std::string condition, NetworkChange change) {
  FixCandidate result;
  result.whatIf.lock = lock;
  result.whatIf.condition = std::move(condition);
  result.change = [change = std::move(change)](const Assignment &) { return change; };
  return result;
}

/// `the section at a.c:4`.
std::string named(const Section &section) {
  return section.site ? fmt::format("the section at {}:{}", section.site->file, section.site->line)
                      : fmt::format("section '{}'", section.name);
}

std::vector<FixCandidate> shrinkAt(const FixContext &context, std::size_t lock, double share) {
  // A change to a section that is held for less would hardly be noticed.
  constexpr double leastHeldShare = 0.1;
  double heldNs = 0;
  const auto heldIn = [&](std::size_t i) {
    return context.visits[i] * context.network.sections[i].hold.mean;
  };
  for (const std::size_t i : context.sectionsOf(lock))
    heldNs += heldIn(i);
  std::vector<FixCandidate> result;
  for (const std::size_t i : context.sectionsOf(lock)) {
    const Section &section = context.network.sections[i];
    if (heldIn(i) <= 0 || heldIn(i) < leastHeldShare * heldNs)
      continue;
    result.push_back(candidate(
        lock, fmt::format("if {:g} % of {} ran after its release", 100 * share, named(section)),
        [=](const Network &network) { return shrunk(network, i, share); }));
    result.back().whatIf.section = i;
  }
  return result;
}

/// The conflicts at a lock, by section of the network; empty where one of its sections was not
/// traced.
std::vector<SectionConflicts> conflictsAt(const FixContext &context, std::size_t lock) {
  for (const std::size_t i : context.sectionsOf(lock))
    if (!context.memoryOf(i))
      return {};
  return conflictsAt(context.network, lock, context.memory);
}

/// The probability that another execution at the same time gets into the way of one: what `report`
/// calls conflicts. In twice as many pairs one writes what the other uses; who ends first counts.
double conflictProbability(const FixContext &context, std::size_t lock,
                           const std::vector<SectionConflicts> &conflicts) {
  double sum = 0;
  for (const std::size_t i : context.sectionsOf(lock))
    sum += context.visits[i] * conflicts[i].probability;
  return sum;
}

std::vector<FixCandidate> splitAt(const FixContext &context, std::size_t lock, double ways) {
  // Sections that conflict have to meet at one lock, which two of them do in one of `ways` cases.
  const auto conflicts = conflictsAt(context, lock);
  if (!conflicts.empty() && 2 * conflictProbability(context, lock, conflicts) * ways > 1 + 1e-9)
    return {};
  const std::uint32_t instances = context.network.locks[lock].instances;
  return {candidate(
      lock,
      instances == 1 ? fmt::format("if it were {:g} locks, with the traffic divided evenly", ways)
                     : fmt::format("if each of its {} instances were {:g} locks", instances, ways),
      [=](const Network &network) {
        return split(network, lock, static_cast<std::uint32_t>(ways));
      })};
}

/// `the section at a.c:4, the section at a.c:9`, once each.
std::string named(const FixContext &context, const std::vector<std::size_t> &sections) {
  std::vector<std::string> names;
  for (const std::size_t i : sections)
    names.push_back(named(context.network.sections[i]));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return someOf(names, 2);
}

/// A lock for each group of sections without data in common. Rare sections are left out: they can
/// take several locks.
std::vector<FixCandidate> separateAt(const FixContext &context, std::size_t lock, double) {
  constexpr double rare = 0.01;
  if (context.network.locks[lock].instances != 1)
    return {};
  std::vector<std::size_t> sections;
  std::vector<const SectionMemory *> memories;
  for (const std::size_t i : context.sectionsOf(lock))
    if (context.visits[i] > rare) {
      sections.push_back(i);
      memories.push_back(context.memoryOf(i));
    }
  const std::optional<std::vector<DataGroup>> groups = dataGroups(memories);
  if (!groups || groups->size() < 2)
    return {};
  std::vector<std::string> parts;
  std::vector<double> held;
  for (const DataGroup &group : *groups) {
    std::vector<std::size_t> part;
    double heldNs = 0;
    for (const std::size_t i : group) {
      part.push_back(sections[i]);
      heldNs += context.visits[sections[i]] * context.network.sections[sections[i]].hold.mean;
    }
    parts.push_back(named(context, part));
    held.push_back(heldNs);
  }
  const double all = std::accumulate(held.begin(), held.end(), 0.0);
  if (all <= 0)
    return {};
  for (double &share : held)
    share /= all;
  return {candidate(lock,
                    fmt::format("if it were {} locks, one for {}, which have no data in common",
                                held.size(), fmt::join(parts, ", one for ")),
                    [=](const Network &network) { return separated(network, lock, held); })};
}

bool has(const FixContext &context, std::size_t lock,
         std::initializer_list<Hindrance::Kind> kinds) {
  const std::vector<Hindrance> &known = context.facts[lock].hindrances;
  return std::any_of(known.begin(), known.end(), [&](const Hindrance &hindrance) {
    return std::find(kinds.begin(), kinds.end(), hindrance.kind) != kinds.end();
  });
}

std::vector<FixCandidate> shareReadsAt(const FixContext &context, std::size_t lock, double) {
  using Kind = Hindrance::Kind;
  std::vector<std::size_t> readers;
  for (const std::size_t i : context.sectionsOf(lock)) {
    const SectionMemory *memory = context.memoryOf(i);
    if (!context.network.sections[i].shared && memory && memory->locationsWritten == 0)
      readers.push_back(i);
  }
  // A condition variable waits with a mutex.
  if (readers.empty() || has(context, lock, {Kind::conditionWait, Kind::recursive}))
    return {};
  const LockKind today = context.network.locks[lock].kind.kind;
  const bool sharesToday = algorithmOf(today).sharesReads;
  std::vector<FixCandidate> result;
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    if (!algorithm.sharesReads || (sharesToday && algorithm.kind != today) ||
        missingFigure(algorithm.kind, context.machine))
      continue;
    result.push_back(
        candidate(lock,
                  fmt::format("if {}, which {} not write, shared {}", named(context, readers),
                              readers.size() == 1 ? "does" : "do", withArticle(algorithm.label)),
                  [=](const Network &network) { return sharing(network, readers); }));
    result.back().whatIf.kind = algorithm.kind;
  }
  return result;
}

/// Whether its sections must not run without the lock, or twice.
bool needsItsLock(const FixContext &context, std::size_t lock) {
  using Kind = Hindrance::Kind;
  if (has(context, lock,
          {Kind::conditionWait, Kind::anyLockWait, Kind::recursive, Kind::innerLock}))
    return true;
  for (const std::size_t i : context.sectionsOf(lock))
    if (const auto &site = context.network.sections[i].site;
        site && (site->facts & (factWaits | factDoesIo | factTakesLock)))
      return true;
  return false;
}

/// An atomic operation costs little more than fetching the cache line, which is also why one runs
/// at a time (Schweizer, Besta and Hoefler, PACT 2015).
std::vector<FixCandidate> atomicAt(const FixContext &context, std::size_t lock, double) {
  const double transferNs = context.machine.lineTransferNs(static_cast<int>(context.population));
  bool isOne = context.facts[lock].isOneInteger;
  if (!isOne) {
    const std::vector<std::size_t> sections = context.sectionsOf(lock);
    isOne = !sections.empty() && std::all_of(sections.begin(), sections.end(), [&](std::size_t i) {
      const SectionMemory *memory = context.memoryOf(i);
      return memory && memory->updatesOneLocation();
    });
  }
  if (!isOne || needsItsLock(context, lock) || transferNs <= 0)
    return {};
  FixCandidate result =
      candidate(lock, "if each of its sections were one atomic operation",
                [=](const Network &network) { return asUpdates(network, lock, transferNs); });
  result.whatIf.kind = LockKind::ideal;
  return {std::move(result)};
}

/// From here on more executions fail than succeed, and which succeeds first is chance.
constexpr double mostRuns = 2;

std::vector<FixCandidate> optimisticAt(const FixContext &context, std::size_t lock, double) {
  std::vector<SectionConflicts> conflicts = conflictsAt(context, lock);
  if (conflicts.empty() || needsItsLock(context, lock))
    return {};
  FixCandidate result;
  result.whatIf.lock = lock;
  result.whatIf.kind = LockKind::ideal;
  result.whatIf.condition = fmt::format(
      "if its sections ran without it, and again after a conflict (probability {} beside "
      "another one)",
      formatPercent(conflictProbability(context, lock, conflicts)));
  result.change = [lock, conflicts = std::move(conflicts), &context](const Assignment &kinds) {
    auto often =
        optimisticRuns(withMovedData(context.network, lock, context.machine, context.population),
                       lock, conflicts, with(kinds, lock, LockKind::ideal), context.machine,
                       context.options.threads, context.options.predict);
    if (!often || often->empty() || *std::max_element(often->begin(), often->end()) > mostRuns)
      return NetworkChange();
    return NetworkChange([lock, often = std::move(*often), &context](const Network &network) {
      return asRuns(withMovedData(network, lock, context.machine, context.population), lock, often);
    });
  };
  return {std::move(result)};
}

} // namespace

std::vector<std::size_t> FixContext::sectionsOf(std::size_t lock) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i != network.sections.size(); ++i)
    if (network.sections[i].lock == lock)
      result.push_back(i);
  return result;
}

const SectionMemory *FixContext::memoryOf(std::size_t section) const {
  const bool isTraced =
      section < memory.size() && memory[section] && memory[section]->executions > 0;
  return isTraced ? &*memory[section] : nullptr;
}

const std::vector<Fix> &fixes() {
  static const std::vector<Fix> table{
      {"shrink", "=PERCENT", {0.5}, 1, 100, 0.01, false, shrinkAt},
      {"split", "=NUMBER", {4, 16}, 2, 1000, 1, false, splitAt},
      {"separate", "", {0}, 0, 0, 1, true, separateAt},
      {"share-reads", "", {0}, 0, 0, 1, true, shareReadsAt},
      {"atomic", "", {0}, 0, 0, 1, true, atomicAt},
      {"optimistic", "", {0}, 0, 0, 1, true, optimisticAt},
  };
  return table;
}

const Fix *findFix(const std::string &id) {
  for (const Fix &fix : fixes())
    if (id == fix.id)
      return &fix;
  return nullptr;
}

} // namespace qdadvise
