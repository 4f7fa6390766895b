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

} // namespace qdadvise
