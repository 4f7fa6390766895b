// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Solver.h"

#include "advisor/model/Bracket.h"
#include "advisor/model/Cumulants.h"
#include "advisor/model/Instances.h"
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace qdadvise {

namespace {

/// The demand on one lock class, and what is known of it so far.
struct LockDemand {
  double visits = 0, directVisits = 0;
  std::vector<std::size_t> sections;
  std::vector<InstanceGroup> groups;
  double holders = 0; ///< nested only: how many threads can be there at a time
  double holdNs = 0, cv2 = 1, skewness = 2, waitNs = 0;
  double step = 0.5, lastError = 0; ///< of the iteration over waitNs
};

class MergedSolver {
public:
  MergedSolver(const Network &network, const std::vector<std::string> &kinds,
               const Machine &machine, const MergedTraffic &traffic, const SolverOptions &options)
      : network(network), kinds(kinds), machine(machine), traffic(traffic), options(options),
        locks(network.locks.size()) {
    for (std::size_t i = 0; i < locks.size(); ++i)
      locks[i].groups = groupsOf(network.locks[i]);
    std::vector<std::set<std::size_t>> outerLocks(locks.size());
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      const Section &section = network.sections[i];
      if (traffic.visits[i] <= 0 || reentrant(section))
        continue;
      LockDemand &lock = locks[section.lock];
      lock.sections.push_back(i);
      lock.visits += traffic.visits[i];
      if (!section.inside) {
        lock.directVisits += traffic.visits[i];
        continue;
      }
      nested = true;
      if (outerLocks[section.lock].insert(network.sections[*section.inside].lock).second)
        lock.holders += network.locks[network.sections[*section.inside].lock].instances;
    }
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].visits > 0 && kinds[i] != "ideal") {
        bounded = true;
        spinning = spinning || findLockAlgorithm(kinds[i])->spins;
      }
  }

  Expected<std::vector<Solution>> solve(const std::vector<int> &populations) {
    // One recursion serves all populations that no fixpoint depends on.
    std::vector<int> shared, alone;
    for (const int population : populations)
      (nested || (bounded && population > options.cores) ? alone : shared).push_back(population);
    std::vector<Solution> result;
    if (!shared.empty()) {
      setHolds();
      auto solutions = solveOutermost(shared, 1, 0);
      if (!solutions)
        return solutions;
      result = std::move(*solutions);
    }
    for (const int population : alone) {
      auto solution = bounded && population > options.cores ? withinCores(population)
                                                            : withNesting(population, 1, 0);
      if (!solution)
        return tl::unexpected(solution.error());
      result.push_back(std::move(*solution));
    }
    std::sort(result.begin(), result.end(),
              [](const Solution &a, const Solution &b) { return a.population < b.population; });
    return result;
  }

private:
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
    std::vector<Cumulants> hold(count);
    std::vector<std::size_t> depth(count, 0), order(count);
    for (std::size_t i = 0; i < count; ++i) {
      hold[i] = Cumulants::of(network.sections[i].hold);
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
      // Waiting is taken to be as variable as an exponential time.
      const double wait = reentrant(section) ? 0 : locks[section.lock].waitNs;
      hold[*section.inside].add(Cumulants::exponential(wait), section.visits);
      hold[*section.inside].add(hold[i], section.visits);
    }
    for (LockDemand &lock : locks) {
      if (lock.visits <= 0)
        continue;
      std::vector<std::pair<double, Cumulants>> sections;
      for (const std::size_t i : lock.sections)
        sections.emplace_back(traffic.visits[i], hold[i]);
      Cumulants all = mixture(sections);
      if (options.exponential)
        all = Cumulants::exponential(all.mean);
      lock.holdNs = all.mean;
      lock.cv2 = all.cv2();
      lock.skewness = all.skewness();
    }
  }

  /// The stations of lock `i`; `visits` of them all per cycle.
  void addStations(ClosedNetwork &input, std::size_t i, double visits, double directVisits,
                   double stretch) const {
    const LockDemand &lock = locks[i];
    for (const InstanceGroup &group : lock.groups)
      input.stations.push_back({kinds[i],
                                {lock.holdNs, lock.cv2, stretch, options.cores, lock.skewness},
                                visits * group.share,
                                directVisits * group.share,
                                group.count});
  }

  Expected<std::vector<Solution>> solveOutermost(const std::vector<int> &populations,
                                                 double stretch, int servers) const {
    ClosedNetwork input{
        machine, traffic.blockedNs, traffic.computeNs * (servers ? 1 : stretch), servers, {}};
    // Locks that are only taken inside others are no part of the cycle.
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].directVisits > 0)
        addStations(input, i, locks[i].visits, locks[i].directVisits, stretch);
    if (!nested && !servers && stretch == 1 && !traffic.flows.empty())
      addRouting(input);
    const auto states = options.method(input, populations);
    if (!states)
      return tl::unexpected(states.error());
    std::vector<Solution> result;
    for (const NetworkState &state : *states) {
      Solution solution;
      solution.population = state.threads;
      solution.cyclesPerNs = state.cyclesPerNs;
      solution.stretch = stretch;
      solution.locks.resize(locks.size());
      auto station = state.stations.begin();
      for (std::size_t i = 0; i < locks.size(); ++i)
        if (locks[i].directVisits > 0)
          describe(solution.locks[i], i, station);
      result.push_back(std::move(solution));
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

  /// Nested sections: the outer holding times contain the inner residence times,
  /// which depend on how often the outer locks are taken. Damped iteration.
  Expected<Solution> withNesting(int population, double stretch, int servers) {
    Expected<Solution> solution = Solution();
    for (int round = 0; round < 300; ++round) {
      setHolds();
      auto solved = solveOutermost({population}, stretch, servers);
      if (!solved)
        return tl::unexpected(solved.error());
      solution = std::move(solved->front());
      if (!nested)
        return solution;
      double change = 0;
      for (std::size_t i = 0; i < locks.size(); ++i) {
        LockDemand &lock = locks[i];
        if (lock.visits <= 0)
          continue;
        if (lock.directVisits <= 0) {
          auto inner = nestedLock(i, *solution, stretch);
          if (!inner)
            return tl::unexpected(inner.error());
          solution->locks[i] = *inner;
        }
        const double wait =
            std::max(0.0, solution->locks[i].residenceNs - solution->locks[i].holdNs);
        const double error = wait - lock.waitNs;
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
      busy += locks[i].directVisits * (spins ? lock.residenceNs / stretch : locks[i].holdNs);
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
  const MergedTraffic &traffic;
  SolverOptions options;
  std::vector<LockDemand> locks;
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

} // namespace

Expected<std::vector<Solution>> solveMerged(const Network &network,
                                            const std::vector<std::string> &kinds,
                                            const Machine &machine, const MergedTraffic &traffic,
                                            const std::vector<int> &populations,
                                            const SolverOptions &options) {
  auto solutions = MergedSolver(network, kinds, machine, traffic, options).solve(populations);
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
  auto bounds = MergedSolver(worst, kinds, machine, traffic, options).solve(populations);
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
