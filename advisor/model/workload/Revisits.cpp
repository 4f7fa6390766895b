// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Revisits.h"

#include "advisor/model/workload/Nesting.h"

#include <algorithm>

namespace qdadvise {

std::vector<Revisit> revisitsOf(const Network &network, const Traffic &traffic) {
  const Nesting nesting(network);
  std::vector<Revisit> ways(network.locks.size());
  std::vector<double> leaving(ways.size(), 0);
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (!nesting.reentrant(i))
      ways[network.sections[i].lock].visits += traffic.visits[i];
  for (std::size_t k = 0; k < network.transitions.size(); ++k) {
    const Transition &transition = network.transitions[k];
    const std::size_t from = network.sections[transition.from].lock;
    const double flow = traffic.flows[k], ns = transition.local.mean + transition.blockedNs;
    Revisit &way = ways[from];
    if (from == network.sections[transition.to].lock) {
      way.again += flow;
      way.againNs += flow * ns;
    } else {
      leaving[from] += flow;
      way.leavingNs += flow * ns;
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    Revisit &way = ways[i];
    way.againNs = way.again > 0 ? way.againNs / way.again : 0;
    way.leavingNs = leaving[i] > 0 ? way.leavingNs / leaving[i] : 0;
    way.again = way.visits > 0 ? std::min(1.0, way.again / way.visits) : 0;
  }
  return ways;
}

Revisit mixture(const std::vector<std::pair<double, Revisit>> &ways) {
  Revisit mean;
  double rounds = 0, visits = 0, again = 0;
  for (const auto &[rate, way] : ways) {
    const double each = rate * way.visits;
    rounds += rate;
    visits += each;
    again += each * way.again;
    mean.againNs += each * way.again * way.againNs;
    mean.leavingNs += each * (1 - way.again) * way.leavingNs;
  }
  if (visits <= 0)
    return {};
  mean.visits = visits / rounds;
  mean.again = again / visits;
  mean.againNs = again > 0 ? mean.againNs / again : 0;
  mean.leavingNs = visits > again ? mean.leavingNs / (visits - again) : 0;
  return mean;
}

double followsItself(const Revisit &way, double othersPerNs, double share) {
  const double leaves = std::max(1e-9, 1 - way.again);
  const double restNs =
      std::max(0.0, (way.awayNs - way.again * way.againNs) / leaves - way.leavingNs);
  // Probability that it is back at the lock before any other is at the instance.
  const double back = way.again / (1 + othersPerNs * way.againNs) +
                      leaves / (1 + way.waits / leaves) /
                          ((1 + othersPerNs * way.leavingNs) * (1 + othersPerNs * restNs));
  // It may come to other instances first, and is there for some time.
  const double around = (1 - share) * back / (1 + othersPerNs * way.residenceNs);
  return share * back / std::max(1e-12, 1 - around);
}

double followsItself(const Revisit &way, double othersPerNs,
                     const std::vector<InstanceGroup> &instances, double atLock) {
  double same = 0;
  for (const auto &[share, count] : instances)
    same += count * share * followsItself(way, othersPerNs * share / (1 - atLock * share), share);
  return same;
}

std::vector<EffectiveVisitors> effectiveVisitorsAt(const std::vector<LockInUse> &locks,
                                                   const std::vector<ClassOfThreads> &classes,
                                                   double roundsPerNs, double population) {
  double waiting = 0; // threads, anywhere
  for (const LockInUse &lock : locks)
    waiting += roundsPerNs * lock.visits * lock.waitNs;
  std::vector<double> all(locks.size(), 0), same(locks.size(), 0), sameInTurns(locks.size(), 0);
  for (const ClassOfThreads &one : classes)
    for (std::size_t i = 0; i < locks.size(); ++i)
      all[i] += one.roundsPerNs * (*one.revisits)[i].visits;
  for (const ClassOfThreads &one : classes) {
    double waitedNs = 0, found = 0; // per cycle
    for (std::size_t i = 0; i < locks.size(); ++i) {
      waitedNs += (*one.revisits)[i].visits * locks[i].waitNs;
      found += (*one.revisits)[i].visits * locks[i].contention;
    }
    for (std::size_t i = 0; i < locks.size(); ++i) {
      const LockInUse &lock = locks[i];
      Revisit way = (*one.revisits)[i];
      const double perNs = one.roundsPerNs * way.visits;
      if (perNs <= 0)
        continue;
      way.awayNs = one.threads / perNs - lock.residenceNs - (waitedNs / way.visits - lock.waitNs);
      way.waits = std::max(0.0, found / way.visits - lock.contention);
      way.residenceNs = lock.residenceNs;
      // Share of the other threads that do not wait elsewhere while this one does not (MOV7).
      const double notWaitingElsewhere =
          population - waiting + roundsPerNs * lock.visits * lock.waitNs;
      const double free = notWaitingElsewhere > 1
                              ? (notWaitingElsewhere - 1) / notWaitingElsewhere * population /
                                    std::max(1.0, population - 1)
                              : 0;
      // A thread that finds the lock free meets no thread at it.
      const double atLock =
          std::min(roundsPerNs * lock.visits * lock.residenceNs / population, 1 - 1 / population);
      const double others = free * (all[i] - perNs / one.threads);
      same[i] += perNs * followsItself(way, others, *lock.groups, atLock);
      way.again = way.againNs = way.leavingNs = 0;
      sameInTurns[i] += perNs * followsItself(way, others, *lock.groups, atLock);
    }
  }
  std::vector<EffectiveVisitors> result(locks.size());
  for (std::size_t i = 0; i < locks.size(); ++i)
    if (same[i] > 0)
      result[i] = {all[i] / same[i], std::min(1.0, sameInTurns[i] / same[i])};
  return result;
}

} // namespace qdadvise
