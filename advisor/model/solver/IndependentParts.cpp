// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/IndependentParts.h"

#include "advisor/model/solver/LockedNetwork.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace qdadvise {

namespace {

bool shareALock(const Network &network, const Traffic &a, const Traffic &b) {
  std::vector<bool> taken(network.locks.size(), false);
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (a.visits[i] > 0)
      taken[network.sections[i].lock] = true;
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    const std::size_t lock = network.sections[i].lock;
    if (b.visits[i] > 0 && taken[lock] && !network.locks[lock].perThread)
      return true;
  }
  return false;
}

/// The threads of a part are anywhere among all threads, so among the processors that these have.
Machine machineOfParts(const Machine &machine, int population) {
  if (machine.placement == ThreadPlacement::spread)
    return machine;
  Machine used = machine.withProcessors(std::min(population, machine.cores));
  used.placement = ThreadPlacement::spread;
  return used;
}

/// Returns the less certain of two summaries, with the rounds of both.
SolverSummary lessCertain(SolverSummary a, const SolverSummary &b) {
  const int rounds = a.rounds + b.rounds;
  const SolverBound bound = std::max(a.bound, b.bound);
  if (b.closestChange > a.closestChange)
    a = b;
  a.rounds = rounds;
  a.bound = bound;
  return a;
}

/// Adds a part's solution, which holds for a share of the time, to one of the whole, whose visits
/// are per cycle of any class.
void add(Solution &whole, const Solution &part, double share,
         const std::vector<std::size_t> &classes) {
  const double before = whole.cyclesPerNs, cycles = share * part.cyclesPerNs;
  whole.cyclesPerNs += cycles;
  for (LockSolution &lock : whole.locks)
    lock.visits *= before / whole.cyclesPerNs;
  for (std::size_t i = 0; i < part.locks.size(); ++i) {
    const LockSolution &from = part.locks[i];
    LockSolution &to = whole.locks[i];
    const double visits = from.visits * cycles / whole.cyclesPerNs, all = to.visits + visits;
    if (visits <= 0)
      continue;
    for (const auto figure :
         {&LockSolution::holdNs, &LockSolution::coherenceMissNs, &LockSolution::residenceNs,
          &LockSolution::contention, &LockSolution::foundTaken, &LockSolution::queueLengthWhenBusy,
          &LockSolution::busiestShare, &LockSolution::stretch})
      to.*figure = (to.visits * (to.*figure) + visits * (from.*figure)) / all;
    to.visits = all;
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    ClassSolution &to = whole.classes[classes[i]];
    const ClassSolution &from = part.classes[i];
    const double rate = share * from.cyclesPerNs, all = to.cyclesPerNs + rate;
    to.waitNs = all > 0 ? (to.cyclesPerNs * to.waitNs + rate * from.waitNs) / all : 0;
    to.cyclesPerNs = all;
    to.threads += share * from.threads;
  }
  whole.summary = lessCertain(whole.summary, part.summary);
  whole.summary.method = part.summary.method;
}

/// 2.4 are two for six tenths of the time, and three for the rest: counts above zero, and their
/// shares of the time.
std::vector<std::pair<int, double>> wholeNumbers(double mean) {
  constexpr double smallestShare = 1e-9;
  const double fewer = std::floor(mean), more = mean - fewer;
  std::vector<std::pair<int, double>> result;
  for (const auto &[count, share] : {std::pair(fewer, 1 - more), std::pair(fewer + 1, more)})
    if (count > 0 && share > smallestShare)
      result.emplace_back(static_cast<int>(count), share);
  return result;
}

/// Traffic that holds for a share of the time.
struct Alternative {
  std::vector<Traffic> traffic;
  double share = 1;
};

/// A single class with whole numbers of threads.
std::vector<Alternative> wholeThreads(const std::vector<Traffic> &traffic, int scalingThreads) {
  if (traffic.size() > 1)
    return {{traffic, 1}};
  const double threads = traffic.front().threads(scalingThreads);
  std::vector<Alternative> result;
  for (const auto &[count, share] : wholeNumbers(threads)) {
    result.push_back({traffic, share});
    result.back().traffic.front().share *= count / threads;
  }
  return result;
}

/// How many of the classes' threads would not be blocked, were each alone.
double awakeThreads(const Network &network, const std::vector<Traffic> &traffic,
                    int scalingThreads) {
  double sum = 0;
  for (const Traffic &one : traffic)
    sum += one.threads(scalingThreads) * (1 - one.blockedNs / aloneNs(network, one));
  return sum;
}

} // namespace

std::vector<std::vector<std::size_t>> independentParts(const Network &network,
                                                       const std::vector<Traffic> &traffic) {
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t c = 0; c < traffic.size(); ++c) {
    std::vector<std::size_t> joined{c};
    std::erase_if(parts, [&](const std::vector<std::size_t> &part) {
      const bool meets = std::any_of(part.begin(), part.end(), [&](std::size_t other) {
        return shareALock(network, traffic[c], traffic[other]);
      });
      if (meets)
        joined.insert(joined.end(), part.begin(), part.end());
      return meets;
    });
    std::sort(joined.begin(), joined.end());
    parts.push_back(std::move(joined));
  }
  return parts;
}

Expected<std::vector<Solution>> solveInParts(const SolverProblem &problem,
                                             const std::vector<int> &threads,
                                             const SolverOptions &options) {
  const auto parts = independentParts(problem.network, problem.traffic);
  if (parts.size() < 2)
    return solveNetwork(problem, threads, options);
  std::vector<Solution> result;
  for (const int count : threads) {
    const LockedNetwork together(problem, count, options);
    const int population =
        mergeTraffic(problem.network, problem.traffic, count, together.ratesAlone).population;
    const double awake = awakeThreads(problem.network, problem.traffic, count);
    const bool isShort = together.isShort(population) && awake > 0;
    const Machine machine = machineOfParts(problem.machine, population);
    Solution whole;
    whole.locks.resize(problem.network.locks.size());
    whole.classes.resize(problem.traffic.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<Traffic> traffic;
      for (const std::size_t c : parts[i])
        traffic.push_back(problem.traffic[c]);
      SolverOptions own = options;
      own.part = i;
      const double cores =
          options.cores * (isShort ? awakeThreads(problem.network, traffic, count) / awake : 1);
      for (const auto &[most, time] : wholeNumbers(cores))
        for (const Alternative &one : wholeThreads(traffic, count)) {
          own.cores = most;
          const auto solutions = TRY(
              solveNetwork({problem.network, problem.kinds, machine, one.traffic}, {count}, own));
          add(whole, solutions.front(), time * one.share, parts[i]);
        }
    }
    std::vector<double> rates;
    for (const ClassSolution &one : whole.classes)
      rates.push_back(one.cyclesPerNs);
    whole.population = population;
    whole.blocked = std::accumulate(rates.begin(), rates.end(), 0.0) *
                    mergeTraffic(problem.network, problem.traffic, count, rates).blockedNs;
    result.push_back(std::move(whole));
  }
  return result;
}

} // namespace qdadvise
