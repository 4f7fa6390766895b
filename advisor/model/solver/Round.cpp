// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Round.h"

#include "advisor/model/mva/Capacity.h"
#include "advisor/model/mva/ClassMixture.h"
#include "advisor/model/solver/CoresInUse.h"
#include "advisor/model/solver/LockStations.h"
#include "advisor/model/solver/NestedLocks.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/model/workload/Revisits.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace qdadvise {

namespace {

/// The outermost locks, with what a gradient leaves out.
ClosedNetwork networkFor(const Approximation &now, int population) {
  ClosedNetwork network = outermostLocks(now);
  const SolverOptions &options = now.given.options;
  if (options.startingPoints)
    network.strides =
        options.startingPoints->strides({options.part, now.given.instances, population});
  return network;
}

} // namespace

Expected<std::vector<Solution>> solveOneClass(const Approximation &now,
                                              const std::vector<int> &populations) {
  const ClosedNetwork input = networkFor(now, populations.back());
  auto states = TRY(now.given.options.method(input, populations));
  std::vector<Solution> result;
  for (NetworkState &state : states) {
    boundByCapacity(input, state);
    Solution &solution = result.emplace_back(solutionOf(now, state));
    solution.summary.method = now.given.options.method;
    ClassSolution all{static_cast<double>(state.threads), state.cyclesPerNs, 0};
    for (const LockSolution &lock : solution.locks)
      all.waitNs += lock.visits * std::max(0.0, lock.residenceNs - lock.holdNs);
    solution.classes = {all};
    solution.blocked = now.unknowns.traffic.blockedNs * state.cyclesPerNs;
  }
  return result;
}

namespace {

/// Solves the outermost locks for several classes by their mixture so far, and finds the next
/// mixture.
Expected<Solution> solveClasses(Approximation &now) {
  const LockedNetwork &given = now.given;
  const ClosedNetwork input = networkFor(now, now.unknowns.population);
  std::vector<ClassLoad> loads;
  for (std::size_t c = 0; c < given.classes.size(); ++c)
    loads.push_back(loadOf(now, c));
  const auto state = TRY(solveMixture(input, now.unknowns.population, loads, now.unknowns.rates,
                                      given.options.method, given.options.classMethod));
  Solution solution = solutionOf(now, state.mean);
  std::vector<double> found;
  for (std::size_t c = 0; c < given.classes.size(); ++c) {
    const ClassState &each = state.classes[c];
    found.push_back(each.cyclesPerNs);
    ClassSolution one{loads[c].threads, each.cyclesPerNs, 0};
    for (std::size_t i = 0; i < each.waitNs.size(); ++i) {
      const ClassVisits &at = loads[c].at[i];
      const LockStation &station = input.stations[i];
      const double slower =
          at.holdNs * (1 - 1 / heldNs(station.kind, {1, 1, station.load.stretch}));
      one.waitNs += station.count * at.visits * (each.waitNs[i] + slower);
    }
    for (std::size_t i = 0; i < given.locks.size(); ++i)
      if (now.demands.locks[i].directVisits > 0)
        one.waitNs +=
            visitsTo(given, now.demands.holds, i, given.classes[c].visits).visits *
            (given.isPerThread(i) ? solution.locks[i].residenceNs - solution.locks[i].holdNs
                                  : waitForCoreNs(now, i));
    solution.classes.push_back(one);
  }
  now.unknowns.approachMix(given, found);
  solution.blocked = now.unknowns.traffic.blockedNs * solution.cyclesPerNs;
  return solution;
}

Expected<Solution> solveOutermost(Approximation &now) {
  if (now.given.classes.size() > 1)
    return solveClasses(now);
  auto solutions = TRY(solveOneClass(now, {now.unknowns.population}));
  return std::move(solutions.front());
}

/// Adds the locks that are only taken inside others to a solution of the outermost ones.
std::optional<Error> addInnerLocks(Approximation &now, Solution &solution) {
  const LockedNetwork &given = now.given;
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    const LockDemand &lock = now.demands.locks[i];
    const bool isInner = lock.directVisits <= 0;
    if (lock.visits <= 0 || !isInner)
      continue;
    const auto inner = solveInnerLock(now, i, solution);
    if (!inner)
      return inner.error();
    solution.locks[i] = *inner;
    for (std::size_t c = 0; c < given.classes.size(); ++c)
      solution.classes[c].waitNs +=
          visitsTo(given, now.demands.holds, i, given.classes[c].visits).visits *
          (inner->residenceNs - inner->holdNs);
  }
  return std::nullopt;
}

/// Finds who comes to each lock next. Returns how far away the last visitors were, and 0 if that is
/// within the tolerance.
double updateVisitors(Approximation &now, const Solution &solution) {
  const LockedNetwork &given = now.given;
  std::vector<LockInUse> inUse;
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    const LockSolution &at = solution.locks[i];
    const double visits = now.demands.locks[i].visits;
    const double waitNs =
        std::max(0.0, at.residenceNs - at.holdNs - overheadNs(given, now.demands, i));
    inUse.push_back(
        {visits, visits > 0 ? waitNs : 0, at.residenceNs, at.contention, &given.locks[i].groups});
  }
  std::vector<ClassOfThreads> threads;
  for (std::size_t c = 0; c < given.classes.size(); ++c)
    threads.push_back(
        {solution.classes[c].threads, solution.classes[c].cyclesPerNs, &given.revisits[c]});
  const int population = now.unknowns.population;
  double change = 0;
  const std::vector<EffectiveVisitors> next =
      effectiveVisitorsAt(inUse, threads, solution.cyclesPerNs, population);
  for (std::size_t i = 0; i < next.size(); ++i)
    if (LockUnknowns &lock = now.unknowns.locks[i]; next[i].visitors > 0)
      change = std::max({change, lock.visitors.approach(next[i].visitors) / population,
                         lock.mixing.approach(next[i].mixing)});
  return change > given.options.visitorsTolerance ? change : 0;
}

/// How far the rates of several classes are from those of the round before.
double changeOfRates(const std::vector<double> &before, const Solution &solution) {
  double change = 0;
  for (std::size_t c = 0; before.size() > 1 && c < before.size(); ++c)
    if (const double rate = solution.classes[c].cyclesPerNs; rate > 0)
      change = std::max(change, std::abs(before[c] / rate - 1));
  return change;
}

} // namespace

Expected<double> iterate(Approximation &now, Solution &solution) {
  if (now.unknowns.cores)
    now.unknowns.cores->share();
  now.demands = demandsOf(now.given, now.unknowns);
  const std::vector<double> before = now.unknowns.rates;
  auto found = TRY(solveOutermost(now));
  solution = std::move(found);
  if (auto fault = addInnerLocks(now, solution))
    return Unexpected(*fault);
  double change = changeOfRates(before, solution);
  if (now.given.nested)
    change = std::max(change, waitInside(now, solution));
  if (now.unknowns.cores)
    change = std::max(change, now.unknowns.cores->update(coreUseOf(now, solution)));
  if (now.given.moving)
    change = std::max(change, updateVisitors(now, solution));
  // std::max ignores what is not a number.
  return std::isfinite(solution.cyclesPerNs) ? change : solution.cyclesPerNs;
}

} // namespace qdadvise
