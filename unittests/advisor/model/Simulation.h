// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small discrete-event simulation of lock protocols, to check the models against:
// it follows single threads through attempts, queues, sleeps and wake-ups, and knows
// none of the models' equations. Every thread has a core. Locks are chosen
// independently at every visit. Times in nanoseconds.
//
// Not replaced by the virtual multicore (advisor/sim): this one charges LO, DO(k) and wake-ups
// as the equations do, so what differs is the mathematics. There locks cost what their
// memory accesses cost, and what differs is how well the equations describe locks.
#pragma once

#include "advisor/machine/Machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qdadvise::test {

struct SimulatedLock {
  LockKind kind = LockKind::ideal; ///< ideal (first come, first served), qd or pthread_mutex
  double probability = 1, holdNs = 100, cv = 1;
  double coherenceMissNs =
      0; ///< how much longer a mutex is held by another thread than the one before
};

struct Simulated {
  double throughputPerNs = 0;
  std::vector<double> waitNs; ///< by lock: mean time at the lock less the holding time
};

/// Runs until `visits` sections are completed, after a tenth of them that does not count. A time is
/// deterministic (cv 0), exponential (cv 1) or gamma; local computation exponential.
Simulated simulate(const std::vector<SimulatedLock> &locks, double localNs, int threads,
                   const Machine &machine, std::uint64_t visits, std::uint64_t seed);

} // namespace qdadvise::test
