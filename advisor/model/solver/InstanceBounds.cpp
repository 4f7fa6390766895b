// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/InstanceBounds.h"

#include "advisor/model/markov/Markov.h"
#include "advisor/model/solver/StartingPoints.h"
#include "advisor/model/workload/Nesting.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
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

  /// All locks that threads may wait for while they hold others of them.
  std::vector<std::size_t> crossed() const {
    std::vector<std::size_t> all = selfNested;
    for (const NestingCycle &cycle : cycles)
      all.insert(all.end(), cycle.locks.begin(), cycle.locks.end());
    return all;
  }
};

/// Visits to each section per cycle of the mean class.
std::vector<double> meanVisits(const Solution &solution, const SolverProblem &problem) {
  std::vector<double> visits(problem.network.sections.size(), 0);
  double rates = 0;
  for (const ClassSolution &each : solution.classes)
    rates += each.cyclesPerNs;
  for (std::size_t c = 0; c < solution.classes.size(); ++c)
    for (std::size_t i = 0; i < visits.size(); ++i)
      visits[i] += solution.classes[c].cyclesPerNs / rates * problem.traffic[c].visits[i];
  return visits;
}

/// Divides what was found for the one lock of a cycle among its locks. A thread that has one of
/// them waits for no other.
void divide(Solution &solution, const NestingCycle &cycle, const SolverProblem &problem) {
  const Network &network = problem.network;
  const LockSolution one = solution.locks[cycle.locks.front()];
  const Nesting nesting(network);
  const std::vector<Cumulants> holds =
      nesting.holds(std::vector<double>(network.sections.size(), 0));
  const std::vector<double> visits = meanVisits(solution, problem);
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
      part.foundTaken = share * one.foundTaken;
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

/// Whether the busiest lock of one of these classes is held for more than this share of the time.
bool isHeld(double share, const Solution &solution, const std::vector<std::size_t> &locks) {
  return std::ranges::any_of(locks, [&](std::size_t lock) {
    return solution.locks[lock].busiestHeld(solution.cyclesPerNs) > share;
  });
}

/// Whether the locks are so seldom held that threads do not meet at them. The time that they are
/// held has the waiting inside in it, so that it is long where the iteration ran away.
bool isSeldomHeld(const Solution &solution, const std::vector<std::size_t> &crossed) {
  constexpr double seldom = 0.01;
  return solution.summary.converged() && !isHeld(seldom, solution, crossed);
}

/// Says of each solution whether threads never meet at these locks, with as many threads and with
/// each power of two below: where all wait for another lock, few are left to meet, but fewer
/// threads may. Only numbers below decide, so that a solution does not depend on which others are
/// wanted.
std::vector<bool> neverMeet(const std::vector<Solution> &solutions,
                            const std::vector<std::size_t> &crossed, const Bound &bound,
                            const SolverProblem &problem, const std::vector<int> &threads,
                            const SolverOptions &options) {
  std::vector<bool> never;
  std::map<int, bool> seldom; // by number of threads
  for (std::size_t i = 0; i < threads.size(); ++i)
    never.push_back(seldom[threads[i]] = isSeldomHeld(solutions[i], crossed));
  if (std::ranges::find(never, true) == never.end())
    return never;
  std::vector<int> fewer;
  for (int next = 2; next < std::ranges::max(threads); next *= 2)
    if (!seldom.contains(next))
      fewer.push_back(next);
  if (!fewer.empty()) {
    const auto below = solveBound(bound, problem, fewer, options);
    for (std::size_t i = 0; i < fewer.size(); ++i)
      seldom[fewer[i]] = below && isSeldomHeld((*below)[i], crossed);
  }
  for (std::size_t i = 0; i < threads.size(); ++i)
    for (int next = 2; next < threads[i]; next *= 2)
      never[i] = never[i] && seldom[next];
  return never;
}

/// The solutions of a problem that may have no fixpoint, and whether they are a guide.
class Trust {
public:
  Trust(const Bound &own, const Bound &worst, const SolverProblem &problem,
        const SolverOptions &options)
      : own(own), worst(worst), problem(problem), options(options), crossed(worst.crossed()) {}

  bool isTrusted(int threads, const Solution &solution, const Solution &asOneLock) {
    // Threads that meet often leave the iteration no fixpoint, or one that is no guide. Where they
    // hardly meet there is one, whether it was found or not.
    constexpr double often = 0.5, hardly = 0.2;
    const bool mayHaveNone = isHeld(hardly, solution, crossed);
    return solution.population <= 1 || // nobody to meet
           (!isHeld(often, solution, worst.selfNested) &&
            (solution.summary.converged() || !mayHaveNone) &&
            solution.cyclesPerNs >= asMuchAs * asOneLock.cyclesPerNs &&
            (worst.cycles.empty() || !hasFallen(threads, solution, asOneLock)));
  }
  /// Whether solutions are trusted with `threads`, which have these, and with fewer: a fixpoint
  /// that lies beyond threads without one is no guide. It depends on the problem alone, whatever
  /// else is asked for.
  bool isTrustedUpTo(int threads, const Solution &solution, const Solution &asOneLock) {
    for (int next = 1; next < threads; next *= 2)
      if (next > trusted && !tries(next))
        return false;
    doubted = threads;
    return isTrusted(threads, solution, asOneLock);
  }
  /// The solution with the most threads up to which all are trusted, after `isTrustedUpTo` has said
  /// no.
  std::optional<Solution> lastTrusted() {
    while (last && doubted - trusted > 1)
      tries(trusted + (doubted - trusted) / 2);
    return last;
  }

private:
  /// Taking one lock twice costs nothing, and rounding is no reason to take many locks for one.
  static constexpr double asMuchAs = 0.98;

  struct Solved {
    Solution solution, asOneLock;
  };

  const std::optional<Solved> &solved(int threads) {
    const auto [at, isNew] = solutions.try_emplace(threads);
    if (!isNew)
      return at->second;
    auto solution = solveBound(own, problem, {threads}, options),
         asOneLock = solveBound(worst, problem, {threads}, options);
    if (solution && asOneLock)
      at->second = Solved{std::move(solution->front()), std::move(asOneLock->front())};
    return at->second;
  }
  /// Whether throughput is less than with fewer threads, of which there are two at least, by more
  /// than that of the one lock.
  bool hasFallen(int threads, const Solution &solution, const Solution &asOneLock) {
    const int halved = static_cast<int>(std::bit_floor(static_cast<unsigned>(threads - 1)));
    return std::ranges::any_of(std::array{threads - 1, halved}, [&](int fewer) {
      if (fewer < 2)
        return false;
      const std::optional<Solved> &before = solved(fewer);
      return before && solution.cyclesPerNs <
                           asMuchAs * before->solution.cyclesPerNs *
                               std::min(1.0, asOneLock.cyclesPerNs / before->asOneLock.cyclesPerNs);
    });
  }
  bool tries(int threads) {
    const std::optional<Solved> &at = solved(threads);
    if (!at || !isTrusted(threads, at->solution, at->asOneLock)) {
      doubted = threads;
      return false;
    }
    last = at->solution;
    trusted = threads;
    return true;
  }

  const Bound &own, &worst;
  const SolverProblem &problem;
  const SolverOptions &options;
  const std::vector<std::size_t> crossed;
  int trusted = 0, doubted = 0; ///< threads, after `tries`
  std::optional<Solution> last; ///< with `trusted` threads
  std::map<int, std::optional<Solved>> solutions;
};

/// With more threads than `last` has, which wait for the busiest of the locks that threads wait for
/// while they hold others of them.
Solution withMoreThreads(Solution last, const Solution &asOneLock,
                         const std::vector<std::size_t> &crossed) {
  const auto isLessBusy = [&](std::size_t a, std::size_t b) {
    return last.locks[a].busiestHeld(last.cyclesPerNs) <
           last.locks[b].busiestHeld(last.cyclesPerNs);
  };
  LockSolution &lock = last.locks[*std::ranges::max_element(crossed, isLessBusy)];
  double more = 0; // threads
  for (std::size_t c = 0; c < last.classes.size(); ++c) {
    ClassSolution &one = last.classes[c];
    const double added = asOneLock.classes[c].threads - one.threads;
    one.threads += added;
    one.waitNs += added / one.cyclesPerNs;
    more += added;
  }
  const double visitsPerNs = last.cyclesPerNs * lock.visits;
  // One of them has it while they wait, and waits inside for another lock.
  const double held = lock.busiestHeld(last.cyclesPerNs);
  lock.holdNs += std::max(0.0, std::min(1.0, held + more) - held) / visitsPerNs;
  lock.residenceNs += more / visitsPerNs;
  last.population = asOneLock.population;
  return last;
}

/// Visits inside the one lock count as acquisitions, as those of its instances do.
void countInside(Solution &bound, const SolverProblem &problem,
                 const std::vector<std::size_t> &selfNested) {
  const Nesting nesting(problem.network);
  const std::vector<double> visits = meanVisits(bound, problem);
  for (const std::size_t lock : selfNested) {
    double all = 0;
    for (std::size_t i = 0; i < visits.size(); ++i)
      if (problem.network.sections[i].lock == lock && !nesting.reentrant(i))
        all += visits[i];
    if (all <= 0)
      continue;
    const double counted = bound.locks[lock].visits / all;
    bound.locks[lock].visits = all;
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
  const Bound own{{}, 0, meeting}, one{selfNested, 1, all};
  auto solutions = solveBound(own, problem, threads, options);
  if (solutions)
    for (Solution &solution : *solutions)
      if (!meeting.empty() && solution.population > 1)
        solution.summary.bound = SolverBound::loose;
  // A chain knows no nested sections: another method solves them, and not the bound alone.
  const bool isRefused = !solutions && options.method == solveMarkov;
  if (!mayNotSettle || isRefused ||
      (solutions && options.startingPoints && options.startingPoints->needsNoBound()))
    return solutions;
  std::vector<bool> never(threads.size(), false);
  if (solutions)
    never = neverMeet(*solutions, one.crossed(), own, problem, threads, options);
  if (std::ranges::find(never, false) == never.end())
    return solutions;
  auto worst = TRY(solveBound(one, problem, threads, options));
  Trust trust(own, one, problem, options);
  bool needed = !solutions; // once it is, it is with more threads
  std::optional<Solution> last;
  if (!solutions)
    solutions = worst;
  for (std::size_t i = 0; i < solutions->size(); ++i) {
    Solution &solution = (*solutions)[i];
    if (solution.population <= 1 || never[i] ||
        (!needed && trust.isTrustedUpTo(threads[i], solution, worst[i])))
      continue;
    if (!needed)
      last = trust.lastTrusted();
    needed = true;
    countInside(worst[i], problem, selfNested);
    solution = last && last->cyclesPerNs > worst[i].cyclesPerNs
                   ? withMoreThreads(*last, worst[i], one.crossed())
                   : std::move(worst[i]);
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
