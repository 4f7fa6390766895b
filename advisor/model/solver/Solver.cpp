// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Solver.h"

#include "advisor/model/locks/Station.h"
#include "advisor/model/solver/Approximation.h"
#include "advisor/model/solver/CoresInUse.h"
#include "advisor/model/solver/InstanceBounds.h"
#include "advisor/model/solver/LongerSteps.h"
#include "advisor/model/solver/NewtonSteps.h"
#include "advisor/model/solver/Progress.h"
#include "advisor/model/solver/Round.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/support/ForEachIndex.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace qdadvise {

namespace {

/// Starts the iteration for so many threads of the mean class, where nobody waits. It begins anew
/// for each number of threads: where the last one came to rest, steps have become small.
void begin(Approximation &now, int population) {
  const LockedNetwork &given = now.given;
  Unknowns &unknowns = now.unknowns;
  unknowns = Unknowns(given);
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

/// The round that changed the solution least so far.
class Closest {
public:
  explicit Closest(const Unknowns &start) : unknowns(start) {}

  int round = 0;
  double change = std::numeric_limits<double>::infinity();
  Unknowns unknowns;
  Demands demands;
  Solution solution;

  /// The last round that came closer by more than a little. An iteration that jumps away each time
  /// comes back a little closer each time.
  int progressRound = 0;
  double progressChange = std::numeric_limits<double>::infinity();

  bool hasStagnated(int now, const SolverOptions &options) const {
    return change <= options.nearTolerance ? now - round >= options.stagnationRoundsNear
                                           : now - progressRound >= options.stagnationRounds;
  }
  void keep(int now, double found, const Approximation &state, Solution solved) {
    round = now;
    change = found;
    unknowns = state.unknowns;
    demands = state.demands;
    solution = std::move(solved);
    if (change <= progress * progressChange) {
      progressRound = now;
      progressChange = change;
    }
  }

private:
  static constexpr double progress = 0.8;
};

/// The change of a solution from which on steps are longer (SOL10).
constexpr double nearby = 0.3;
/// A fixpoint is followed from so many threads on, by one more and by this part of them each time.
constexpr int firstFollowed = 2, followedPart = 5;
/// It is given up after so many rounds.
constexpr int mostFollowing = 1000;

/// Iterates until the solution rests, or comes no closer to that any more. Leaves the closest
/// round's solution, unknowns and demands.
Expected<Solution> iterateToRest(Approximation &now, double restTolerance,
                                 double longerFrom = nearby) {
  const SolverOptions &options = now.given.options;
  Closest closest(now.unknowns);
  LongerSteps longer(now.given, now.unknowns, longerFrom);
  SolverSummary summary{.stop = SolverStop::roundLimit, .method = options.method};
  for (int round = 0; round < options.maxRounds; ++round) {
    if (closest.hasStagnated(round, options)) {
      summary.stop = SolverStop::stagnated;
      break;
    }
    Solution solution;
    const auto change = TRY(iterate(now, solution));
    ++summary.rounds;
    if (!std::isfinite(change)) {
      summary.stop = SolverStop::noNumber;
      break;
    }
    if (change < closest.change)
      closest.keep(round, change, now, std::move(solution));
    if (change <= restTolerance) {
      summary.stop = SolverStop::atRest;
      break;
    }
    longer.afterRound(change);
  }
  if (!std::isfinite(closest.change))
    return makeError(
        "times and visits of the network are too far apart: its solution is no number");
  now.unknowns = std::move(closest.unknowns);
  now.demands = std::move(closest.demands);
  summary.closestChange = closest.change;
  summary.status = closest.change <= options.convergedTolerance ? SolverStatus::converged
                                                                : SolverStatus::notConverged;
  closest.solution.summary = summary;
  return std::move(closest.solution);
}

/// The same, and once more in short steps if that did not settle. Leaves the closer one.
Expected<Solution> iterateCalmly(Approximation &now, double restTolerance) {
  auto first = TRY(iterateToRest(now, restTolerance));
  if (first.summary.converged() || first.summary.stop != SolverStop::stagnated ||
      now.unknowns.cores)
    return first;
  const Unknowns unknowns = now.unknowns;
  const Demands demands = now.demands;
  for (Damped *const one : now.unknowns.damped())
    one->calm(now.given.options.calmStep);
  auto second = iterateToRest(now, restTolerance);
  const int rounds = first.summary.rounds + (second ? second->summary.rounds : 0);
  Solution closer = std::move(first);
  if (second && second->summary.closestChange < closer.summary.closestChange) {
    closer = std::move(*second);
  } else {
    now.unknowns = unknowns;
    now.demands = demands;
  }
  closer.summary.rounds = rounds;
  return closer;
}

/// Where the iteration on shared cores does not settle, it begins anew without longer steps. Leaves
/// what is closer.
Solution iterateShortly(Approximation &now, Solution closest, double restTolerance) {
  Approximation anew{now.given, Unknowns(now.given), {}};
  begin(anew, now.unknowns.population);
  auto found = iterateToRest(anew, restTolerance, 0);
  if (!found || found->summary.closestChange >= closest.summary.closestChange)
    return closest;
  found->summary.rounds += closest.summary.rounds;
  now.unknowns = std::move(anew.unknowns);
  now.demands = std::move(anew.demands);
  return std::move(*found);
}

/// Where the iteration does not settle, its fixpoint is followed from few threads on, and anew from
/// the next number of threads that settles where it is lost (SOL12). Leaves `closest` where that
/// does not lead there.
Solution followFromFew(Approximation &now, Solution closest, double restTolerance) {
  const LockedNetwork &given = now.given;
  const bool several = given.classes.size() > 1;
  const int wanted = several ? given.scalingThreads : now.unknowns.population;
  const int first = closest.summary.rounds;
  int rounds = first;
  std::optional<Unknowns> rest;
  for (int threads = std::min(firstFollowed, wanted);;
       threads = std::min(wanted, threads + 1 + threads / followedPart)) {
    if (threads == wanted && !rest)
      return closest;
    const LockedNetwork fewer({given.network, given.kinds, given.machine, given.classes},
                              several ? threads : given.scalingThreads, given.options,
                              given.instances);
    Approximation here{fewer, Unknowns(fewer), {}};
    begin(here, several ? here.unknowns.traffic.population : threads);
    if (rest) {
      rest->population = here.unknowns.population;
      here.unknowns = std::move(*rest);
    }
    auto found = rest ? iterateByNewton(here, restTolerance) : iterateToRest(here, restTolerance);
    rounds += found ? found->summary.rounds : 0;
    const bool isThere = found && found->summary.converged();
    if (isThere && threads == wanted) {
      found->summary.rounds = rounds;
      now.unknowns = std::move(here.unknowns);
      now.demands = std::move(here.demands);
      return std::move(*found);
    }
    if (threads == wanted || rounds - first > mostFollowing)
      return closest;
    rest = isThere ? std::optional(std::move(here.unknowns)) : std::nullopt;
  }
}

/// Solves for so many threads of the mean class. The iteration begins with what is known already.
///
/// It is needed for three reasons. The holding time of an outer section contains the residence
/// times at inner locks, which depend on how often the outer lock is taken. How often each thread
/// class goes round depends on what it waits. And on shared cores, how long threads wait for a core
/// depends on how long they wait for locks, and the other way round.
Expected<Solution> solveFor(Approximation &now, int population) {
  const SolverOptions &options = now.given.options;
  const StartingPoints::Key key{options.part, now.given.instances, population};
  const Unknowns *const start =
      options.startingPoints ? options.startingPoints->find(key) : nullptr;
  if (start) {
    now.unknowns = *start;
    now.unknowns.mix(now.given, start->rates);
  } else {
    begin(now, population);
  }
  double tolerance = start ? options.restToleranceFromStart : options.restTolerance;
  if (population > options.manyThreads)
    tolerance = std::max(tolerance, options.restToleranceOfMany);
  auto solution = iterateCalmly(now, tolerance);
  if (!solution)
    return solution;
  if (!solution->summary.converged() && now.unknowns.cores)
    solution = iterateShortly(now, std::move(*solution), tolerance);
  else if (!solution->summary.converged() && !options.startingPoints)
    solution = followFromFew(now, std::move(*solution), tolerance);
  if (options.startingPoints && !start && solution->summary.converged() && !now.unknowns.cores)
    options.startingPoints->keep(key, now.unknowns);
  if (now.unknowns.cores) {
    keepTogether(now, *solution);
    boundByCores(now, *solution);
  }
  return solution;
}

/// Solves one thread class for several numbers of threads.
Expected<std::vector<Solution>> solveSweep(const LockedNetwork &given,
                                           const std::vector<int> &threads) {
  Approximation now{given, Unknowns(given), {}};
  std::vector<int> populations;
  for (const int count : threads)
    populations.push_back(
        mergeTraffic(given.network, given.classes, count, given.ratesAlone).population);
  // The method is called once for all populations that no iteration is needed for.
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
  // The others are solved one by one, each anew, the largest first. Only a gradient's solutions
  // begin where others ended.
  std::vector<int> alone;
  for (const int size : populations)
    if (solutions.count(size) == 0 && (alone.empty() || alone.back() != size))
      alone.push_back(size);
  std::reverse(alone.begin(), alone.end());
  std::vector<Expected<Solution>> solved(alone.size());
  const auto solveOne = [&](std::size_t i) {
    Approximation own{given, Unknowns(given), {}};
    solved[i] = solveFor(own, alone[i]);
  };
  forEachIndex(alone.size(), solveOne, given.options.startingPoints ? 1 : 0);
  for (std::size_t i = 0; i < alone.size(); ++i)
    solutions[alone[i]] = TRY(std::move(solved[i]));
  std::vector<Solution> result;
  for (const int size : populations)
    result.push_back(solutions[size]);
  return result;
}

} // namespace

Expected<std::vector<Solution>> solveWithInstances(const SolverProblem &problem,
                                                   const std::vector<int> &threads,
                                                   const SolverOptions &options,
                                                   std::uint32_t instances) {
  if (problem.traffic.size() == 1)
    return solveSweep({problem, threads.front(), options, instances}, threads);
  std::vector<Solution> result;
  for (const int count : threads) {
    const LockedNetwork given(problem, count, options, instances);
    Approximation now{given, Unknowns(given), {}};
    auto solution = TRY(solveFor(now, now.unknowns.traffic.population));
    result.push_back(std::move(solution));
  }
  return result;
}

Expected<std::vector<Solution>> solveNetwork(const SolverProblem &problem,
                                             const std::vector<int> &threads,
                                             const SolverOptions &options) {
  TRY(options.validate());
  // A lock that each thread has for itself is no station, and so asks for no figures.
  for (std::size_t i = 0; i < problem.kinds.size(); ++i)
    if (problem.network.locks[i].perThread)
      TRY(missingFigure(problem.kinds[i], problem.machine));
  auto solutions = TRY(solveWithinBounds(problem, threads, options));
  for (Solution &solution : solutions)
    boundByProgress(problem, options.cores, solution);
  return solutions;
}

} // namespace qdadvise
