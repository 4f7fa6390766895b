// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/LockStations.h"

#include "advisor/model/mva/Mva.h"

#include <algorithm>
#include <numeric>

namespace qdadvise {

namespace {

/// The load of visits that hold the lock for so long.
StationLoad loadAt(const Approximation &now, std::size_t lock, double holdNs, double cv2,
                   double skewness = 2) {
  const LockDemand &demand = now.demands.locks[lock];
  StationLoad load{holdNs, cv2};
  load.skewness = skewness;
  load.coherenceMiss = demand.coherenceMiss;
  load.readerCoherenceMissNs = demand.readerCoherenceMissNs;
  load.mixing = now.unknowns.locks[lock].mixing.value;
  if (now.unknowns.cores) {
    const LockSharing &sharing = now.unknowns.cores->at(lock);
    load.stretch = sharing.stretch;
    load.spinners = sharing.spinners;
    load.absenceNs = now.given.algorithm(lock).fifo ? sharing.absenceNs : 0;
  }
  return load;
}

Reacquisitions reacquisitionsOf(const LockDemand &lock, const InstanceGroup &group) {
  return {lock.reacquisitions.share * group.share, lock.reacquisitions.localNs};
}

/// Queue lengths lie below the number of threads by at least so much.
constexpr double leastAbsent = 0.5;

/// The wait inside the lock's sections for inner locks that other threads come to directly.
InnerWait innerWait(const Approximation &now, std::size_t lock) {
  const Unknowns &unknowns = now.unknowns;
  const std::vector<LockDemand> &locks = now.demands.locks;
  InnerWait result;
  for (std::size_t i = 0; i < now.given.network.sections.size(); ++i) {
    const Section &inner = now.given.network.sections[i];
    if (inner.inside && now.given.outerLock(i) == lock && locks[inner.lock].directVisits > 0)
      result.meanNs +=
          unknowns.traffic.visits[i] / locks[lock].visits *
          std::max(0.0, unknowns.waits[i].value - overheadNs(now.given, now.demands, inner.lock));
  }
  result.threads = std::max(1.0, unknowns.population - unknowns.locks[lock].atOthers.value);
  result.queueLengthWhenBusy =
      std::min(unknowns.locks[lock].queueLengthWhenBusy.value, result.threads - leastAbsent);
  return result;
}

/// How long and how often a thread sleeps at the lock of a section inside another, per visit. It
/// sleeps there if it finds the lock taken.
SleepInside sleepIn(const Approximation &now, std::size_t section) {
  const LockedNetwork &given = now.given;
  const Section &inner = given.network.sections[section];
  const double visits = now.unknowns.traffic.visits[section];
  if (!inner.inside || visits <= 0 || given.nesting.reentrant(section) ||
      given.isPerThread(inner.lock) || !given.algorithm(inner.lock).sleeps())
    return {};
  const std::vector<double> &rates = now.unknowns.rates;
  const double cyclesPerNs = std::accumulate(rates.begin(), rates.end(), 0.0);
  const double others = 1 - 1.0 / now.unknowns.population;
  const LockDemand &demand = now.demands.locks[inner.lock];
  const double overhead = overheadNs(given, now.demands, inner.lock);
  return {std::max(0.0, now.unknowns.waits[section].value - overhead),
          std::min(1.0, cyclesPerNs * demand.visits * others *
                            given.nesting.sameInstance(inner.lock) * (demand.holdNs + overhead))};
}

/// Whether the section is inside sections of the lock: any, or those that keep all others out.
/// Readers that sleep at an inner lock are elsewhere (NST10).
bool isWithin(const LockedNetwork &given, std::size_t lock, std::size_t section, bool anyOuter) {
  const std::vector<Section> &sections = given.network.sections;
  for (auto outer = sections[section].inside; outer; outer = sections[*outer].inside)
    if (sections[*outer].lock == lock && (anyOuter || !given.reads[*outer]))
      return true;
  return false;
}

/// The sleep of visits from inside to other locks within sections of the lock, per visit to it.
SleepInside sleepWithin(const Approximation &now, std::size_t lock, bool anyOuter) {
  SleepInside result;
  for (std::size_t i = 0; i < now.given.network.sections.size(); ++i)
    if (now.given.network.sections[i].lock != lock && isWithin(now.given, lock, i, anyOuter))
      result.add(now.unknowns.traffic.visits[i] / now.demands.locks[lock].visits, sleepIn(now, i));
  return result;
}

/// The sleep of visits from inside to the lock itself, per visit to it.
SleepInside sleepFromInside(const Approximation &now, std::size_t lock) {
  SleepInside result;
  for (const std::size_t i : now.given.locks[lock].sections)
    result.add(now.unknowns.traffic.visits[i] / now.demands.locks[lock].visits, sleepIn(now, i));
  return result;
}

/// The squared coefficient of variation of the time between two visits of a thread, if that is
/// local computation alone. Otherwise the time is taken to be exponential.
double awayCv2(const Approximation &now, std::size_t lock) {
  const LockedNetwork &given = now.given;
  const std::vector<InstanceGroup> &groups = given.locks[lock].groups;
  if (given.options.exponential || given.nested || groups.size() != 1 || groups.front().count != 1)
    return 1;
  for (std::size_t i = 0; i < given.locks.size(); ++i)
    if (i != lock && !given.locks[i].sections.empty())
      return 1;
  std::vector<std::pair<double, Cumulants>> times;
  for (std::size_t c = 0; c < given.classes.size(); ++c)
    for (std::size_t i = 0; i < given.network.transitions.size(); ++i)
      if (const double flow = now.unknowns.rates[c] * given.classes[c].flows[i]; flow > 0)
        times.emplace_back(flow, Cumulants::of(given.network.transitions[i].local));
  return times.empty() ? 1 : mixture(times).cv2();
}

/// What visits to the lock from inside outer sections take there, times their share of all (NST11).
double insideNs(const Approximation &now, std::size_t lock) {
  double ns = 0;
  for (const std::size_t i : now.given.locks[lock].sections)
    if (now.given.network.sections[i].inside)
      ns += now.unknowns.traffic.visits[i] / now.demands.locks[lock].visits *
            (heldNs(now.given.kinds[lock], loadAt(now, lock, now.demands.holds[i].mean, 1)) +
             now.unknowns.waits[i].value);
  return ns;
}

/// Adds the stations of lock `i`, with `visits` per cycle to all of them.
void addStations(ClosedNetwork &input, const Approximation &now, std::size_t i, double visits,
                 double directVisits) {
  const LockDemand &demand = now.demands.locks[i];
  const LockPlace &place = now.given.locks[i];
  LockKind kind = now.given.kinds[i];
  StationLoad load = loadAt(now, i, demand.holdNs, demand.cv2, demand.skewness);
  load.readers = demand.readers;
  load.inner = innerWait(now, i);
  load.sleepInside = sleepWithin(now, i, false);
  load.awayCv2 = awayCv2(now, i);
  load.revisit = demand.revisit;
  load.own = now.given.network.locks[i].own;
  for (const InstanceGroup &group : place.groups) {
    load.reacquisitions = reacquisitionsOf(demand, group);
    load.share = group.share;
    input.stations.push_back({kind, load, visits * group.share, directVisits * group.share,
                              group.count,
                              heldNs(kind, loadAt(now, i, demand.directExtraNs, demand.cv2)),
                              place.holders, insideNs(now, i)});
  }
}

/// Adds the routing between locks. It goes to the instances of a lock by their shares.
void addRouting(ClosedNetwork &input, const Approximation &now) {
  const std::vector<double> &traffic = now.unknowns.traffic.flows;
  const std::vector<LockPlace> &places = now.given.locks;
  const std::vector<LockDemand> &demands = now.demands.locks;
  std::vector<std::vector<double>> flows(places.size(), std::vector<double>(places.size(), 0));
  std::vector<std::vector<std::pair<double, Cumulants>>> before(places.size());
  for (std::size_t k = 0; k < traffic.size(); ++k) {
    if (traffic[k] <= 0)
      continue;
    const Transition &transition = now.given.network.transitions[k];
    const std::size_t from = now.given.network.sections[transition.from].lock;
    const std::size_t to = now.given.network.sections[transition.to].lock;
    Cumulants time = Cumulants::of(transition.local);
    time.add(Cumulants::exponential(transition.blockedNs));
    flows[from][to] += traffic[k];
    before[to].emplace_back(traffic[k], time);
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    for ([[maybe_unused]] const InstanceGroup &instance : places[i].groups) {
      if (demands[i].visits <= 0)
        break;
      std::vector<double> &row = input.routing.emplace_back();
      for (std::size_t j = 0; j < places.size(); ++j)
        if (demands[j].visits > 0)
          for (const InstanceGroup &group : places[j].groups)
            row.push_back(flows[i][j] / demands[i].visits * group.share * group.count);
      const Cumulants thinkTime = mixture(before[i]);
      input.thinkTimes.push_back({thinkTime.mean, thinkTime.cv2(), thinkTime.skewness()});
    }
}

/// Time per cycle of so many direct visits to a lock of which each thread has its own.
double perThreadNs(const Approximation &now, std::size_t lock, double directVisits, double holdNs,
                   double directExtraNs) {
  const double wantedNs = holdNs + directExtraNs - now.demands.locks[lock].holdNs;
  return directVisits * (perThreadSolution(now, lock, 1).residenceNs +
                         heldNs(now.given.kinds[lock], loadAt(now, lock, wantedNs, 1)));
}

} // namespace

double waitForCoreNs(const Approximation &now, std::size_t lock) {
  const auto &cores = now.unknowns.cores;
  return cores && !now.given.algorithm(lock).fifo ? cores->at(lock).losses * cores->waitNs() : 0;
}

ClosedNetwork outermostLocks(const Approximation &now) {
  const MergedTraffic &traffic = now.unknowns.traffic;
  ClosedNetwork input{
      now.given.machine, traffic.blockedNs, traffic.computeNs * now.unknowns.stretch(), {}};
  input.alike = now.given.classes.size() == 1;
  bool hasPerThread = false; // such locks are no part of the routing
  for (std::size_t i = 0; i < now.demands.locks.size(); ++i)
    if (const LockDemand &lock = now.demands.locks[i]; lock.directVisits > 0) {
      if (now.given.isPerThread(i)) {
        input.computeNs += perThreadNs(now, i, lock.directVisits, lock.holdNs, lock.directExtraNs);
        hasPerThread = true;
        continue;
      }
      const std::size_t first = input.stations.size();
      addStations(input, now, i, lock.visits, lock.directVisits);
      for (std::size_t at = first; at < input.stations.size(); ++at)
        input.stations[at].load.sleepInside.add(1, sleepFromInside(now, i));
      input.delayNs += lock.directVisits * waitForCoreNs(now, i);
    }
  for (std::size_t i = 0; i < now.given.network.sections.size(); ++i)
    input.sleepInside.add(traffic.visits[i], sleepIn(now, i));
  if (!now.given.nested && !hasPerThread && !now.unknowns.cores && !traffic.flows.empty())
    addRouting(input, now);
  return input;
}

ClosedNetwork lockByItself(const Approximation &now, std::size_t lock, double delayNs) {
  ClosedNetwork input{now.given.machine, delayNs + waitForCoreNs(now, lock), 0, {}};
  input.sleepInside = sleepWithin(now, lock, true);
  addStations(input, now, lock, 1, 1);
  for (LockStation &station : input.stations) // there are no other visits
    station.directExtraNs = 0;
  return input;
}

ClassLoad loadOf(const Approximation &now, std::size_t of) {
  const LockedNetwork &given = now.given;
  const Traffic &one = given.classes[of];
  ClassLoad load{
      one.threads(given.scalingThreads), one.blockedNs, one.computeNs * now.unknowns.stretch(), {}};
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    if (now.demands.locks[i].directVisits <= 0)
      continue;
    ClassVisits visits = visitsTo(given, now.demands.holds, i, one.visits);
    if (given.isPerThread(i)) {
      load.computeNs +=
          perThreadNs(now, i, visits.directVisits, visits.holdNs, visits.directExtraNs);
      continue;
    }
    load.delayNs += visits.directVisits * waitForCoreNs(now, i);
    visits.holdNs = heldNs(given.kinds[i], loadAt(now, i, visits.holdNs, visits.cv2));
    visits.directExtraNs = heldNs(given.kinds[i], loadAt(now, i, visits.directExtraNs, visits.cv2));
    const Revisit &way = given.revisits[of][i];
    for (const InstanceGroup &group : given.locks[i].groups)
      load.at.push_back({visits.visits * group.share,
                         visits.directVisits * group.share,
                         visits.holdNs,
                         visits.cv2,
                         visits.directExtraNs,
                         {way.again * group.share, way.againNs * now.unknowns.stretch()}});
  }
  return load;
}

Solution solutionOf(const Approximation &now, const NetworkState &state) {
  Solution solution;
  solution.population = state.threads;
  solution.cyclesPerNs = state.cyclesPerNs;
  solution.locks.resize(now.given.locks.size());
  const StationState *station = state.stations.data();
  for (std::size_t i = 0; i < solution.locks.size(); ++i)
    if (now.demands.locks[i].directVisits > 0) {
      if (now.given.isPerThread(i)) {
        solution.locks[i] = perThreadSolution(now, i, state.threads);
        continue;
      }
      solution.locks[i] = lockSolutionOf(now, i, station);
      station += now.given.locks[i].groups.size();
    }
  return solution;
}

LockSolution perThreadSolution(const Approximation &now, std::size_t lock, int threads) {
  // This does not fail: solveNetwork has checked that the machine has the figures.
  const auto alone = solveMva(lockByItself(now, lock, 0), {1});
  LockSolution solution = lockSolutionOf(now, lock, alone->front().stations.data());
  solution.contention = solution.foundTaken = solution.coherenceMissNs = 0;
  const double visitors =
      now.given.classes.size() > 1 ? visitorsOf(now.given, now.unknowns, lock) : threads;
  solution.busiestShare = 1 / std::max(1.0, visitors);
  return solution;
}

LockSolution lockSolutionOf(const Approximation &now, std::size_t lock,
                            const StationState *station) {
  const LockDemand &demand = now.demands.locks[lock];
  const std::vector<InstanceGroup> &groups = now.given.locks[lock].groups;
  LockSolution solution;
  solution.visits = demand.visits;
  solution.holdNs = demand.holdNs;
  solution.busiestShare = groups.front().share;
  solution.residenceNs = waitForCoreNs(now, lock);
  solution.stretch = now.unknowns.cores ? now.unknowns.cores->at(lock).stretch : 1;
  for (const InstanceGroup &group : groups) {
    const double weight = group.share * group.count;
    solution.residenceNs += weight * station->residenceNs;
    solution.contention += weight * station->contention;
    solution.foundTaken += weight * station->foundTaken.value_or(station->contention);
    solution.queueLengthWhenBusy +=
        weight * std::min<double>(station->queueLengthWhenBusy, now.unknowns.population);
    solution.coherenceMissNs +=
        weight * coherenceMissNs(now.given, now.demands, lock, station->contention,
                                 station->changes, reacquisitionsOf(demand, group));
    if (station->fromInside)
      solution.fromInside = solution.fromInside.value_or(0) + weight * *station->fromInside;
    ++station;
  }
  return solution;
}

} // namespace qdadvise
