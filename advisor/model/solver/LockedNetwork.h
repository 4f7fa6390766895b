// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the solver is given: a network with an algorithm at each lock, on a machine, and what
// follows from that whatever anybody waits. Times in nanoseconds.
#pragma once

#include "advisor/algorithms/LockAlgorithm.h"
#include "advisor/machine/Machine.h"
#include "advisor/model/solver/SolverOptions.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Nesting.h"
#include "advisor/model/workload/Revisits.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/DataMovement.h"
#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

/// What of the network takes one lock class.
struct LockPlace {
  std::vector<std::size_t> sections; ///< that threads come to, and that do not hold it already
  std::vector<InstanceGroup> groups;
  double holders = 0; ///< as in LockStation
};

struct LockedNetwork {
  /// All of it must be valid, and live as long; `kinds` by lock.
  LockedNetwork(const Network &network, const std::vector<std::string> &kinds,
                const Machine &machine, const std::vector<Traffic> &classes, int scalingThreads,
                const SolverOptions &options);

  const LockAlgorithm &algorithm(std::size_t lock) const { return *findLockAlgorithm(kinds[lock]); }
  /// Whether who returns may pass those who wait, as far as stations know: mutexes have
  /// a model of that.
  bool barges(std::size_t lock) const;
  /// The lock that the lock of this section, which lies in another one, is taken inside of.
  std::size_t outerLock(std::size_t section) const {
    return network.sections[*network.sections[section].inside].lock;
  }
  /// Each thread has one of its own: it is no station, but part of the thread's computation.
  bool isPerThread(std::size_t lock) const { return network.locks[lock].perThread; }
  /// Whether so many threads are short of cores.
  bool isShort(int threads) const { return bounded && threads > options.cores; }

  const Network &network;
  const std::vector<std::string> &kinds;
  const Machine &machine;
  const std::vector<Traffic> &classes;
  int scalingThreads;
  SolverOptions options;

  Nesting nesting;
  DataMovement movement;
  std::vector<double> ratesAlone; ///< cycles per nanosecond of each class, were its threads alone
  std::vector<LockPlace> locks;
  std::vector<std::vector<Revisit>> revisits; ///< by class and lock: what a class does by itself
  bool nested = false;
  bool moving = false;  ///< footprints are known
  bool bounded = false; ///< some lock in use is subject to the number of cores
};

} // namespace qdadvise
