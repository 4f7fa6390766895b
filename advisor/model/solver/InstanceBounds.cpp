// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/InstanceBounds.h"

#include "advisor/model/markov/Markov.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/model/workload/Nesting.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace qdadvise {

namespace {

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

/// What is solved in place of a problem: some classes have another number of locks, and the locks
/// of cycles are one.
struct Bound {
  std::vector<std::size_t> selfNested;
  std::uint32_t instances = 0; ///< of those; 0: their own
  std::vector<NestingCycle> cycles;
};

/// Divides what was found for the one lock of a cycle among its locks. A thread that has one of
/// them waits for no other.
void divide(Solution &solution, const NestingCycle &cycle, const SolverProblem &problem) {
  const Network &network = problem.network;
  const LockSolution one = solution.locks[cycle.locks.front()];
  const Nesting nesting(network);
  const std::vector<Cumulants> holds =
      nesting.holds(std::vector<double>(network.sections.size(), 0));
  std::vector<double> visits(network.sections.size(), 0); // per cycle of the mean class
  double rates = 0;
  for (const ClassSolution &each : solution.classes)
    rates += each.cyclesPerNs;
  for (std::size_t c = 0; c < solution.classes.size(); ++c)
    for (std::size_t i = 0; i < visits.size(); ++i)
      visits[i] += solution.classes[c].cyclesPerNs / rates * problem.traffic[c].visits[i];
  const auto isOfCycle = [&](std::size_t section) {
    return std::binary_search(cycle.locks.begin(), cycle.locks.end(),
                              network.sections[section].lock);
  };
  for (const std::size_t lock : cycle.locks) {
    LockSolution part;
    double waited = 0, holdNs = 0; // visits that wait
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (network.sections[i].lock != lock || nesting.reentrant(i))
        continue;
      bool inside = false;
      for (auto outer = network.sections[i].inside; outer; outer = network.sections[*outer].inside)
        inside = inside || isOfCycle(*outer);
      part.visits += visits[i];
      holdNs += visits[i] * holds[i].mean;
      waited += inside ? 0 : visits[i];
    }
    if (part.visits > 0) {
      const double share = waited / part.visits;
      part.holdNs = holdNs / part.visits;
      part.coherenceMissNs = one.coherenceMissNs;
      part.residenceNs = part.holdNs + share * std::max(0.0, one.residenceNs - one.holdNs);
      part.contention = share * one.contention;
      part.queueLengthWhenBusy = one.queueLengthWhenBusy;
      part.stretch = one.stretch;
    }
    solution.locks[lock] = part;
  }
}

/// The solutions of the problem with these changes.
Expected<std::vector<Solution>> solveBound(const Bound &bound, const SolverProblem &problem,
                                           const std::vector<int> &threads,
                                           const SolverOptions &options) {
  Network changed =
      withCyclesAsOneLock(problem.network, bound.cycles, problem.kinds, problem.machine);
  for (const std::size_t lock : bound.selfNested)
    if (bound.instances > 0) {
      changed.locks[lock].instances = bound.instances;
      changed.locks[lock].shares.clear();
    }
  auto solutions =
      TRY(solveWithInstances({changed, problem.kinds, problem.machine, problem.traffic}, threads,
                             options, bound.instances));
  for (Solution &solution : solutions)
    for (const NestingCycle &cycle : bound.cycles)
      divide(solution, cycle, problem);
  return solutions;
}

/// Whether threads meet so often at a class that is taken inside itself that the iteration is no
/// guide: its busiest lock is held half of the time.
bool meetOften(const Solution &solution, const std::vector<std::size_t> &selfNested) {
  constexpr double often = 0.5;
  return std::ranges::any_of(selfNested, [&](std::size_t lock) {
    return solution.locks[lock].busiestHeld(solution.cyclesPerNs) > often;
  });
}

/// Visits inside the one lock count as acquisitions, as those of its instances do.
void countInside(Solution &bound, const Solution &solution,
                 const std::vector<std::size_t> &selfNested) {
  for (const std::size_t lock : selfNested) {
    if (solution.locks[lock].visits <= 0)
      continue;
    const double counted = bound.locks[lock].visits / solution.locks[lock].visits;
    bound.locks[lock].visits = solution.locks[lock].visits;
    bound.locks[lock].residenceNs *= counted;
    bound.locks[lock].holdNs *= counted;
  }
}

/// Marks the bounds that are so close to the best case that they say enough.
void findTightBounds(std::vector<Solution> &solutions, const Bound &best,
                     const SolverProblem &problem, const std::vector<int> &threads,
                     const SolverOptions &options) {
  const auto most = solveBound(best, problem, threads, options);
  for (std::size_t i = 0; most && i < solutions.size(); ++i) {
    SolverSummary &summary = solutions[i].summary;
    if (summary.bound != SolverBound::none && (*most)[i].summary.converged() &&
        !(solutions[i].cyclesPerNs < options.tightBound * (*most)[i].cyclesPerNs))
      summary.bound = SolverBound::tight;
  }
}

} // namespace

Expected<std::vector<Solution>> solveWithinBounds(const SolverProblem &problem,
                                                  const std::vector<int> &threads,
                                                  const SolverOptions &options) {
  std::vector<NestingCycle> all = nestingCycles(problem.network, problem.traffic), meeting;
  std::copy_if(all.begin(), all.end(), std::back_inserter(meeting),
               [](const NestingCycle &cycle) { return cycle.alwaysMeets; });
  std::vector<std::size_t> selfNested = selfNestedLocks(problem.network);
  const bool mayNotSettle = !selfNested.empty() || meeting.size() < all.size();
  auto solutions = solveBound({{}, 0, meeting}, problem, threads, options);
  if (solutions)
    for (Solution &solution : *solutions)
      if (!meeting.empty() && solution.population > 1)
        solution.summary.bound = SolverBound::loose;
  // A chain knows no nested sections: another method solves them, and not the bound alone.
  const bool isRefused = !solutions && options.method == solveMarkov;
  if (!mayNotSettle || isRefused ||
      (solutions && options.startingPoints && options.startingPoints->needsNoBound()))
    return solutions;
  auto worst = TRY(solveBound({selfNested, 1, all}, problem, threads, options));
  // Taking one lock twice costs nothing, and rounding is no reason to take many locks for one.
  constexpr double asMuchAs = 0.98;
  bool needed = !solutions; // once it is, it is with more threads
  if (!solutions)
    solutions = worst;
  for (std::size_t i = 0; i < solutions->size(); ++i) {
    Solution &solution = (*solutions)[i];
    if (solution.population <= 1) // nobody to meet
      continue;
    needed = needed || !solution.summary.converged() || meetOften(solution, selfNested) ||
             solution.cyclesPerNs < asMuchAs * worst[i].cyclesPerNs;
    if (!needed)
      continue;
    countInside(worst[i], solution, selfNested);
    solution = std::move(worst[i]);
    solution.summary.bound = SolverBound::loose;
  }
  if (options.startingPoints)
    options.startingPoints->noteBound(needed);
  if (needed && all.empty())
    findTightBounds(*solutions, {selfNested, options.plentyInstances, {}}, problem, threads,
                    options);
  return solutions;
}

} // namespace qdadvise
