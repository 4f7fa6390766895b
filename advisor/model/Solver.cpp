// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/Solver.h"

#include "advisor/model/Bracket.h"
#include "advisor/model/ClassMixture.h"
#include "advisor/model/Cores.h"
#include "advisor/model/Cumulants.h"
#include "advisor/model/Instances.h"
#include "advisor/model/LockTimes.h"
#include "advisor/model/Nesting.h"
#include "advisor/model/Prediction.h"
#include "advisor/model/Revisits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace qdadvise {

namespace {

/// The demand on one lock class, and what is known of it so far.
struct LockDemand {
  double visits = 0, directVisits = 0;
  std::vector<std::size_t> sections;
  std::vector<InstanceGroup> groups;
  double holders = 0;       ///< as in LockStation
  double directExtraNs = 0; ///< as in LockStation
  double holdNs = 0, cv2 = 1, skewness = 2;
  MovementTimes moved; ///< as in StationLoad
  Returns returns;     ///< as there, but to any instance
  Revisit revisit;
  double movedToReaderNs = 0;
  Damped there{1};  ///< threads at the instance while it is held
  Damped atOthers;  ///< threads at other instances than that
  Damped visitors;  ///< as many alike threads that come at random follow themselves as often
  Damped mixing{1}; ///< as in StationLoad
  Readers readers;
};

class NetworkSolver {
public:
  NetworkSolver(const Network &network, const std::vector<std::string> &kinds,
                const Machine &machine, const std::vector<Traffic> &classes, int scalingThreads,
                const SolverOptions &options)
      : network(network), kinds(kinds), machine(machine), classes(classes),
        scalingThreads(scalingThreads), options(options), locks(network.locks.size()),
        movement(machine), nesting(network), waits(network.sections.size()) {
    for (std::size_t i = 0; i < locks.size(); ++i)
      locks[i].groups = groupsOf(network.locks[i]);
    mix(ratesAlone(network, classes, scalingThreads));
    std::vector<std::set<std::size_t>> outerLocks(locks.size());
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      const Section &section = network.sections[i];
      if (traffic.visits[i] <= 0 || nesting.reentrant(i))
        continue;
      LockDemand &lock = locks[section.lock];
      lock.sections.push_back(i);
      moving = moving || section.footprint;
      if (!section.inside)
        continue;
      nested = true;
      if (outerLocks[section.lock].insert(network.sections[*section.inside].lock).second)
        lock.holders += 1 / nesting.sameInstance(network.sections[*section.inside].lock);
    }
    for (const Traffic &one : classes)
      revisits.push_back(revisitsOf(network, one));
    for (std::size_t i = 0; i < locks.size(); ++i)
      bounded =
          bounded || (!locks[i].sections.empty() && (options.coresAlways || kinds[i] != "ideal"));
  }

  /// One class of threads, for several numbers of them.
  Expected<std::vector<Solution>> solveSweep(const std::vector<int> &threads) {
    std::vector<int> populations;
    for (const int count : threads)
      populations.push_back(mergeTraffic(network, classes, count, rates).population);
    // One recursion serves all populations that no fixpoint depends on.
    std::vector<int> shared;
    for (const int size : populations)
      if (!nested && !moving && !isShort(size) && (shared.empty() || shared.back() != size))
        shared.push_back(size);
    std::map<int, Solution> solutions;
    if (!shared.empty()) {
      setHolds();
      auto solved = solveOutermost(shared);
      if (!solved)
        return solved;
      for (Solution &solution : *solved)
        solutions[solution.population] = std::move(solution);
    }
    std::vector<Solution> result;
    for (const int size : populations) {
      if (solutions.count(size) == 0) {
        auto solution = solve(size);
        if (!solution)
          return tl::unexpected(solution.error());
        solutions[size] = std::move(*solution);
      }
      result.push_back(solutions[size]);
    }
    return result;
  }

  Expected<Solution> solve() { return solve(traffic.population); }

private:
  /// Of cores.
  bool isShort(int size) const { return bounded && size > options.cores; }

  /// The mean class, from the cycles per nanosecond that each class makes.
  void mix(const std::vector<double> &cyclesPerNs) {
    traffic = mergeTraffic(network, classes, scalingThreads, cyclesPerNs);
    rates = cyclesPerNs;
  }

  /// Effective holding times of all sections, from the waiting times at nested locks so far;
  /// then those of the locks.
  void setHolds() {
    std::vector<double> waitNs;
    for (const Damped &one : waits)
      waitNs.push_back(one.value);
    holds = nesting.holds(waitNs);
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
    setReturns();
    setRevisits();
    setMoved();
  }

  /// Over all classes, by how often they come. Of times away the harmonic mean: it is the short
  /// ones that matter.
  void setReturns() {
    const double allRates = std::accumulate(rates.begin(), rates.end(), 0.0);
    for (std::size_t i = 0; i < locks.size(); ++i) {
      Returns &returns = locks[i].returns = {};
      if (!barges(i))
        continue;
      double perNs = 0;
      for (std::size_t c = 0; c < classes.size(); ++c)
        if (const Revisit &way = revisits[c][i]; way.again > 0) {
          const double share = rates[c] / allRates * way.visits * way.again / locks[i].visits;
          returns.share += share;
          perNs += share / (way.againNs * stretch());
        }
      if (returns.share > 0)
        returns.localNs = returns.share / perNs;
    }
  }

  /// Of all classes, by how often they come.
  void setRevisits() {
    for (std::size_t i = 0; i < locks.size(); ++i) {
      std::vector<std::pair<double, Revisit>> ways;
      for (std::size_t c = 0; c < classes.size(); ++c)
        ways.emplace_back(rates[c], revisits[c][i]);
      Revisit &way = locks[i].revisit = mixture(ways);
      way.againNs *= stretch();
      way.leavingNs *= stretch();
    }
  }

  Returns returnsTo(std::size_t lock, const InstanceGroup &group) const {
    return {locks[lock].returns.share * group.share, locks[lock].returns.localNs};
  }

  /// Whether who returns may pass those who wait, as far as stations know: mutexes have
  /// a model of that.
  bool barges(std::size_t lock) const {
    const LockAlgorithm &row = algorithm(lock);
    return row.spins && !row.delegates && !row.inLine;
  }

  /// What the data of all sections of a lock take to move, those that find it held already too.
  void setMoved() {
    if (!moving)
      return;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      LockDemand &lock = locks[i];
      lock.moved = {};
      lock.movedToReaderNs = 0;
      const double threads = visitorsOf(i),
                   visitors = std::clamp(lock.visitors.value, std::min(1.001, threads), threads),
                   reads = algorithm(i).sharesReads ? lock.readers.share : 0;
      for (std::size_t k = 0; k < network.sections.size(); ++k) {
        const Section &section = network.sections[k];
        if (section.lock != i || !section.footprint || lock.visits <= 0)
          continue;
        const MovementTimes times = movement(*section.footprint, visitors, threads);
        const double share = traffic.visits[k] / lock.visits / visitsInARow(k);
        if (section.shared && reads > 0) {
          lock.movedToReaderNs += share / reads * times.free;
        } else {
          lock.moved.free += share / (1 - reads) * times.free;
          lock.moved.handed += share / (1 - reads) * times.handed;
          lock.moved.same += share / (1 - reads) * times.same;
        }
      }
      if (reads <= 0)
        lock.movedToReaderNs = lock.moved.free;
    }
  }

  /// Of a nested section, by one thread, which nobody else comes between: the data are here from
  /// the second one on.
  double visitsInARow(std::size_t section) const {
    double visits = 1;
    for (auto inner = &network.sections[section]; inner->inside;
         inner = &network.sections[*inner->inside])
      visits *= std::max(1.0, inner->visits);
    return visits;
  }

  /// Threads that come to a lock, as many as would mix like them were they all alike.
  double visitorsOf(std::size_t lock) const {
    if (classes.size() == 1)
      return population;
    std::vector<Visitors> all;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      double visits = 0;
      for (const std::size_t i : locks[lock].sections)
        visits += rates[c] * classes[c].visits[i];
      all.push_back({classes[c].threads(scalingThreads), visits});
    }
    return evenVisitors(all);
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

  /// Of the time between two visits of a thread, where there is nothing but local computation; else
  /// taken for exponential.
  double awayCv2(std::size_t lock) const {
    if (options.exponential || nested || locks[lock].groups.size() != 1 ||
        locks[lock].groups.front().count != 1)
      return 1;
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (i != lock && !locks[i].sections.empty())
        return 1;
    std::vector<std::pair<double, Cumulants>> times;
    for (std::size_t c = 0; c < classes.size(); ++c)
      for (std::size_t i = 0; i < network.transitions.size(); ++i)
        if (const double flow = rates[c] * classes[c].flows[i]; flow > 0)
          times.emplace_back(flow, Cumulants::of(network.transitions[i].local));
    return times.empty() ? 1 : mixture(times).cv2();
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

  const LockAlgorithm &algorithm(std::size_t lock) const { return *findLockAlgorithm(kinds[lock]); }

  /// Holding that lock for so long.
  StationLoad loadAt(std::size_t lock, double holdNs, double cv2, double skewness = 2) const {
    StationLoad load{holdNs, cv2};
    load.skewness = skewness;
    load.moved = locks[lock].moved;
    load.movedToReaderNs = locks[lock].movedToReaderNs;
    load.mixing = locks[lock].mixing.value;
    if (cores) {
      const LockSharing &sharing = cores->at(lock);
      load.stretch = sharing.stretch;
      load.spinners = sharing.spinners;
      load.absenceNs = algorithm(lock).inLine ? sharing.absenceNs : 0;
    }
    return load;
  }
  /// Per visit, to have the core again that was lost while waiting; unless the lock stands
  /// idle meanwhile, which is its station's matter.
  double waitForCoreNs(std::size_t lock) const {
    return cores && !algorithm(lock).inLine ? cores->at(lock).losses * cores->waitNs() : 0;
  }
  double stretch() const { return cores ? cores->stretch() : 1; }

  /// The stations of lock `i`; `visits` of them all per cycle.
  void addStations(ClosedNetwork &input, std::size_t i, double visits, double directVisits) const {
    const LockDemand &lock = locks[i];
    StationLoad load = loadAt(i, lock.holdNs, lock.cv2, lock.skewness);
    load.readers = lock.readers;
    load.inner = innerWait(i);
    load.awayCv2 = awayCv2(i);
    load.revisit = lock.revisit;
    for (const InstanceGroup &group : lock.groups) {
      load.returns = returnsTo(i, group);
      load.share = group.share;
      input.stations.push_back(
          {kinds[i], load, visits * group.share, directVisits * group.share, group.count,
           heldNs(kinds[i], loadAt(i, lock.directExtraNs, lock.cv2)), lock.holders});
    }
  }

  /// Behind those who come to inner locks by themselves.
  InnerWait innerWait(std::size_t lock) const {
    InnerWait result;
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      const Section &inner = network.sections[i];
      if (inner.inside && network.sections[*inner.inside].lock == lock &&
          locks[inner.lock].directVisits > 0)
        result.meanNs += traffic.visits[i] / locks[lock].visits *
                         std::max(0.0, waits[i].value - overheadNs(inner.lock));
    }
    result.threads = std::max(1.0, population - locks[lock].atOthers.value);
    result.there = std::min(locks[lock].there.value, result.threads - 0.5);
    return result;
  }

  ClosedNetwork outermost() const {
    ClosedNetwork input{machine, traffic.blockedNs, traffic.computeNs * stretch(), {}};
    // Locks that are only taken inside others are no part of the cycle.
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].directVisits > 0) {
        addStations(input, i, locks[i].visits, locks[i].directVisits);
        input.delayNs += locks[i].directVisits * waitForCoreNs(i);
      }
    if (!nested && !cores && !traffic.flows.empty())
      addRouting(input);
    return input;
  }

  Expected<std::vector<Solution>> solveOutermost(const std::vector<int> &populations) const {
    const auto states = options.method(outermost(), populations);
    if (!states)
      return tl::unexpected(states.error());
    std::vector<Solution> result;
    for (const NetworkState &state : *states) {
      result.push_back(describe(state));
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

  Expected<Solution> solveOneClass() const {
    auto solutions = solveOutermost({population});
    if (!solutions)
      return tl::unexpected(solutions.error());
    return std::move(solutions->front());
  }

  Solution describe(const NetworkState &state) const {
    Solution solution;
    solution.population = state.threads;
    solution.cyclesPerNs = state.cyclesPerNs;
    solution.locks.resize(locks.size());
    auto station = state.stations.begin();
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (locks[i].directVisits > 0)
        describe(solution.locks[i], i, station);
    return solution;
  }

  /// Several classes, by the mixture of them so far; finds the next.
  Expected<Solution> solveClasses() {
    const ClosedNetwork input = outermost();
    std::vector<ClassLoad> loads;
    for (const Traffic &one : classes)
      loads.push_back(loadOf(one));
    const auto state = solveMixture(input, population, loads, options.method, options.classMethod);
    if (!state)
      return tl::unexpected(state.error());
    Solution solution = describe(state->mean);
    std::vector<double> found;
    for (std::size_t c = 0; c < classes.size(); ++c) {
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
      for (std::size_t i = 0; i < locks.size(); ++i)
        if (locks[i].directVisits > 0)
          one.waitNs += visitsTo(locks[i], classes[c].visits).visits * waitForCoreNs(i);
      solution.classes.push_back(one);
    }
    mix(found);
    solution.blocked = traffic.blockedNs * solution.cyclesPerNs;
    return solution;
  }

  ClassLoad loadOf(const Traffic &one) const {
    ClassLoad load{one.threads(scalingThreads), one.blockedNs, one.computeNs * stretch(), {}};
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (locks[i].directVisits <= 0)
        continue;
      ClassVisits visits = visitsTo(locks[i], one.visits);
      load.delayNs += visits.directVisits * waitForCoreNs(i);
      visits.holdNs = heldNs(kinds[i], loadAt(i, visits.holdNs, visits.cv2));
      visits.directExtraNs = heldNs(kinds[i], loadAt(i, visits.directExtraNs, visits.cv2));
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
    solution.residenceNs = waitForCoreNs(i);
    solution.stretch = cores ? cores->at(i).stretch : 1;
    for (const InstanceGroup &group : lock.groups) {
      solution.residenceNs += group.share * group.count * station->residenceNs;
      solution.contention += group.share * group.count * station->contention;
      solution.there += group.share * group.count * station->there;
      solution.movedNs += group.share * group.count *
                          movedNs(i, station->contention, station->changes, returnsTo(i, group));
      ++station;
    }
  }

  /// A lock that is only taken inside others: its customers are the threads that can
  /// hold those, and come at the rate at which these are taken.
  Expected<LockSolution> nestedLock(std::size_t i, const Solution &outer) const {
    const LockDemand &lock = locks[i];
    const int customers =
        static_cast<int>(std::min(static_cast<double>(outer.population), lock.holders));
    const double rate = outer.cyclesPerNs * lock.visits;
    Expected<LockSolution> solution = LockSolution();
    const auto rateWith = [&](double delay) {
      ClosedNetwork input{machine, delay + waitForCoreNs(i), 0, {}};
      addStations(input, i, 1, 1);
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
  /// round depends on what it waits. Shared cores: how long threads wait for one depends on
  /// how long they wait for locks, and the other way round. Damped iteration.
  Expected<Solution> solve(int size) {
    Expected<Solution> solution = Solution();
    cores.reset();
    population = size;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      locks[i].visitors = Damped{visitorsOf(i), 1};
      locks[i].mixing = Damped{1, 1};
    }
    if (isShort(population))
      cores.emplace(population, options.cores, schedulingOf(machine), locks.size());
    for (int round = 0; round < 300; ++round) {
      setHolds();
      const std::vector<double> before = rates;
      solution = classes.size() > 1 ? solveClasses() : solveOneClass();
      if (!solution)
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
          auto inner = nestedLock(i, *solution);
          if (!inner)
            return tl::unexpected(inner.error());
          solution->locks[i] = *inner;
          for (std::size_t c = 0; c < classes.size(); ++c)
            solution->classes[c].waitNs +=
                visitsTo(lock, classes[c].visits).visits * (inner->residenceNs - inner->holdNs);
        }
      }
      if (nested)
        change = std::max(change, waitInside(*solution));
      if (cores)
        change = std::max(change, cores->update(useOf(*solution)));
      if (moving)
        change = std::max(change, followThreads(*solution));
      solution->settled = change <= 1e-7;
      if (solution->settled)
        break;
    }
    if (cores)
      keepTogether(*solution);
    return solution;
  }

  /// Who comes to each lock next. How far away the last ones were, unless next to it: data take no
  /// more than a share of a section.
  double followThreads(const Solution &solution) {
    std::vector<LockInUse> inUse;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      const LockSolution &at = solution.locks[i];
      const double waitNs = std::max(0.0, at.residenceNs - at.holdNs - overheadNs(i));
      inUse.push_back({locks[i].visits, locks[i].visits > 0 ? waitNs : 0, at.residenceNs,
                       at.contention, &locks[i].groups});
    }
    std::vector<ClassOfThreads> threads;
    for (std::size_t c = 0; c < classes.size(); ++c)
      threads.push_back(
          {solution.classes[c].threads, solution.classes[c].cyclesPerNs, &revisits[c]});
    double change = 0;
    const std::vector<Followers> next =
        followersAt(inUse, threads, solution.cyclesPerNs, population);
    for (std::size_t i = 0; i < locks.size(); ++i)
      if (next[i].visitors > 0)
        change = std::max({change, locks[i].visitors.approach(next[i].visitors) / population,
                           locks[i].mixing.approach(next[i].mixing)});
    return change > 1e-3 ? change : 0;
  }

  /// The waiting times of nested sections, from a solution in which they are those of all
  /// sections; puts them into it. How far away the last ones were, of the time at the lock.
  double waitInside(Solution &solution) {
    double change = 0;
    std::vector<double> found(waits.size(), 0);
    for (std::size_t i = 0; i < waits.size(); ++i) {
      const std::size_t lock = network.sections[i].lock;
      if (!network.sections[i].inside || traffic.visits[i] <= 0 || nesting.reentrant(i))
        continue;
      found[i] = nestedWaitNs(i, solution);
      const double error = waits[i].approach(found[i]);
      change = std::max(change, error / std::max(found[i] + locks[lock].holdNs, 1e-9));
    }
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (locks[i].directVisits <= 0)
        continue;
      LockSolution &at = solution.locks[i];
      const double others = presentAt(at, solution) * (1 - nesting.sameInstance(i));
      change = std::max({change, locks[i].atOthers.approach(others) / population,
                         locks[i].there.approach(at.there) / population});
      const double wait = std::max(0.0, at.residenceNs - at.holdNs);
      for (const std::size_t k : locks[i].sections) {
        if (!network.sections[k].inside)
          continue;
        at.residenceNs += traffic.visits[k] / at.visits * (found[k] - wait);
        for (std::size_t c = 0; c < classes.size(); ++c)
          solution.classes[c].waitNs += classes[c].visits[k] * (found[k] - wait);
      }
    }
    return change;
  }

  static double presentAt(const LockSolution &lock, const Solution &solution) {
    return solution.cyclesPerNs * lock.visits * lock.residenceNs;
  }

  /// Who comes to an inner lock from inside an outer one does not meet those whom it keeps out
  /// of that, and of those who come by themselves only as many as do not wait for it: of the
  /// work that others have at the lock, by which all wait, it waits for that much less.
  double nestedWaitNs(std::size_t section, const Solution &solution) const {
    const std::size_t lock = network.sections[section].lock;
    const LockSolution &at = solution.locks[lock];
    const double wait = std::max(0.0, at.residenceNs - at.holdNs);
    if (locks[lock].directVisits <= 0 || population < 2)
      return wait;
    const double others = static_cast<double>(population - 1) / population;
    double met = others;
    const std::size_t outer = network.sections[*network.sections[section].inside].lock;
    const double there = presentAt(solution.locks[outer], solution);
    if (locks[outer].directVisits > 0 && there < population) {
      const double whileHeld =
          there * (1 - nesting.sameInstance(outer)) + solution.locks[outer].there;
      met = std::clamp((population - whileHeld) / (population - there), 0.0, 1.0);
    }
    double all = 0, seen = 0;
    for (const std::size_t i : locks[lock].sections) {
      const bool inside = network.sections[i].inside.has_value();
      const double hold = holds[i].mean;
      const double work = traffic.visits[i] * hold *
                          ((inside ? waits[i].value : wait) + hold * (1 + holds[i].cv2()) / 2);
      all += others * work;
      seen += work * (inside ? others * (1 - nesting.keepsOut(section, i)) : met);
    }
    const double alone = std::min(wait, overheadNs(lock));
    return alone + (wait - alone) * (all > 0 ? seen / all : 1);
  }

  /// What taking the lock costs a thread that meets nobody.
  double overheadNs(std::size_t lock) const {
    return kinds[lock] == "ideal"
               ? 0
               : machine.kinds.at(kinds[lock]).handoverCurve()(1) + movedNs(lock, 0);
  }

  /// What its data take, per visit, where so many visits find the lock taken, or follow another
  /// thread's.
  double movedNs(std::size_t lock, double contention, const std::optional<double> &changes = {},
                 const Returns &returns = {}) const {
    if (kinds[lock] == "ideal")
      return 0;
    const LockDemand &at = locks[lock];
    double handed = algorithm(lock).delegates ? 0 : at.moved.handed;
    if (returns.share > 0)
      if (const auto costs = machine.requireHandover(kinds[lock]))
        handed = HandoverTime(kinds[lock], *costs, machine).handedNs(at.moved, returns);
    const double own = changes ? at.moved.same + *changes * (at.moved.handed - at.moved.same)
                               : (1 - contention) * at.moved.free + contention * handed;
    return at.readers.share * at.movedToReaderNs + (1 - at.readers.share) * own;
  }

  /// What a solution says of the cores.
  CoreUse useOf(const Solution &solution) const {
    CoreUse result{solution.cyclesPerNs, traffic.computeNs, traffic.blockedNs,
                   std::vector<LockUse>(locks.size())};
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      result.locks[network.sections[i].lock].ownNs +=
          traffic.visits[i] * network.sections[i].hold.mean;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (locks[i].visits <= 0)
        continue;
      const LockSolution &found = solution.locks[i];
      LockUse &use = result.locks[i];
      use.visits = locks[i].visits;
      use.spins = algorithm(i).spins;
      use.overheadNs = overheadNs(i);
      if (use.spins && kinds[i] != "ideal")
        use.overheadNs += machine.lineTransferNs(solution.population);
      use.occupiedNs = found.holdNs + use.overheadNs;
      use.waitNs = std::max(0.0, found.residenceNs - waitForCoreNs(i) -
                                     use.occupiedNs * cores->at(i).stretch);
      use.contention = found.contention;
    }
    return result;
  }

  /// Threads of one core that sleep hardly meet at a lock: only where its holder's time slice
  /// ends. As many as there are beyond one a core do what one core does, where that is more.
  void keepTogether(Solution &solution) const {
    const CoreUse use = useOf(solution);
    double aloneNs = use.computeNs, waitsNs = 0, sleepsNs = 0;
    for (const LockUse &lock : use.locks) {
      aloneNs += lock.ownNs + lock.visits * lock.overheadNs;
      (lock.spins ? waitsNs : sleepsNs) += lock.visits * lock.waitNs;
    }
    const double gain = 1 / aloneNs - solution.cyclesPerNs;
    if (sleepsNs <= 0 || gain <= 0)
      return;
    const double beyond = 1 - static_cast<double>(options.cores) / solution.population;
    const double faster =
        1 + beyond * sleepsNs / (sleepsNs + waitsNs) * gain / solution.cyclesPerNs;
    double waitNs = 0;
    for (std::size_t i = 0; i < locks.size(); ++i)
      waitNs += locks[i].directVisits * (solution.locks[i].residenceNs - solution.locks[i].holdNs);
    const double less = (1 - 1 / faster) * solution.population / solution.cyclesPerNs;
    for (LockSolution &lock : solution.locks)
      lock.residenceNs -= (lock.residenceNs - lock.holdNs) * std::min(1.0, less / waitNs);
    solution.cyclesPerNs *= faster;
    solution.blocked *= faster;
    for (ClassSolution &one : solution.classes) {
      one.waitNs -= std::min(one.waitNs, (1 - 1 / faster) * one.threads / one.cyclesPerNs);
      one.cyclesPerNs *= faster;
    }
  }

  const Network &network;
  const std::vector<std::string> &kinds;
  const Machine &machine;
  const std::vector<Traffic> &classes;
  int scalingThreads;
  SolverOptions options;
  std::vector<LockDemand> locks;
  DataMovement movement;
  Nesting nesting;
  int population = 1;
  std::vector<Damped> waits;                  ///< by section: mean waiting times of nested ones
  std::vector<Cumulants> holds;               ///< by section, nested sections included
  MergedTraffic traffic;                      ///< the mean class
  std::vector<double> rates;                  ///< that it is the mean by
  std::vector<std::vector<Revisit>> revisits; ///< by class and lock: what a class does by itself
  bool nested = false;
  bool moving = false;              ///< footprints are known
  bool bounded = false;             ///< some lock in use is subject to the number of cores
  std::optional<SharedCores> cores; ///< where threads share them
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
