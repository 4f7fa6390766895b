// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who comes to a lock next: the thread that was there last, whose core has the lock's data, or
// another one. A thread that comes several times in a row follows itself more often than one of
// many that come at random, and who waited elsewhere meanwhile does not. Times in nanoseconds.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// By lock, what a class of threads does by itself: all but the last two.
std::vector<Revisit> revisitsOf(const Network &network, const Traffic &traffic);

/// The mean of these ways of classes of threads, that make so many rounds each.
Revisit mixture(const std::vector<std::pair<double, Revisit>> &ways);

/// Probability that a thread is the next at the instance it took, which has that share of its
/// visits and to which others come `othersPerNs` often while it does not wait elsewhere. All times
/// are taken for exponential.
double followsItself(const Revisit &way, double othersPerNs, double share);
/// The same over all instances, where others come to the lock so often.
double followsItself(const Revisit &way, double othersPerNs,
                     const std::vector<InstanceGroup> &instances);

/// A lock, by a prediction.
struct LockInUse {
  double visits = 0; ///< in a round of the mean class
  double waitNs = 0, residenceNs = 0;
  double contention = 0; ///< probability that a visit finds it taken
  const std::vector<InstanceGroup> *groups;
};
struct ClassOfThreads {
  double threads = 0, roundsPerNs = 0;  ///< rounds of all of them
  const std::vector<Revisit> *revisits; ///< by lock
};
struct EffectiveVisitors {
  double visitors =
      0; ///< as many alike threads at random follow themselves as often; 0: nobody comes
  double mixing = 1; ///< of the visitors if none came several times in a row, those that are left
};
/// Who comes to each lock next. `roundsPerNs` of the mean class, of `population` threads.
std::vector<EffectiveVisitors> effectiveVisitorsAt(const std::vector<LockInUse> &locks,
                                                   const std::vector<ClassOfThreads> &classes,
                                                   double roundsPerNs, double population);

} // namespace qdadvise
