// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/NestedLocks.h"

#include "advisor/model/numeric/Bracket.h"
#include "advisor/model/solver/LockStations.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

double presentAt(const LockSolution &lock, const Solution &solution) {
  return solution.cyclesPerNs * lock.visits * lock.residenceNs;
}

/// Share of the direct visitors of an inner lock that a thread in an inner section may meet there:
/// not those that it keeps out of the outer lock (NST4).
double metFromInside(const Approximation &now, std::size_t section, const Solution &solution) {
  const int population = now.unknowns.population;
  const std::size_t outer = now.given.outerLock(section);
  const double present = presentAt(solution.locks[outer], solution);
  const bool reads = now.given.reads[*now.given.network.sections[section].inside];
  if (now.demands.locks[outer].directVisits > 0 && present < population && !reads) {
    const double whileHeld = present * (1 - now.given.nesting.sameInstance(outer)) +
                             solution.locks[outer].queueLengthWhenBusy;
    return std::clamp((population - whileHeld) / (population - present), 0.0, 1.0);
  }
  return static_cast<double>(population - 1) / population;
}

/// A thread that comes to an inner lock from inside an outer one does not meet the threads that it
/// keeps out of that. Of direct visitors it meets only those that do not wait for the outer lock.
/// So it waits for less of the work that others have at the inner lock (NST3).
double nestedWaitNs(const Approximation &now, std::size_t section, const Solution &solution) {
  const Network &network = now.given.network;
  const int population = now.unknowns.population;
  const std::size_t lock = network.sections[section].lock;
  const LockSolution &at = solution.locks[lock];
  const double wait = std::max(0.0, at.residenceNs - at.holdNs);
  if (now.demands.locks[lock].directVisits <= 0 || population < 2 || now.given.isPerThread(lock))
    return wait;
  const double others = static_cast<double>(population - 1) / population;
  const double met = metFromInside(now, section, solution);
  double all = 0, seen = 0;
  for (const std::size_t i : now.given.locks[lock].sections) {
    const bool inside = network.sections[i].inside.has_value();
    const Cumulants &hold = now.demands.holds[i];
    const double work =
        now.unknowns.traffic.visits[i] * hold.mean *
        ((inside ? now.unknowns.waits[i].value : wait) + hold.mean * (1 + hold.cv2()) / 2);
    all += others * work;
    seen += work *
            (inside ? others * (1 - now.given.nesting.keepsOut(section, i, now.given.reads)) : met);
  }
  const double alone = std::min(wait, overheadNs(now.given, now.demands, lock));
  // Methods B and C know whom a thread from inside finds (DEC13).
  return alone + (wait - alone) * at.fromInside.value_or(all > seen ? seen / all : 1);
}

/// Follows a root above `least` from where it was to where it is, while secants get closer to it.
/// Returns the error there.
template <typename Error, typename IsClose>
double bySecants(const Error &errorAt, double least, const IsClose &isClose, double &root) {
  double error = errorAt(root), slope = 1;
  while (!isClose(error)) {
    const double next = root - error / slope;
    if (!(next > least))
      break;
    const double found = errorAt(next);
    slope = (found - error) / (next - root);
    if (!(std::abs(found) < std::abs(error) / 2) || !(slope > 0))
      break;
    root = next;
    error = found;
  }
  return error;
}

} // namespace

Expected<LockSolution> solveInnerLock(Approximation &now, std::size_t lock, const Solution &outer) {
  if (now.given.isPerThread(lock))
    return perThreadSolution(now, lock, outer.population);
  const int customers = static_cast<int>(
      std::min(static_cast<double>(outer.population), now.given.locks[lock].holders));
  const double rate = outer.cyclesPerNs * now.demands.locks[lock].visits;
  Expected<LockSolution> solution = LockSolution();
  const auto rateWith = [&](double delayNs) {
    const auto states = now.given.options.method(lockByItself(now, lock, delayNs), {customers});
    if (!states) {
      solution = Unexpected(states.error());
      return 0.0;
    }
    solution = lockSolutionOf(now, lock, states->front().stations.data());
    return states->front().cyclesPerNs;
  };
  // Finds the time elsewhere with which the customers come at that rate. The cycle grows with it
  // almost linearly, so that few steps are enough, and hardly any from where it was before.
  const double wanted = customers / rate;
  const auto excess = [&](double delayNs) { return customers / rateWith(delayNs) - wanted; };
  const SolverOptions &options = now.given.options;
  const auto isClose = [&](double error) {
    return std::abs(error) <= options.innerDelayTolerance * wanted;
  };
  const double least = options.innerDelayTolerance * wanted;
  double &delayNs = now.unknowns.locks[lock].innerDelayNs;
  if (delayNs > least && isClose(bySecants(excess, least, isClose, delayNs)))
    return solution;
  const double excessAtLeast = excess(least);
  if (customers == 1 || excessAtLeast >= 0) {
    delayNs = 0;
    return solution;
  }
  Bracket delay{least, excessAtLeast, wanted, excess(wanted)};
  for (int step = 0; step < options.maxInnerDelaySteps && solution && delay.isWide(); ++step) {
    delayNs = delay.next();
    const double error = excess(delayNs);
    if (isClose(error))
      break;
    delay.narrow(delayNs, error);
  }
  return solution;
}

double waitInside(Approximation &now, Solution &solution) {
  const LockedNetwork &given = now.given;
  Unknowns &unknowns = now.unknowns;
  double change = 0;
  std::vector<double> found(unknowns.waits.size(), 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Section &section = given.network.sections[i];
    if (!section.inside || unknowns.traffic.visits[i] <= 0 || given.nesting.reentrant(i))
      continue;
    found[i] = nestedWaitNs(now, i, solution);
    const double error = unknowns.waits[i].approachInLogarithms(found[i]);
    change =
        std::max(change, error / std::max(found[i] + now.demands.locks[section.lock].holdNs, 1e-9));
  }
  for (std::size_t i = 0; i < given.locks.size(); ++i) {
    if (now.demands.locks[i].directVisits <= 0)
      continue;
    LockSolution &at = solution.locks[i];
    LockUnknowns &lock = unknowns.locks[i];
    const double others = presentAt(at, solution) * (1 - given.nesting.sameInstance(i));
    change =
        std::max({change, lock.atOthers.approach(others) / unknowns.population,
                  lock.queueLengthWhenBusy.approach(at.queueLengthWhenBusy) / unknowns.population});
    const double wait = std::max(0.0, at.residenceNs - at.holdNs);
    for (const std::size_t k : given.locks[i].sections) {
      if (!given.network.sections[k].inside)
        continue;
      at.residenceNs += unknowns.traffic.visits[k] / at.visits * (found[k] - wait);
      for (std::size_t c = 0; c < given.classes.size(); ++c)
        solution.classes[c].waitNs += given.classes[c].visits[k] * (found[k] - wait);
    }
  }
  return change;
}

} // namespace qdadvise
