// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who comes to a lock next: the thread that was there last, whose core has the lock's data, or
// another one. A thread that comes several times in a row follows itself more often than one of
// many that come at random, and who waited elsewhere meanwhile does not. Times in nanoseconds.
#pragma once

#include "advisor/model/Instances.h"
#include "advisor/model/Workload.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// From one visit to a lock to the next.
struct Revisit {
  double visits = 0;    ///< to the lock, in a round
  double again = 0;     ///< probability that there is none to another lock between
  double againNs = 0;   ///< how long that takes
  double leavingNs = 0; ///< from the lock to another one
  double awayNs = 0;    ///< from visit to visit, whichever way, but for waiting at other locks
  double waits = 0;     ///< at other locks, how often
};

/// By lock, what a class of threads does by itself: all but the last two.
std::vector<Revisit> revisitsOf(const Network &network, const Traffic &traffic);

/// Probability that a thread is the next at the instance it took, where others come to the lock
/// `othersPerNs` often while it does not wait elsewhere. All times are taken for exponential.
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
struct Followers {
  double visitors =
      0; ///< as many alike threads at random follow themselves as often; 0: nobody comes
  double mixing = 1; ///< of the visitors if none came several times in a row, those that are left
};
/// Who comes to each lock next. `roundsPerNs` of the mean class, of `population` threads.
std::vector<Followers> followersAt(const std::vector<LockInUse> &locks,
                                   const std::vector<ClassOfThreads> &classes, double roundsPerNs,
                                   double population);

} // namespace qdadvise
