// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/LockedNetwork.h"

#include "advisor/model/workload/Cumulants.h"

#include <algorithm>
#include <map>

namespace qdadvise {

LockedNetwork::LockedNetwork(const SolverProblem &problem, int scalingThreads,
                             const SolverOptions &options, std::uint32_t instances)
    : network(problem.network), kinds(problem.kinds), machine(problem.machine),
      classes(problem.traffic), scalingThreads(scalingThreads), options(options),
      instances(instances), nesting(network), movement(machine),
      ratesAlone(qdadvise::ratesAlone(network, classes, scalingThreads)),
      locks(network.locks.size()) {
  for (std::size_t i = 0; i < locks.size(); ++i)
    locks[i].groups = groupsOf(network.locks[i]);
  const MergedTraffic traffic = mergeTraffic(network, classes, scalingThreads, ratesAlone);
  for (const Section &section : network.sections)
    reads.push_back(section.shared && algorithm(section.lock).sharesReads);
  // The most threads inside the sections of each outer lock, by inner lock.
  std::vector<std::map<std::size_t, double>> inside(locks.size());
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    const Section &section = network.sections[i];
    if (traffic.visits[i] <= 0 || nesting.reentrant(i))
      continue;
    LockPlace &lock = locks[section.lock];
    lock.sections.push_back(i);
    moving = moving || section.footprint;
    if (!section.inside)
      continue;
    nested = true;
    double &most = inside[section.lock][outerLock(i)];
    most = std::max(most, nesting.mostInside(i, reads));
  }
  for (std::size_t i = 0; i < locks.size(); ++i)
    for (const auto &[outer, most] : inside[i])
      locks[i].holders += most;
  for (const Traffic &one : classes) {
    revisits.push_back(revisitsOf(network, one));
    addBetweenVisits(one);
  }
  for (std::size_t i = 0; i < locks.size(); ++i)
    bounded = bounded ||
              (!locks[i].sections.empty() && (options.coresAlways || kinds[i] != LockKind::ideal));
}

/// Finds what threads of the class compute between two visits to a lock that is taken in line. How
/// many steps from section to section that takes is geometric. Locks of a class are lines of their
/// own.
void LockedNetwork::addBetweenVisits(const Traffic &threads) {
  std::vector<std::pair<double, Cumulants>> times;
  for (std::size_t i = 0; i < threads.flows.size(); ++i)
    if (threads.flows[i] > 0)
      times.emplace_back(threads.flows[i], Cumulants::of(network.transitions[i].local));
  const double localVariance = mixture(times).variance;
  double allNs = threads.computeNs;
  for (std::size_t i = 0; i < threads.visits.size(); ++i)
    allNs += threads.visits[i] * network.sections[i].hold.mean;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    if (!algorithm(i).fifo)
      continue;
    double visits = 0, stepNs = allNs;
    for (const std::size_t section : locks[i].sections) {
      const double toOne = threads.visits[section] * nesting.sameInstance(i);
      visits += toOne;
      stepNs -= toOne * network.sections[section].hold.mean;
    }
    if (visits <= 0)
      continue;
    stepNs = std::max(stepNs, 0.0);
    const double steps = std::max(1.0, 1 / visits), square = stepNs * stepNs;
    const double variance = options.exponential ? square : localVariance;
    locks[i].between.push_back({threads.threads(scalingThreads), steps * stepNs,
                                steps * variance + steps * (steps - 1) * square});
  }
}

} // namespace qdadvise
