// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Solver.h"

#include "advisor/model/locks/Station.h"
#include "advisor/model/mva/ClassMixture.h"
#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/CoresInUse.h"
#include "advisor/model/solver/LockStations.h"
#include "advisor/model/solver/NestedLocks.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/model/workload/Revisits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace qdadvise {

namespace {

/// One class, and the outermost locks.
Expected<std::vector<Solution>> solveOneClass(const Approximation &now,
                                              const std::vector<int> &populations) {
  const auto states = now.given.options.method(outermostLocks(now), populations);
  if (!states)
    return tl::unexpected(states.error());
  std::vector<Solution> result;
  for (const NetworkState &state : *states) {
    Solution &solution = result.emplace_back(solutionOf(now, state));
    ClassSolution all{static_cast<double>(state.threads), state.cyclesPerNs, 0};
    for (const LockSolution &lock : solution.locks)
      all.waitNs += lock.visits * std::max(0.0, lock.residenceNs - lock.holdNs);
    solution.classes = {all};
    solution.blocked = now.unknowns.traffic.blockedNs * state.cyclesPerNs;
  }
  return result;
}

/// Several classes and the outermost locks, by the mixture of them so far; finds the next.
Expected<Solution> solveClasses(Approximation &now) {
  const LockedNetwork &given = now.given;
  const ClosedNetwork input = outermostLocks(now);
  std::vector<ClassLoad> loads;
  for (const Traffic &one : given.classes)
    loads.push_back(loadOf(now, one));
  const auto state = solveMixture(input, now.unknowns.population, loads, given.options.method,
                                  given.options.classMethod);
  if (!state)
    return tl::unexpected(state.error());
  Solution solution = solutionOf(now, state->mean);
  std::vector<double> found;
  for (std::size_t c = 0; c < given.classes.size(); ++c) {
    const ClassState &each = state->classes[c];
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
  auto solutions = solveOneClass(now, {now.unknowns.population});
  if (!solutions)
    return tl::unexpected(solutions.error());
  return std::move(solutions->front());
}

/// Puts the locks that are only taken inside others into a solution of the outermost ones.
std::optional<Error> addInnerLocks(const Approximation &now, Solution &solution) {
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

/// Who comes to each lock next. How far away the last ones were, unless next to it: data take no
/// more than a share of a section.
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
  return change > 1e-3 ? change : 0;
}

/// How far the rates of several classes are from those before.
double changeOfRates(const std::vector<double> &before, const Solution &solution) {
  double change = 0;
  for (std::size_t c = 0; before.size() > 1 && c < before.size(); ++c)
    if (const double rate = solution.classes[c].cyclesPerNs; rate > 0)
      change = std::max(change, std::abs(before[c] / rate - 1));
  return change;
}

/// What does not depend on waiting, for so many threads of the mean class.
void begin(Approximation &now, int population) {
  const LockedNetwork &given = now.given;
  Unknowns &unknowns = now.unknowns;
  unknowns.population = population;
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    unknowns.locks[i].visitors = Damped{visitorsOf(given, unknowns, i), 1};
    unknowns.locks[i].mixing = Damped{1, 1};
  }
  unknowns.cores.reset();
  if (given.isShort(population))
    unknowns.cores.emplace(population, given.options.cores, schedulingOf(given.machine),
                           given.locks.size());
}

/// Where a round found least to change so far.
struct Closest {
  int round = 0;
  double change = std::numeric_limits<double>::infinity();
  Unknowns unknowns;
  Demands demands;
  Solution solution;

  /// A fixpoint that jumps, or that is none, is given up where nothing better comes any more.
  bool hasStagnated(int now) const {
    constexpr double near = 1e-4;
    constexpr int roundsNear = 6, roundsAway = 60;
    return now - round >= (change <= near ? roundsNear : roundsAway);
  }
};

/// One round: a solution of what is known, from which the next round's follows. Returns how far
/// that is from this one's, relative; not finite where there is none.
Expected<double> iterate(Approximation &now, Solution &solution) {
  now.demands = demandsOf(now.given, now.unknowns);
  const std::vector<double> before = now.unknowns.rates;
  auto found = solveOutermost(now);
  if (!found)
    return tl::unexpected(found.error());
  solution = std::move(*found);
  if (auto fault = addInnerLocks(now, solution))
    return tl::unexpected(*fault);
  double change = changeOfRates(before, solution);
  if (now.given.nested)
    change = std::max(change, waitInside(now, solution));
  if (now.unknowns.cores)
    change = std::max(change, now.unknowns.cores->update(coreUseOf(now, solution)));
  if (now.given.moving)
    change = std::max(change, updateVisitors(now, solution));
  // No maximum notices what is not a number.
  return std::isfinite(solution.cyclesPerNs) ? change : solution.cyclesPerNs;
}

/// For so many threads of the mean class, beginning with what is known already.
///
/// Nested sections: the outer holding times contain the inner residence times, which
/// depend on how often the outer locks are taken. Several classes: how often each goes
/// round depends on what it waits. Shared cores: how long threads wait for one depends on
/// how long they wait for locks, and the other way round. Damped iteration.
Expected<Solution> solveFor(Approximation &now, int population) {
  constexpr double settled = 1e-3;
  const SolverOptions &options = now.given.options;
  const StartingPoints::Key key{options.instances, population};
  const Unknowns *const start =
      options.startingPoints ? options.startingPoints->find(key) : nullptr;
  // A gradient's steps are of a thousandth.
  const double still = start ? 1e-6 : 1e-7;
  if (start) {
    now.unknowns = *start;
    now.unknowns.mix(now.given, start->rates);
  } else {
    begin(now, population);
  }
  Closest closest{0, std::numeric_limits<double>::infinity(), now.unknowns, {}, {}};
  for (int round = 0; round < 300 && !closest.hasStagnated(round); ++round) {
    Solution solution;
    const auto change = iterate(now, solution);
    if (!change)
      return tl::unexpected(change.error());
    if (!std::isfinite(*change))
      break;
    if (*change < closest.change)
      closest = {round, *change, now.unknowns, now.demands, std::move(solution)};
    if (*change <= still)
      break;
  }
  if (!std::isfinite(closest.change))
    return tl::unexpected(
        Error{"times and visits of the network are too far apart: its solution is "
              "no number"});
  now.unknowns = std::move(closest.unknowns);
  now.demands = std::move(closest.demands);
  Solution solution = std::move(closest.solution);
  solution.settled = closest.change <= settled;
  if (options.startingPoints && !start && solution.settled && !now.unknowns.cores)
    options.startingPoints->keep(key, now.unknowns);
  if (now.unknowns.cores) {
    keepTogether(now, solution);
    boundByCores(now, solution);
  }
  return solution;
}

/// One class of threads, for several numbers of them.
Expected<std::vector<Solution>> solveSweep(const LockedNetwork &given,
                                           const std::vector<int> &threads) {
  Approximation now{given, Unknowns(given), {}};
  std::vector<int> populations;
  for (const int count : threads)
    populations.push_back(
        mergeTraffic(given.network, given.classes, count, given.ratesAlone).population);
  // One recursion serves all populations that no fixpoint depends on.
  std::vector<int> shared;
  for (const int size : populations)
    if (!given.nested && !given.moving && !given.isShort(size) &&
        (shared.empty() || shared.back() != size))
      shared.push_back(size);
  std::map<int, Solution> solutions;
  if (!shared.empty()) {
    now.demands = demandsOf(given, now.unknowns);
    auto solved = solveOneClass(now, shared);
    if (!solved)
      return solved;
    for (Solution &solution : *solved)
      solutions[solution.population] = std::move(solution);
  }
  std::vector<Solution> result;
  for (const int size : populations) {
    if (solutions.count(size) == 0) {
      auto solution = solveFor(now, size);
      if (!solution)
        return tl::unexpected(solution.error());
      solutions[size] = std::move(*solution);
    }
    result.push_back(solutions[size]);
  }
  return result;
}

/// Lock classes of which one instance is taken while another is held.
std::vector<std::size_t> selfNestedLocks(const Network &network) {
  std::set<std::size_t> found;
  for (const Section &section : network.sections)
    for (auto outer = section.inside; outer; outer = network.sections[*outer].inside)
      if (network.sections[*outer].lock == section.lock &&
          network.locks[section.lock].instances > 1 && !network.locks[section.lock].perThread)
        found.insert(section.lock);
  return {found.begin(), found.end()};
}

Expected<std::vector<Solution>>
solveAll(const Network &network, const std::vector<std::string> &kinds, const Machine &machine,
         const std::vector<Traffic> &traffic, const std::vector<int> &threads,
         const SolverOptions &options) {
  if (traffic.size() == 1)
    return solveSweep({network, kinds, machine, traffic, threads.front(), options}, threads);
  std::vector<Solution> result;
  for (const int count : threads) {
    const LockedNetwork given(network, kinds, machine, traffic, count, options);
    Approximation now{given, Unknowns(given), {}};
    auto solution = solveFor(now, now.unknowns.traffic.population);
    if (!solution)
      return tl::unexpected(solution.error());
    result.push_back(std::move(*solution));
  }
  return result;
}

} // namespace

Expected<std::vector<Solution>>
solveNetwork(const Network &network, const std::vector<std::string> &kinds, const Machine &machine,
             const std::vector<Traffic> &traffic, const std::vector<int> &threads,
             const SolverOptions &options) {
  // What is no station asks for no figures.
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (network.locks[i].perThread)
      if (const auto missing = missingFigure(kinds[i], machine))
        return tl::unexpected(*missing);
  auto solutions = solveAll(network, kinds, machine, traffic, threads, options);
  const std::vector<std::size_t> selfNested = selfNestedLocks(network);
  if (!solutions || selfNested.empty())
    return solutions;
  if (options.startingPoints && options.startingPoints->needsNoBound())
    return solutions;
  // Who holds an instance and waits for another keeps others from it, so that the fixpoint
  // may have no bottom. But somebody always goes on: the class as one lock is the worst case.
  const auto withInstances = [&](std::uint32_t count) {
    Network changed = network;
    for (const std::size_t lock : selfNested) {
      changed.locks[lock].instances = count;
      changed.locks[lock].shares.clear();
    }
    SolverOptions others = options;
    others.instances = count;
    return solveAll(changed, kinds, machine, traffic, threads, others);
  };
  auto bounds = withInstances(1);
  if (!bounds)
    return bounds;
  bool lost = false; // with more threads it is no better
  for (std::size_t i = 0; i < solutions->size(); ++i) {
    Solution &solution = (*solutions)[i], &bound = (*bounds)[i];
    lost = lost || !solution.settled || solution.cyclesPerNs < bound.cyclesPerNs;
    if (!lost || solution.population <= 1)
      continue;
    // What is taken inside the one lock is counted as taken, as its instances are.
    for (const std::size_t lock : selfNested) {
      if (solution.locks[lock].visits <= 0)
        continue;
      const double counted = bound.locks[lock].visits / solution.locks[lock].visits;
      bound.locks[lock].visits = solution.locks[lock].visits;
      bound.locks[lock].residenceNs *= counted;
      bound.locks[lock].holdNs *= counted;
    }
    solution = std::move(bound);
    solution.asOneLock = true;
  }
  if (options.startingPoints)
    options.startingPoints->noteBound(lost);
  if (!lost)
    return solutions;
  // Who meets nobody there is as fast as can be.
  constexpr std::uint32_t plenty = 1'000'000;
  constexpr double close = 0.95;
  const auto best = withInstances(plenty);
  for (std::size_t i = 0; i < solutions->size(); ++i) {
    Solution &solution = (*solutions)[i];
    solution.isLoose =
        solution.asOneLock &&
        (!best || !(*best)[i].settled || solution.cyclesPerNs < close * (*best)[i].cyclesPerNs);
  }
  return solutions;
}

} // namespace qdadvise
