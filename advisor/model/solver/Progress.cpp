// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Progress.h"

#include "advisor/model/solver/Cores.h"
#include "advisor/model/workload/Nesting.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace qdadvise {

namespace {

/// A cycle of a class if it never waits, with the longest standstill at each visit.
double goingOnNs(const SolverProblem &problem, const Solution &solution, int cores, std::size_t c) {
  double cycleNs = aloneNs(problem, c);
  for (std::size_t i = 0; i < problem.network.sections.size(); ++i)
    cycleNs += problem.traffic[c].visits[i] *
               standstillNs(problem, solution, cores, problem.network.sections[i].lock);
  return cycleNs;
}

/// How often a lock is visited by all classes together, and how long it is held for them all if
/// nobody waits inside.
struct Visited {
  double visits = 0, holdNs = 0; ///< per unit of time
};

std::vector<Visited> visitedBy(const SolverProblem &problem, const std::vector<Cumulants> &holds,
                               const Solution &solution) {
  std::vector<Visited> result(problem.network.locks.size());
  for (std::size_t i = 0; i < problem.network.sections.size(); ++i)
    for (std::size_t c = 0; c < solution.classes.size(); ++c) {
      const double visits = solution.classes[c].cyclesPerNs * problem.traffic[c].visits[i];
      Visited &lock = result[problem.network.sections[i].lock];
      lock.visits += visits;
      lock.holdNs += visits * holds[i].mean;
    }
  return result;
}

/// With all waits so many times as long.
void scaleWaits(const SolverProblem &problem, double times, Solution &solution) {
  const std::vector<Cumulants> holds =
      Nesting(problem.network).holds(std::vector<double>(problem.network.sections.size(), 0));
  const std::vector<Visited> before = visitedBy(problem, holds, solution);
  const double cyclesBefore = solution.cyclesPerNs;
  solution.cyclesPerNs = solution.blocked = 0;
  for (std::size_t c = 0; c < solution.classes.size(); ++c) {
    ClassSolution &one = solution.classes[c];
    const double alone = aloneNs(problem, c);
    const double waitNs = std::max(0.0, one.threads / one.cyclesPerNs - alone);
    one.cyclesPerNs = one.threads / (alone + times * waitNs);
    one.waitNs *= times;
    solution.cyclesPerNs += one.cyclesPerNs;
    solution.blocked += one.cyclesPerNs * problem.traffic[c].blockedNs;
  }
  const std::vector<Visited> after = visitedBy(problem, holds, solution);
  for (std::size_t i = 0; i < solution.locks.size(); ++i) {
    LockSolution &lock = solution.locks[i];
    if (lock.visits <= 0)
      continue;
    // More often by the classes that wait less now.
    lock.visits *= after[i].visits / before[i].visits * cyclesBefore / solution.cyclesPerNs;
    const double waitNs = std::max(0.0, lock.residenceNs - lock.holdNs);
    const double aloneNs = std::min(lock.holdNs, before[i].holdNs / before[i].visits);
    lock.holdNs = after[i].holdNs / after[i].visits + times * (lock.holdNs - aloneNs);
    lock.residenceNs = lock.holdNs + times * waitNs;
  }
}

} // namespace

double aloneNs(const SolverProblem &problem, std::size_t c) {
  const Traffic &traffic = problem.traffic[c];
  double cycleNs = traffic.computeNs + traffic.blockedNs;
  for (std::size_t i = 0; i < problem.network.sections.size(); ++i)
    cycleNs += traffic.visits[i] * problem.network.sections[i].hold.mean;
  return cycleNs;
}

double standstillNs(const SolverProblem &problem, const Solution &solution, int cores,
                    std::size_t lock) {
  const LockAlgorithm &algorithm = algorithmOf(problem.kinds[lock]);
  if (algorithm.isIdeal())
    return 0;
  constexpr double times = 4; // a release may wake several threads in turn
  const double ofOneCore = static_cast<double>(solution.population) / cores; // threads
  double ns = solution.locks[lock].coherenceMissNs;
  if (const auto costs = problem.machine.kinds.find(algorithm.kind);
      costs != problem.machine.kinds.end())
    ns += std::max(costs->second.handoffCurve()(solution.population),
                   costs->second.delegationCurve()(solution.population));
  if (algorithm.sleeps())
    for (const WakeupCost &row : problem.machine.wakeup)
      ns += row.latencyNs + row.wakerNs;
  if (ofOneCore > 1)
    ns += ofOneCore * schedulingOf(problem.machine).sliceNs;
  return times * ns;
}

double threadsGoingOn(const SolverProblem &problem, const Solution &solution, int cores) {
  double threads = 0;
  for (std::size_t c = 0; c < solution.classes.size(); ++c)
    threads += solution.classes[c].cyclesPerNs * goingOnNs(problem, solution, cores, c);
  return threads;
}

void boundByProgress(const SolverProblem &problem, int cores, Solution &solution) {
  double threads = 0;
  for (const ClassSolution &one : solution.classes)
    threads += one.threads;
  const double least = std::min(1.0, threads);
  if (!(threadsGoingOn(problem, solution, cores) < least))
    return;
  // They go on the more, the shorter they wait.
  double low = 0, high = 1;
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double times = (low + high) / 2;
    Solution shorter = solution;
    scaleWaits(problem, times, shorter);
    (threadsGoingOn(problem, shorter, cores) < least ? high : low) = times;
  }
  scaleWaits(problem, low, solution);
}

} // namespace qdadvise
