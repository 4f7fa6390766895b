// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Impossible.h"

#include "advisor/model/solver/LockedNetwork.h"
#include "advisor/model/solver/Progress.h"
#include "advisor/model/workload/NestingCycles.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace qdadvise {

namespace {

/// Models are approximations: so far beyond a bound is no fault.
constexpr double tolerance = 0.02;
/// Classes that are blocked for a part of their time count as a part of a thread.
constexpr double slowest = 0.5;
/// The waits of a class are those of all classes on the mean.
constexpr double littleTolerance = 0.5;

class Gate {
public:
  Gate(const SolverProblem &problem, const Solution &solution, int cores)
      : problem(problem), network(problem.network), solution(solution), nesting(network),
        holds(nesting.holds(std::vector<double>(network.sections.size(), 0))), cores(cores) {}

  std::string fault() const {
    for (const auto check : {&Gate::noNumber, &Gate::tooFast, &Gate::heldTooLong, &Gate::littlesLaw,
                             &Gate::tooSlow, &Gate::waitsTooLong})
      if (std::string found = (this->*check)(); !found.empty())
        return found;
    return "";
  }

private:
  std::string noNumber() const {
    bool isNumber = std::isfinite(solution.cyclesPerNs) && solution.cyclesPerNs > 0;
    for (const LockSolution &lock : solution.locks)
      isNumber = isNumber && std::isfinite(lock.residenceNs) && std::isfinite(lock.holdNs) &&
                 std::isfinite(lock.contention) && lock.residenceNs >= 0;
    for (const ClassSolution &one : solution.classes)
      isNumber = isNumber && std::isfinite(one.cyclesPerNs) && std::isfinite(one.waitNs);
    return isNumber ? "" : "it is no number";
  }

  /// (SOL6)
  std::string tooFast() const {
    for (std::size_t c = 0; c < solution.classes.size(); ++c) {
      const ClassSolution &one = solution.classes[c];
      const double most = one.threads / aloneNs(problem, c);
      if (one.cyclesPerNs > most * (1 + tolerance))
        return fmt::format("threads would be {:.3g} times as fast as without any waiting",
                           one.cyclesPerNs / most);
    }
    return "";
  }

  /// Such sections may take the instance that is held already.
  bool isInsideOfItsClass(std::size_t section) const {
    for (auto outer = network.sections[section].inside; outer;
         outer = network.sections[*outer].inside)
      if (network.sections[*outer].lock == network.sections[section].lock)
        return true;
    return false;
  }

  /// (SOL7)
  std::string heldTooLong() const {
    for (std::size_t lock = 0; lock < network.locks.size(); ++lock) {
      if (network.locks[lock].perThread)
        continue;
      double held = 0;
      for (std::size_t i = 0; i < network.sections.size(); ++i) {
        const Section &section = network.sections[i];
        if (section.lock != lock || isInsideOfItsClass(i) ||
            (section.shared && algorithmOf(problem.kinds[lock]).sharesReads))
          continue;
        for (std::size_t c = 0; c < solution.classes.size(); ++c)
          held += solution.classes[c].cyclesPerNs * problem.traffic[c].visits[i] * holds[i].mean;
      }
      held *= groupsOf(network.locks[lock]).front().share;
      if (held > 1 + tolerance)
        return fmt::format("lock {} would be held for {:.3g} times as long as there is time",
                           network.locks[lock].name, held);
    }
    return "";
  }

  /// (SOL8)
  std::string littlesLaw() const {
    if (solution.population > cores) // waiting for a core is no part of the waits
      return "";
    double there = 0, threads = 0;
    for (std::size_t c = 0; c < solution.classes.size(); ++c) {
      const ClassSolution &one = solution.classes[c];
      there += one.cyclesPerNs * (aloneNs(problem, c) + one.waitNs);
      threads += one.threads;
    }
    if (std::abs(there - threads) > littleTolerance * std::max(1.0, threads))
      return fmt::format("{:.3g} threads would be {:.3g}", threads, there);
    return "";
  }

  /// (SOL9)
  std::string tooSlow() const {
    const double goingOn = threadsGoingOn(problem, solution, cores);
    return goingOn < slowest
               ? fmt::format(
                     "the program would be {:.3g} times as slow as with one thread at a time",
                     1 / goingOn)
               : "";
  }

  /// (SOL11): where threads wait for a lock, one of them holds it or is about to. For a lock of a
  /// nesting cycle threads wait while any lock of the cycle is held.
  std::string waitsTooLong() const {
    std::vector<std::vector<std::size_t>> groups;
    for (const NestingCycle &cycle : nestingCycles(network, problem.traffic))
      groups.push_back(cycle.locks);
    for (std::size_t i = 0; i < network.locks.size(); ++i)
      if (std::none_of(groups.begin(), groups.end(), [i](const auto &group) {
            return std::binary_search(group.begin(), group.end(), i);
          }))
        groups.push_back({i});
    for (const std::vector<std::size_t> &group : groups)
      if (const double times = waitOverHolding(group); times > 1 / slowest)
        return fmt::format("threads would wait for lock {} {:.3g} times as long as all others can "
                           "hold it",
                           network.locks[group.front()].name, times);
    return "";
  }

  /// Divides the time that threads wait for these locks by what all others hold them meanwhile.
  double waitOverHolding(const std::vector<std::size_t> &locks) const {
    double waitNs = 0, heldNs = 0;
    for (const std::size_t i : locks) {
      const LockSolution &lock = solution.locks[i];
      if (network.locks[i].perThread)
        continue;
      waitNs += lock.visits * (lock.residenceNs - lock.holdNs);
      heldNs += lock.visits * (lock.holdNs + standstillNs(problem, solution, cores, i));
    }
    const double others = solution.population - 1;
    return others > 0 && waitNs > 0 ? waitNs / (others * heldNs) : 0;
  }

  const SolverProblem &problem;
  const Network &network;
  const Solution &solution;
  Nesting nesting;
  std::vector<Cumulants> holds; ///< by section, without any waiting
  int cores;
};

} // namespace

std::string impossibility(const SolverProblem &problem, const Solution &solution, int cores) {
  return Gate(problem, solution, cores).fault();
}

} // namespace qdadvise
