// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/InstanceBounds.h"

#include "advisor/model/solver/StartingPoints.h"

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

/// The same problem with another number of instances of these locks.
Expected<std::vector<Solution>> withInstances(std::uint32_t count,
                                              const std::vector<std::size_t> &selfNested,
                                              const SolverProblem &problem,
                                              const std::vector<int> &threads,
                                              const SolverOptions &options) {
  Network changed = problem.network;
  for (const std::size_t lock : selfNested) {
    changed.locks[lock].instances = count;
    changed.locks[lock].shares.clear();
  }
  return solveWithInstances({changed, problem.kinds, problem.machine, problem.traffic}, threads,
                            options, count);
}

/// Puts the bound in place of the solution.
void replace(Solution &solution, Solution &bound, const std::vector<std::size_t> &selfNested) {
  // Visits inside the one lock count as acquisitions, as those of its instances do.
  for (const std::size_t lock : selfNested) {
    if (solution.locks[lock].visits <= 0)
      continue;
    const double counted = bound.locks[lock].visits / solution.locks[lock].visits;
    bound.locks[lock].visits = solution.locks[lock].visits;
    bound.locks[lock].residenceNs *= counted;
    bound.locks[lock].holdNs *= counted;
  }
  solution = std::move(bound);
  solution.summary.bound = SolverBound::loose;
}

} // namespace

std::optional<Error> boundByInstances(std::vector<Solution> &solutions,
                                      const SolverProblem &problem, const std::vector<int> &threads,
                                      const SolverOptions &options) {
  const std::vector<std::size_t> selfNested = selfNestedLocks(problem.network);
  if (selfNested.empty() || (options.startingPoints && options.startingPoints->needsNoBound()))
    return std::nullopt;
  auto worst = withInstances(1, selfNested, problem, threads, options);
  if (!worst)
    return worst.error();
  bool needed = false; // once it is, it is with more threads
  for (std::size_t i = 0; i < solutions.size(); ++i) {
    Solution &solution = solutions[i];
    needed =
        needed || !solution.summary.converged() || solution.cyclesPerNs < (*worst)[i].cyclesPerNs;
    if (needed && solution.population > 1)
      replace(solution, (*worst)[i], selfNested);
  }
  if (options.startingPoints)
    options.startingPoints->noteBound(needed);
  if (!needed)
    return std::nullopt;
  const auto best = withInstances(options.plentyInstances, selfNested, problem, threads, options);
  for (std::size_t i = 0; best && i < solutions.size(); ++i) {
    SolverSummary &summary = solutions[i].summary;
    if (summary.bound != SolverBound::none && (*best)[i].summary.converged() &&
        !(solutions[i].cyclesPerNs < options.tightBound * (*best)[i].cyclesPerNs))
      summary.bound = SolverBound::tight;
  }
  return std::nullopt;
}

} // namespace qdadvise
