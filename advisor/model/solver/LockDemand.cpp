// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/LockDemand.h"

#include "advisor/model/locks/LockTimes.h"
#include "advisor/model/workload/Revisits.h"

#include <algorithm>
#include <numeric>

namespace qdadvise {

namespace {

/// The holding time of a lock for a class with these visits to sections.
Cumulants holdOf(const LockedNetwork &given, const std::vector<Cumulants> &holds, std::size_t lock,
                 const std::vector<double> &visits) {
  std::vector<std::pair<double, Cumulants>> sections;
  for (const std::size_t i : given.locks[lock].sections)
    if (visits[i] > 0)
      sections.emplace_back(visits[i], holds[i]);
  const Cumulants all = sections.empty() ? Cumulants() : mixture(sections);
  return given.options.exponential ? Cumulants::exponential(all.mean) : all;
}

Readers readersOf(const LockedNetwork &given, const std::vector<Cumulants> &holds, std::size_t lock,
                  const std::vector<double> &visits, double visitsToLock) {
  double shared = 0, holdNs = 0;
  for (const std::size_t i : given.locks[lock].sections)
    if (given.network.sections[i].shared) {
      shared += visits[i];
      holdNs += visits[i] * holds[i].mean;
    }
  return shared > 0 ? Readers{shared / visitsToLock, holdNs / shared} : Readers();
}

/// The re-acquisitions of all classes, weighted by how often they come. The time away is the
/// harmonic mean, because short times matter.
Reacquisitions reacquisitionsOf(const LockedNetwork &given, const Unknowns &unknowns,
                                std::size_t lock, double visits) {
  Reacquisitions reacquisitions;
  if (!barges(given.algorithm(lock)))
    return reacquisitions;
  const std::vector<double> &rates = unknowns.rates;
  const double allRates = std::accumulate(rates.begin(), rates.end(), 0.0);
  double perNs = 0;
  for (std::size_t c = 0; c < given.classes.size(); ++c)
    if (const Revisit &way = given.revisits[c][lock]; way.again > 0) {
      const double share = rates[c] / allRates * way.visits * way.again / visits;
      reacquisitions.share += share;
      perNs += share / (way.againNs * unknowns.stretch());
    }
  if (reacquisitions.share > 0)
    reacquisitions.localNs = reacquisitions.share / perNs;
  return reacquisitions;
}

/// The mean of all classes, weighted by how often they come.
Revisit revisitOf(const LockedNetwork &given, const Unknowns &unknowns, std::size_t lock) {
  std::vector<std::pair<double, Revisit>> ways;
  for (std::size_t c = 0; c < given.classes.size(); ++c)
    ways.emplace_back(unknowns.rates[c], given.revisits[c][lock]);
  Revisit way = mixture(ways);
  way.againNs *= unknowns.stretch();
  way.leavingNs *= unknowns.stretch();
  return way;
}

/// Visits of one thread to a nested section during one outermost section. The data are here from
/// the second visit on.
double visitsInARow(const Network &network, std::size_t section) {
  double visits = 1;
  for (auto inner = &network.sections[section]; inner->inside;
       inner = &network.sections[*inner->inside])
    visits *= std::max(1.0, inner->visits);
  return visits;
}

/// Sets the coherence misses of all sections of a lock, also of those that hold it already.
void setCoherenceMisses(LockDemand &demand, const LockedNetwork &given, const Unknowns &unknowns,
                        std::size_t lock) {
  const double threads = visitorsOf(given, unknowns, lock),
               visitors = std::clamp(unknowns.locks[lock].visitors.value, std::min(1.001, threads),
                                     threads),
               reads = given.algorithm(lock).sharesReads ? demand.readers.share : 0;
  for (std::size_t k = 0; k < given.network.sections.size(); ++k) {
    const Section &section = given.network.sections[k];
    if (section.lock != lock || !section.footprint || demand.visits <= 0)
      continue;
    const MovementTimes times = given.movement(*section.footprint, visitors, threads);
    const double share =
        unknowns.traffic.visits[k] / demand.visits / visitsInARow(given.network, k);
    if (section.shared && reads > 0) {
      demand.readerCoherenceMissNs += share / reads * times.free;
    } else {
      demand.coherenceMiss.free += share / (1 - reads) * times.free;
      demand.coherenceMiss.handed += share / (1 - reads) * times.handed;
      demand.coherenceMiss.same += share / (1 - reads) * times.same;
    }
  }
  if (reads <= 0)
    demand.readerCoherenceMissNs = demand.coherenceMiss.free;
}

LockDemand demandOn(const LockedNetwork &given, const Unknowns &unknowns,
                    const std::vector<Cumulants> &holds, std::size_t lock) {
  const std::vector<double> &visits = unknowns.traffic.visits;
  const ClassVisits mean = visitsTo(given, holds, lock, visits);
  const Cumulants hold = holdOf(given, holds, lock, visits);
  LockDemand demand;
  demand.visits = mean.visits;
  demand.directVisits = mean.directVisits;
  demand.directExtraNs = mean.directExtraNs;
  demand.holdNs = hold.mean;
  demand.cv2 = hold.cv2();
  demand.skewness = hold.skewness();
  demand.readers = readersOf(given, holds, lock, visits, demand.visits);
  demand.reacquisitions = reacquisitionsOf(given, unknowns, lock, demand.visits);
  demand.revisit = revisitOf(given, unknowns, lock);
  if (given.moving && !given.isPerThread(lock)) // its data stay with its thread
    setCoherenceMisses(demand, given, unknowns, lock);
  return demand;
}

} // namespace

Demands demandsOf(const LockedNetwork &given, const Unknowns &unknowns) {
  std::vector<double> waitNs;
  for (const Damped &one : unknowns.waits)
    waitNs.push_back(one.value);
  Demands demands{given.nesting.holds(waitNs), {}};
  for (std::size_t i = 0; i < given.locks.size(); ++i)
    demands.locks.push_back(demandOn(given, unknowns, demands.holds, i));
  return demands;
}

ClassVisits visitsTo(const LockedNetwork &given, const std::vector<Cumulants> &holds,
                     std::size_t lock, const std::vector<double> &visits) {
  const Cumulants hold = holdOf(given, holds, lock, visits);
  ClassVisits result{0, 0, hold.mean, hold.cv2()};
  double directNs = 0;
  for (const std::size_t i : given.locks[lock].sections) {
    result.visits += visits[i];
    if (given.network.sections[i].inside)
      continue;
    result.directVisits += visits[i];
    directNs += visits[i] * holds[i].mean;
  }
  if (result.directVisits > 0)
    result.directExtraNs = directNs / result.directVisits - hold.mean;
  return result;
}

double visitorsOf(const LockedNetwork &given, const Unknowns &unknowns, std::size_t lock) {
  if (given.classes.size() == 1)
    return unknowns.population;
  std::vector<Visitors> all;
  for (std::size_t c = 0; c < given.classes.size(); ++c) {
    double visits = 0;
    for (const std::size_t i : given.locks[lock].sections)
      visits += unknowns.rates[c] * given.classes[c].visits[i];
    all.push_back({given.classes[c].threads(given.scalingThreads), visits});
  }
  return evenVisitors(all);
}

double coherenceMissNs(const LockedNetwork &given, const Demands &demands, std::size_t lock,
                       double contention, const std::optional<double> &changes,
                       const Reacquisitions &again) {
  LockKind kind = given.kinds[lock];
  if (kind == LockKind::ideal)
    return 0;
  const LockDemand &at = demands.locks[lock];
  double handed = given.algorithm(lock).delegates ? 0 : at.coherenceMiss.handed;
  if (again.share > 0)
    if (const auto costs = given.machine.requireHandoff(kind))
      handed = HandoffTime(kind, *costs, given.machine).handedNs(at.coherenceMiss, again);
  const double own =
      changes ? at.coherenceMiss.same + *changes * (at.coherenceMiss.handed - at.coherenceMiss.same)
              : (1 - contention) * at.coherenceMiss.free + contention * handed;
  return at.readers.share * at.readerCoherenceMissNs + (1 - at.readers.share) * own;
}

double overheadNs(const LockedNetwork &given, const Demands &demands, std::size_t lock) {
  LockKind kind = given.kinds[lock];
  return kind == LockKind::ideal ? 0
                                 : given.machine.kinds.at(kind).handoffCurve()(1) +
                                       coherenceMissNs(given, demands, lock, 0);
}

} // namespace qdadvise
