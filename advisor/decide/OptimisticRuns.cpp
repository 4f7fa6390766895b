// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/OptimisticRuns.h"

#include "advisor/decide/Fixes.h"
#include "advisor/decide/Optimistic.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/DataMovement.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

/// A part of a section's executions: those that take equally long each time they run.
struct Executions {
  std::size_t section = 0; ///< of the network
  double share = 1;        ///< of the visits to the lock
  double time = 1;         ///< of one run; the mean of those that write is 1
  double conflict = 0;     ///< probability, with an execution that writes
  bool writes = true;
  double success = 1; ///< probability that a run succeeds
};

struct Time {
  double share, time;
};
/// The coefficient of variation that a repeated run has anew: at most an exponential
/// distribution's, and less where times are more skewed than a gamma distribution's. Rare
/// executions that take much longer are interruptions, which do not come again.
double ownVariation(const Duration &hold) {
  const double skewness = skewnessOf(hold);
  const double share = skewness > 0 ? std::min(1.0, 2 * hold.cv / skewness) : 1;
  return std::min(1.0, hold.cv * share);
}

/// A gamma distribution of mean 1, as times with their shares.
std::vector<Time> gammaTimes(double cv) {
  constexpr int points = 64;
  if (cv < 0.01)
    return {{1, 1}};
  const double shape = 1 / (cv * cv);
  const double from = std::max(0.0, 1 - 6 * cv), to = 1 + 10 * cv;
  std::vector<Time> result;
  double sum = 0, mean = 0;
  for (int i = 0; i != points; ++i) {
    const double time = from + (to - from) * (i + 0.5) / points;
    const double density = std::exp((shape - 1) * std::log(time) - shape * (time - 1));
    result.push_back({density, time});
    sum += density;
    mean += density * time;
  }
  for (Time &one : result) {
    one.share /= sum;
    one.time *= sum / mean;
  }
  return result;
}

double writersRuns(const std::vector<Executions> &all) {
  double sum = 0;
  for (const Executions &one : all)
    sum += one.writes ? one.share / one.success : 0;
  return sum;
}

/// Of a run that ends so long after the last commit; the commits before that one have come at
/// random, so many in a unit of time.
double clearAt(double age, const Executions &run, double commits) {
  return age >= run.time
             ? 1
             : (1 - run.conflict) * std::exp(-run.conflict * commits * (run.time - age));
}

/// One step, a part of the way: the less succeeds, the more is run. Runs end at random, `ends` of
/// writers in a unit of time, and commit if nothing that they conflict with has committed while
/// they ran.
void updateSuccess(std::vector<Executions> &all, double ends, double part, double &commits) {
  constexpr int cells = 200; // of the age, up to the longest run, narrow ones first
  const double runs = writersRuns(all);
  if (ends <= 0 || runs <= 0)
    return;
  double longest = 0;
  for (const Executions &one : all)
    longest = std::max(longest, one.time);
  std::vector<double> clear(all.size(), 0); // expected time in which a run's end would be
  double none = 1, time = 0; // that no commit has come since; expected time until the next one
  for (int cell = 0; cell != cells; ++cell) {
    const double from = longest * cell * cell / (cells * cells);
    const double to = longest * (cell + 1) * (cell + 1) / (cells * cells);
    std::vector<double> now;
    double commit = 0;
    for (const Executions &one : all) {
      now.push_back(clearAt((from + to) / 2, one, commits));
      commit += one.writes ? one.share / one.success * now.back() : 0;
    }
    commit *= ends / runs;
    const double after = none * std::exp(-commit * (to - from));
    const double spent = commit * (to - from) > 1e-9 ? (none - after) / commit : none * (to - from);
    for (std::size_t i = 0; i != all.size(); ++i)
      clear[i] += spent * now[i];
    time += spent;
    none = after;
  }
  // Older than any run: whichever ends next commits.
  const double rest = none / ends;
  const auto towards = [part](double from, double to) { return from * std::pow(to / from, part); };
  for (std::size_t i = 0; i != all.size(); ++i)
    all[i].success = towards(all[i].success, (clear[i] + rest) / (time + rest));
  commits = commits > 0 ? towards(commits, 1 / (time + rest)) : 1 / (time + rest);
}

/// By section of the network, until they are through, over one run.
std::vector<double> timesOf(const std::vector<Executions> &all, std::size_t sections) {
  std::vector<double> once(sections, 0), until(sections, 0);
  for (const Executions &one : all) {
    once[one.section] += one.share * one.time;
    until[one.section] += one.share * one.time / one.success;
  }
  for (std::size_t i = 0; i != sections; ++i)
    until[i] = once[i] > 0 ? until[i] / once[i] : 1;
  return until;
}

std::optional<SectionConflicts> sectionConflicts(const SectionMemory &memory) {
  const auto all = conflictsOf(memory);
  if (!all)
    return std::nullopt;
  if (memory.writers == 0 && memory.locationsWritten > 0) // not told
    return SectionConflicts{all->probability, 1, all->probability};
  return SectionConflicts{all->probability, memory.mean(memory.writers), all->ofWriters};
}

} // namespace

double SectionConflicts::ofReaders() const {
  return writers < 1 ? std::max(0.0, (probability - writers * ofWriters) / (1 - writers)) : 0;
}

std::vector<SectionConflicts> conflictsAt(const Network &network, std::size_t lock,
                                          const std::vector<std::optional<SectionMemory>> &memory) {
  SectionMemory sum;
  for (std::size_t i = 0; i != memory.size(); ++i)
    if (network.sections[i].lock == lock && memory[i])
      sum.merge(*memory[i]);
  const auto mean = sectionConflicts(sum);
  if (!mean)
    return {};
  std::vector<SectionConflicts> result(network.sections.size(), *mean);
  for (std::size_t i = 0; i != memory.size(); ++i)
    if (const auto own = memory[i] ? sectionConflicts(*memory[i]) : std::nullopt)
      result[i] = *own;
  return result;
}

Network withMovedData(Network network, std::size_t lock, const Machine &machine, double threads) {
  const DataMovement movement(machine);
  for (Section &section : network.sections)
    if (section.lock == lock && section.footprint) {
      const double whole = section.hold.mean + movement(*section.footprint, threads).free;
      section.hold.cv *= whole > 0 ? section.hold.mean / whole : 1;
      section.hold.mean = whole;
      section.hold.dist = Distribution::unspecified;
    }
  return network;
}

std::optional<std::vector<double>> optimisticRuns(const Network &network, std::size_t lock,
                                                  const std::vector<SectionConflicts> &conflicts,
                                                  const Assignment &kinds, const Machine &machine,
                                                  int threads, const PredictOptions &options) {
  const std::vector<double> visits = visitsToLocks(network);
  double writers = 0, unitNs = 0; // share of the visits, and their mean time
  for (std::size_t i = 0; i != network.sections.size(); ++i)
    if (network.sections[i].lock == lock) {
      const double share = visits[i] * conflicts[i].writers;
      writers += share;
      unitNs += share * network.sections[i].hold.mean;
    }
  const std::vector<double> neverSucceed;
  std::vector<double> times(network.sections.size(), 1);
  if (writers <= 0 || unitNs <= 0)
    return times;
  unitNs /= writers;

  const double population = populationOf(network, trafficOf(network), threads);
  double others = 0; // share of what happens at the instance that one is at
  for (const InstanceGroup &group : groupsOf(network.locks[lock]))
    others += group.count * group.share * group.share * std::max(0.0, 1 - 1 / population);

  std::vector<Executions> all;
  for (std::size_t i = 0; i != network.sections.size(); ++i) {
    if (network.sections[i].lock != lock)
      continue;
    const Duration &hold = network.sections[i].hold;
    // p_c is half of the chance that another execution, whichever, writes what this one uses.
    const auto withWriter = [&](double probability) {
      return std::min(1.0, 2 * probability / writers);
    };
    for (const Time &one : gammaTimes(ownVariation(hold)))
      for (const bool writes : {true, false}) {
        const double share = writes ? conflicts[i].writers : 1 - conflicts[i].writers;
        if (share > 0)
          all.push_back({i, visits[i] * share * one.share, one.time * hold.mean / unitNs,
                         withWriter(writes ? conflicts[i].ofWriters : conflicts[i].ofReaders()),
                         writes});
      }
  }

  PredictOptions quick = options;
  quick.model = "recursion";
  constexpr int mostSteps = 300;
  double commits = 0, part = 0.5, last = 0;
  for (int step = 0; step != mostSteps; ++step) {
    const auto prediction = predict(asRuns(network, lock, times), kinds, machine, threads, quick);
    if (!prediction || !prediction->impossible.empty())
      return std::nullopt;
    const double visitsInUnit = prediction->locks[lock].throughputPerS * 1e-9 * unitNs;
    updateSuccess(all, visitsInUnit * others * writersRuns(all), part, commits);
    const std::vector<double> next = timesOf(all, times.size());
    double off = 0; // where it is most, with its sign
    for (std::size_t i = 0; i != times.size(); ++i)
      if (const double own = std::log(next[i] / times[i]); std::abs(own) > std::abs(off))
        off = own;
    times = next;
    if (!std::isfinite(off))
      return neverSucceed;
    if (std::abs(off) < 1e-6 * part)
      return times;
    if (off * last < 0 && std::abs(off) > std::abs(last) / 2)
      part = std::max(part / 2, 1.0 / 32);
    last = off;
  }
  return neverSucceed;
}

std::optional<PredictedOptimism> predictedOptimism(const Network &network, std::size_t lock,
                                                   const std::vector<SectionConflicts> &conflicts,
                                                   const Assignment &kinds, const Machine &machine,
                                                   const Prediction &locked,
                                                   const PredictOptions &options) {
  if (!locked.impossible.empty())
    return std::nullopt;
  PredictOptions quick = options;
  quick.model = "recursion";
  quick.coresAlways = true;
  const int threads = static_cast<int>(locked.threads);
  const Network moved =
      withMovedData(network, lock, machine, populationOf(network, trafficOf(network), threads));
  const Assignment without = with(kinds, lock, LockKind::ideal);
  const auto times = optimisticRuns(moved, lock, conflicts, without, machine, threads, quick);
  if (!times)
    return std::nullopt;
  if (times->empty())
    return PredictedOptimism{1, 0};
  const auto after = predict(asRuns(moved, lock, *times), without, machine, threads, quick);
  if (!after || !after->impossible.empty())
    return std::nullopt;
  const std::vector<double> visits = visitsToLocks(network);
  double once = 0, all = 0;
  for (std::size_t i = 0; i != times->size(); ++i)
    if (moved.sections[i].lock == lock) {
      once += visits[i] * moved.sections[i].hold.mean;
      all += visits[i] * moved.sections[i].hold.mean * (*times)[i];
    }
  return PredictedOptimism{all > 0 ? 1 - once / all : 0,
                           after->throughputPerS / locked.throughputPerS};
}

} // namespace qdadvise
