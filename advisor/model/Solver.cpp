// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Solver.h"

#include "advisor/model/Bracket.h"
#include "advisor/model/ClassMixture.h"
#include "advisor/model/Cumulants.h"
#include "advisor/model/Instances.h"
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace qdadvise {

namespace {

/// The demand on one lock class, and what is known of it so far.
struct LockDemand {
  double visits = 0, directVisits = 0;
  std::vector<std::size_t> sections;
  std::vector<InstanceGroup> groups;
  double holders = 0;       ///< nested only: how many threads can be there at a time
  double directExtraNs = 0; ///< as in LockStation
  double holdNs = 0, cv2 = 1, skewness = 2, waitNs = 0;
  Readers readers;
  double step = 0.5, lastError = 0; ///< of the iteration over waitNs
};

class NetworkSolver {
public:
  NetworkSolver(const Network &network, const std::vector<std::string> &kinds,
                const Machine &machine, const std::vector<Traffic> &classes, int scalingThreads,
                const SolverOptions &options)
      : network(network), kinds(kinds), machine(machine), classes(classes),
        scalingThreads(scalingThreads), options(options), locks(network.locks.size()),
        holds(network.sections.size()) {
    for (std::size_t i = 0; i < locks.size(); ++i)
      locks[i].groups = groupsOf(network.locks[i]);
    mix(ratesAlone(network, classes, scalingThreads));
    std::vector<std::set<std::size_t>> outerLocks(locks.size());
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      const Section &section = network.sections[i];
      if (traffic.visits[i] <= 0 || reentrant(section))
        continue;
      LockDemand &lock = locks[section.lock];
      lock.sections.push_back(i);
      if (!section.inside)
        continue;
      nested = true;
      if (outerLocks[section.lock].insert(network.sections[*section.inside].lock).second)
        lock.holders += network.locks[network.sections[*section.inside].lock].instances;
    }
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (!locks[i].sections.empty() && kinds[i] != "ideal") {
        bounded = true;
        spinning = spinning || findLockAlgorithm(kinds[i])->spins;
      }
  }

  /// One class of threads, for several numbers of them.
  Expected<std::vector<Solution>> solveSweep(const std::vector<int> &threads) {
    std::vector<int> populations;
    for (const int count : threads)
      populations.push_back(mergeTraffic(network, classes, count, rates).population);
    // One recursion serves all populations that no fixpoint depends on.
    std::vector<int> shared;
    for (const int population : populations)
      if (!nested && !isShort(population) && (shared.empty() || shared.back() != population))
        shared.push_back(population);
    std::map<int, Solution> solutions;
    if (!shared.empty()) {
      setHolds();
      auto solved = solveOutermost(shared, 1, 0);
      if (!solved)
        return solved;
      for (Solution &solution : *solved)
        solutions[solution.population] = std::move(solution);
    }
    std::vector<Solution> result;
    for (const int population : populations) {
      if (solutions.count(population) == 0) {
        auto solution = solve(population);
        if (!solution)
          return tl::unexpected(solution.error());
        solutions[population] = std::move(*solution);
      }
      result.push_back(solutions[population]);
    }
    return result;
  }

  Expected<Solution> solve() { return solve(traffic.population); }

private:
  /// Of cores.
  bool isShort(int population) const { return bounded && population > options.cores; }

  Expected<Solution> solve(int population) {
    return isShort(population) ? withinCores(population) : withNesting(population, 1, 0);
  }

  /// The mean class, from the cycles per nanosecond that each class makes.
  void mix(const std::vector<double> &cyclesPerNs) {
    traffic = mergeTraffic(network, classes, scalingThreads, cyclesPerNs);
    rates = cyclesPerNs;
  }

  /// Entering the one instance of a lock that is held already waits for nobody.
  bool reentrant(const Section &section) const {
    if (network.locks[section.lock].instances > 1)
      return false;
    for (auto outer = section.inside; outer; outer = network.sections[*outer].inside)
      if (network.sections[*outer].lock == section.lock)
        return true;
    return false;
  }

  /// Effective holding times of all sections, innermost first, from the waiting
  /// times at nested locks so far; then those of the locks.
  void setHolds() {
    const std::size_t count = network.sections.size();
    std::vector<std::size_t> depth(count, 0), order(count);
    for (std::size_t i = 0; i < count; ++i) {
      holds[i] = Cumulants::of(network.sections[i].hold);
      order[i] = i;
      for (auto outer = network.sections[i].inside; outer; outer = network.sections[*outer].inside)
        ++depth[i];
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return depth[a] != depth[b] ? depth[a] > depth[b] : a < b;
    });
    for (const std::size_t i : order) {
      const Section &section = network.sections[i];
      if (!section.inside)
        continue;
      // Waiting is taken to be as variable as an exponential time, visits as near to their
      // mean number as whole ones can be.
      Cumulants visit = holds[i];
      visit.add(Cumulants::exponential(reentrant(section) ? 0 : locks[section.lock].waitNs));
      const double whole = std::floor(section.visits), rest = section.visits - whole;
      holds[*section.inside].add(visit, whole);
      holds[*section.inside].add(mixture({{rest, visit}, {1 - rest, Cumulants()}}));
    }
    for (LockDemand &lock : locks) {
      const ClassVisits mean = visitsTo(lock, traffic.visits);
      lock.visits = mean.visits;
      lock.directVisits = mean.directVisits;
      lock.directExtraNs = mean.directExtraNs;
      const Cumulants hold = holdOf(lock, traffic.visits);
      lock.holdNs = hold.mean;
      lock.cv2 = hold.cv2();
      lock.skewness = hold.skewness();
      lock.readers = readersOf(lock);
    }
  }

  /// A lock's holding time, from a class's visits to the sections.
  Cumulants holdOf(const LockDemand &lock, const std::vector<double> &visits) const {
    std::vector<std::pair<double, Cumulants>> sections;
    for (const std::size_t i : lock.sections)
      if (visits[i] > 0)
        sections.emplace_back(visits[i], holds[i]);
    const Cumulants all = sections.empty() ? Cumulants() : mixture(sections);
    return options.exponential ? Cumulants::exponential(all.mean) : all;
  }

  Readers readersOf(const LockDemand &lock) const {
    double visits = 0, holdNs = 0;
    for (const std::size_t i : lock.sections)
      if (network.sections[i].shared) {
        visits += traffic.visits[i];
        holdNs += traffic.visits[i] * holds[i].mean;
      }
    return visits > 0 ? Readers{visits / lock.visits, holdNs / visits} : Readers();
  }

  /// What a class does at a lock.
  ClassVisits visitsTo(const LockDemand &lock, const std::vector<double> &visits) const {
    const Cumulants hold = holdOf(lock, visits);
    ClassVisits result{0, 0, hold.mean, hold.cv2()};
    double directNs = 0;
    for (const std::size_t i : lock.sections) {
      result.visits += visits[i];
      if (network.sections[i].inside)
        continue;
      result.directVisits += visits[i];
      directNs += visits[i] * holds[i].mean;
    }
    if (result.directVisits > 0)
      result.directExtraNs = directNs / result.directVisits - hold.mean;
    return result;
  }

  /// The stations of lock `i`; `visits` of them all per cycle.
  void addStations(ClosedNetwork &input, std::size_t i, double visits, double directVisits,
                   double stretch) const {
    const LockDemand &lock = locks[i];
    for (const InstanceGroup &group : lock.groups)
      input.stations.push_back(
          {kinds[i],
           {lock.holdNs, lock.cv2, stretch, options.cores, lock.skewness, lock.readers},
           visits * group.share,
           directVisits * group.share,
           group.count,
           heldNs(kinds[i], {lock.directExtraNs, lock.cv2, stretch})});
  }

  ClosedNetwork outermost(double stretch, int servers) const {
    ClosedNetwork input{
        machine, traffic.blockedNs, traffic.computeNs * (servers ? 1 : stretch), servers, {}};
    // Locks that are only taken inside others are no part of the cycle.
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].directVisits > 0)
        addStations(input, i, locks[i].visits, locks[i].directVisits, stretch);
    if (!nested && !servers && stretch == 1 && !traffic.flows.empty())
      addRouting(input);
    return input;
  }

  Expected<std::vector<Solution>> solveOutermost(const std::vector<int> &populations,
                                                 double stretch, int servers) const {
    const auto states = options.method(outermost(stretch, servers), populations);
    if (!states)
      return tl::unexpected(states.error());
    std::vector<Solution> result;
    for (const NetworkState &state : *states) {
      result.push_back(describe(state, stretch));
      Solution &solution = result.back();
      ClassSolution all{static_cast<double>(state.threads), state.cyclesPerNs, 0};
      for (const LockSolution &lock : solution.locks)
        all.waitNs += lock.visits * (lock.residenceNs - lock.holdNs);
      solution.classes = {all};
      solution.blocked = traffic.blockedNs * state.cyclesPerNs;
    }
    return result;
  }

  /// Between locks, and with equal chances between the instances of each.
  void addRouting(ClosedNetwork &input) const {
    std::vector<std::vector<double>> flows(locks.size(), std::vector<double>(locks.size(), 0));
    std::vector<std::vector<std::pair<double, Cumulants>>> before(locks.size());
    for (std::size_t k = 0; k < traffic.flows.size(); ++k) {
      if (traffic.flows[k] <= 0)
        continue;
      const Transition &transition = network.transitions[k];
      const std::size_t from = network.sections[transition.from].lock;
      const std::size_t to = network.sections[transition.to].lock;
      Cumulants time = Cumulants::of(transition.local);
      time.add(Cumulants::exponential(transition.blockedNs));
      flows[from][to] += traffic.flows[k];
      before[to].emplace_back(traffic.flows[k], time);
    }
    for (std::size_t i = 0; i < locks.size(); ++i)
      for ([[maybe_unused]] const InstanceGroup &instance : locks[i].groups) {
        if (locks[i].visits <= 0)
          break;
        std::vector<double> &row = input.routing.emplace_back();
        for (std::size_t j = 0; j < locks.size(); ++j)
          if (locks[j].visits > 0)
            for (const InstanceGroup &group : locks[j].groups)
              row.push_back(flows[i][j] / locks[i].visits * group.share * group.count);
        const Cumulants approach = mixture(before[i]);
        input.approaches.push_back({approach.mean, approach.cv2(), approach.skewness()});
      }
  }

  Expected<Solution> solveOneClass(int population, double stretch, int servers) const {
    auto solutions = solveOutermost({population}, stretch, servers);
    if (!solutions)
      return tl::unexpected(solutions.error());
    return std::move(solutions->front());
  }

  Solution describe(const NetworkState &state, double stretch) const {
    Solution solution;
    solution.population = state.threads;
    solution.cyclesPerNs = state.cyclesPerNs;
    solution.stretch = stretch;
    solution.locks.resize(locks.size());
    auto station = state.stations.begin();
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].directVisits > 0)
        describe(solution.locks[i], i, station);
    return solution;
  }

  /// Several classes, by the mixture of them so far; finds the next.
  Expected<Solution> solveClasses(int population, double stretch, int servers) {
    const ClosedNetwork input = outermost(stretch, servers);
    std::vector<ClassLoad> loads;
    for (const Traffic &one : classes)
      loads.push_back(loadOf(one, stretch, servers));
    const auto state = solveMixture(input, population, loads, options.method, options.classMethod);
    if (!state)
      return tl::unexpected(state.error());
    Solution solution = describe(state->mean, stretch);
    std::vector<double> found;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const ClassState &each = state->classes[c];
      found.push_back(each.cyclesPerNs);
      ClassSolution one{loads[c].threads, each.cyclesPerNs, 0};
      for (std::size_t i = 0; i < each.waitNs.size(); ++i) {
        const ClassVisits &at = loads[c].at[i];
        const double slower = at.holdNs * (1 - 1 / heldNs(input.stations[i].kind, {1, 1, stretch}));
        one.waitNs += input.stations[i].count * at.visits * (each.waitNs[i] + slower);
      }
      solution.classes.push_back(one);
    }
    mix(found);
    solution.blocked = traffic.blockedNs * solution.cyclesPerNs;
    return solution;
  }

  ClassLoad loadOf(const Traffic &one, double stretch, int servers) const {
    ClassLoad load{
        one.threads(scalingThreads), one.blockedNs, one.computeNs * (servers ? 1 : stretch), {}};
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (locks[i].directVisits <= 0)
        continue;
      ClassVisits visits = visitsTo(locks[i], one.visits);
      visits.holdNs = heldNs(kinds[i], {visits.holdNs, visits.cv2, stretch});
      visits.directExtraNs = heldNs(kinds[i], {visits.directExtraNs, visits.cv2, stretch});
      for (const InstanceGroup &group : locks[i].groups)
        load.at.push_back({visits.visits * group.share, visits.directVisits * group.share,
                           visits.holdNs, visits.cv2, visits.directExtraNs});
    }
    return load;
  }

  void describe(LockSolution &solution, std::size_t i,
                std::vector<StationState>::const_iterator &station) const {
    const LockDemand &lock = locks[i];
    solution.visits = lock.visits;
    solution.holdNs = lock.holdNs;
    solution.busiestShare = lock.groups.front().share;
    for (const InstanceGroup &group : lock.groups) {
      solution.residenceNs += group.share * group.count * station->residenceNs;
      solution.contention += group.share * group.count * station->contention;
      ++station;
    }
  }

  /// A lock that is only taken inside others: its customers are the threads that can
  /// hold those, and come at the rate at which these are taken.
  Expected<LockSolution> nestedLock(std::size_t i, const Solution &outer, double stretch) const {
    const LockDemand &lock = locks[i];
    const int customers =
        static_cast<int>(std::min(static_cast<double>(outer.population), lock.holders));
    const double rate = outer.cyclesPerNs * lock.visits;
    Expected<LockSolution> solution = LockSolution();
    const auto rateWith = [&](double delay) {
      ClosedNetwork input{machine, delay, 0, 0, {}};
      addStations(input, i, 1, 1, stretch);
      const auto states = options.method(input, {customers});
      if (!states) {
        solution = tl::unexpected(states.error());
        return 0.0;
      }
      LockSolution found;
      auto station = states->front().stations.begin();
      describe(found, i, station);
      solution = found;
      return states->front().cyclesPerNs;
    };
    // The time its customers spend elsewhere is what gives that rate: their whole cycle
    // grows with it almost linearly, so that few steps do.
    const double wanted = customers / rate;
    const auto excess = [&](double delay) { return customers / rateWith(delay) - wanted; };
    const double least = 1e-9 * wanted;
    const double excessAtLeast = excess(least);
    if (customers == 1 || excessAtLeast >= 0)
      return solution;
    Bracket delay{least, excessAtLeast, wanted, excess(wanted)};
    for (int step = 0; step < 50 && solution && delay.isWide(); ++step) {
      const double tried = delay.next();
      const double error = excess(tried);
      if (std::abs(error) <= 1e-9 * wanted)
        break;
      delay.narrow(tried, error);
    }
    return solution;
  }

  /// Nested sections: the outer holding times contain the inner residence times, which
  /// depend on how often the outer locks are taken. Several classes: how often each goes
  /// round depends on what it waits. Damped iteration.
  Expected<Solution> withNesting(int population, double stretch, int servers) {
    Expected<Solution> solution = Solution();
    for (int round = 0; round < 300; ++round) {
      setHolds();
      const std::vector<double> before = rates;
      solution = classes.size() > 1 ? solveClasses(population, stretch, servers)
                                    : solveOneClass(population, stretch, servers);
      if (!solution || (!nested && classes.size() == 1))
        return solution;
      double change = 0;
      for (std::size_t c = 0; c < rates.size(); ++c)
        if (rates[c] > 0)
          change = std::max(change, std::abs(before[c] / rates[c] - 1));
      for (std::size_t i = 0; i < locks.size(); ++i) {
        LockDemand &lock = locks[i];
        if (lock.visits <= 0)
          continue;
        if (lock.directVisits <= 0) {
          auto inner = nestedLock(i, *solution, stretch);
          if (!inner)
            return tl::unexpected(inner.error());
          solution->locks[i] = *inner;
          for (std::size_t c = 0; c < classes.size(); ++c)
            solution->classes[c].waitNs +=
                visitsTo(lock, classes[c].visits).visits * (inner->residenceNs - inner->holdNs);
        }
        const double wait =
            std::max(0.0, solution->locks[i].residenceNs - solution->locks[i].holdNs);
        const double error = wait - lock.waitNs;
        if (nested)
          change = std::max(change, std::abs(error) / std::max(wait + lock.holdNs, 1e-9));
        // Overshooting means too large a step: near saturation waiting is steep.
        lock.step = error * lock.lastError < 0 ? lock.step / 2 : std::min(1.0, 1.2 * lock.step);
        lock.lastError = error;
        lock.waitNs += lock.step * error;
      }
      if (change <= 1e-7)
        return solution;
    }
    solution->settled = false;
    return solution;
  }

  /// How many cores a solution keeps busy, beyond those there are, in units of the
  /// slowdown assumed: <= 0 where the slowdown suffices.
  double shortage(const Solution &solution, double stretch) const {
    double busy = traffic.computeNs;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      const LockSolution &lock = solution.locks[i];
      if (locks[i].directVisits <= 0)
        continue;
      const bool spins = findLockAlgorithm(kinds[i])->spins;
      busy += locks[i].directVisits *
              ((spins ? lock.residenceNs / stretch : locks[i].holdNs) + locks[i].directExtraNs);
    }
    return solution.cyclesPerNs * busy * (spinning ? stretch : 1) / options.cores -
           (spinning ? stretch : 1);
  }

  /// More threads than cores. Waiters that spin keep their core: everything that runs
  /// is slowed down alike until the runnable threads fit. Waiters that sleep do not:
  /// local computation queues for a core, and holders are slowed down only where they
  /// alone are too many.
  Expected<Solution> withinCores(int population) {
    const int servers = spinning ? 0 : options.cores;
    auto solution = withNesting(population, 1, servers);
    if (!solution || shortage(*solution, 1) <= 1e-9)
      return solution;
    double low = 1, high = static_cast<double>(population) / options.cores;
    double lacking = shortage(*solution, low);
    for (int doubling = 0; doubling < 20; ++doubling) {
      solution = withNesting(population, high, servers);
      if (!solution || shortage(*solution, high) <= 1e-9)
        break;
      low = high;
      lacking = shortage(*solution, low);
      high *= 2;
    }
    if (!solution)
      return solution;
    // Spare cores rise with the slowdown; `high` always has enough of them.
    double spare = -shortage(*solution, high);
    Bracket slowdown{low, -lacking, high, spare};
    for (int step = 0; step < 40 && spare > 1e-9 && slowdown.isWide(); ++step) {
      const double between = slowdown.next();
      auto tried = withNesting(population, between, servers);
      if (!tried)
        return tried;
      const double left = -shortage(*tried, between);
      slowdown.narrow(between, left);
      if (left >= -1e-9) {
        spare = left;
        solution = std::move(tried);
      }
    }
    return solution;
  }

  const Network &network;
  const std::vector<std::string> &kinds;
  const Machine &machine;
  const std::vector<Traffic> &classes;
  int scalingThreads;
  SolverOptions options;
  std::vector<LockDemand> locks;
  std::vector<Cumulants> holds; ///< by section, nested sections included
  MergedTraffic traffic;        ///< the mean class
  std::vector<double> rates;    ///< that it is the mean by
  bool nested = false;
  bool bounded = false;  ///< some lock in use is subject to the number of cores
  bool spinning = false; ///< some lock in use lets its waiters spin
};

/// Lock classes of which one instance is taken while another is held.
std::vector<std::size_t> selfNestedLocks(const Network &network) {
  std::set<std::size_t> found;
  for (const Section &section : network.sections)
    for (auto outer = section.inside; outer; outer = network.sections[*outer].inside)
      if (network.sections[*outer].lock == section.lock &&
          network.locks[section.lock].instances > 1)
        found.insert(section.lock);
  return {found.begin(), found.end()};
}

Expected<std::vector<Solution>>
solveAll(const Network &network, const std::vector<std::string> &kinds, const Machine &machine,
         const std::vector<Traffic> &traffic, const std::vector<int> &threads,
         const SolverOptions &options) {
  if (traffic.size() == 1)
    return NetworkSolver(network, kinds, machine, traffic, threads.front(), options)
        .solveSweep(threads);
  std::vector<Solution> result;
  for (const int count : threads) {
    auto solution = NetworkSolver(network, kinds, machine, traffic, count, options).solve();
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
  auto solutions = solveAll(network, kinds, machine, traffic, threads, options);
  const std::vector<std::size_t> selfNested = selfNestedLocks(network);
  if (!solutions || selfNested.empty())
    return solutions;
  // Who holds an instance and waits for another keeps others from it, so that the fixpoint
  // may have no bottom. But somebody always goes on: the class as one lock is the worst case.
  Network worst = network;
  for (const std::size_t lock : selfNested) {
    worst.locks[lock].instances = 1;
    worst.locks[lock].shares.clear();
  }
  auto bounds = solveAll(worst, kinds, machine, traffic, threads, options);
  if (!bounds)
    return bounds;
  for (std::size_t i = 0; i < solutions->size(); ++i) {
    Solution &solution = (*solutions)[i];
    if (solution.settled && solution.cyclesPerNs >= (*bounds)[i].cyclesPerNs)
      continue;
    solution = (*bounds)[i];
    solution.asOneLock = true;
  }
  return solutions;
}

} // namespace qdadvise
