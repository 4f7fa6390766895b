// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread comes to a lock next: the one that was there last, whose core has the lock's data,
// or another one (docs/theory/data-movement.md, equations (MOV5) to (MOV8)). A thread that comes
// several times in a row is next after itself more often than one of many threads that come at
// random. A thread that waited elsewhere meanwhile never is. Times in nanoseconds.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// The way of a thread class from visit to visit, for each lock. Its awayNs, waits and residenceNs
/// depend on the solution and are 0.
std::vector<Revisit> revisitsOf(const Network &network, const Traffic &traffic);

/// The mean of the ways of several classes, weighted by their cycles.
Revisit mixture(const std::vector<std::pair<double, Revisit>> &ways);

/// Probability that a thread is the next one at the instance that it took (MOV5, MOV6). The
/// instance has that share of the lock's visits, and others come to it at rate `othersPerNs` while
/// they do not wait elsewhere. All times are taken to be exponential.
double followsItself(const Revisit &way, double othersPerNs, double share);
/// The same over all instances of a lock to which others come at that rate. Each of these is at one
/// of the instances for a share `atLock` of its time, less than 1, and not at an instance that is
/// free.
double followsItself(const Revisit &way, double othersPerNs,
                     const std::vector<InstanceGroup> &instances, double atLock = 0);

/// A lock in a solution.
struct LockInUse {
  double visits = 0; ///< per cycle of the mean class
  double waitNs = 0, residenceNs = 0;
  double contention = 0; ///< probability that a visit finds the lock taken
  const std::vector<InstanceGroup> *groups;
};
struct ClassOfThreads {
  double threads = 0, roundsPerNs = 0;  ///< cycles of all of them
  const std::vector<Revisit> *revisits; ///< by lock
};
/// How threads take turns at a lock.
struct EffectiveVisitors {
  /// The number of equal threads that, at random, would be next after themselves as often (MOV8). 0
  /// if no thread comes.
  double visitors = 0;
  double mixing =
      1; ///< share of the visitors there would be if no thread came several times in a row
};
/// The effective visitors of each lock. `roundsPerNs` is the rate of the mean class, which has
/// `population` threads.
std::vector<EffectiveVisitors> effectiveVisitorsAt(const std::vector<LockInUse> &locks,
                                                   const std::vector<ClassOfThreads> &classes,
                                                   double roundsPerNs, double population);

} // namespace qdadvise
