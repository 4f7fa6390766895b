// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver's problem with everything that follows from it without any waiting times. Times in
// nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/solver/Cores.h"
#include "advisor/model/solver/Solver.h"
#include "advisor/model/workload/Instances.h"
#include "advisor/model/workload/Nesting.h"
#include "advisor/model/workload/Revisits.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/DataMovement.h"
#include "advisor/network/Network.h"
#include "runtime/abi/lock_algorithms.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qdadvise {

/// One lock class in the network.
struct LockPlace {
  std::vector<std::size_t> sections; ///< visited ones that do not hold the lock already
  std::vector<InstanceGroup> groups;
  double holders = 0;                 ///< as in LockStation
  std::vector<BetweenVisits> between; ///< by class of threads that comes to one that is in line
};

struct LockedNetwork {
  /// The problem for so many scaling threads. `instances` as in solveWithInstances.
  LockedNetwork(const SolverProblem &problem, int scalingThreads, const SolverOptions &options,
                std::uint32_t instances = 0);

  const LockAlgorithm &algorithm(std::size_t lock) const { return algorithmOf(kinds[lock]); }
  /// The lock of the section around this one.
  std::size_t outerLock(std::size_t section) const {
    return network.sections[*network.sections[section].inside].lock;
  }
  /// Whether each thread has a lock of its own. That is no station, but part of the computation.
  bool isPerThread(std::size_t lock) const { return network.locks[lock].perThread; }
  /// Whether so many threads have to share cores.
  bool isShort(int threads) const { return bounded && threads > options.cores; }

  const Network &network;
  const std::vector<LockKind> &kinds;
  const Machine &machine;
  const std::vector<Traffic> &classes;
  int scalingThreads;
  SolverOptions options;
  std::uint32_t instances;

  Nesting nesting;
  std::vector<bool> reads; ///< by section: other readers can be in it, too
  DataMovement movement;
  std::vector<double> ratesAlone; ///< cycles per nanosecond of each class if its threads were alone
  std::vector<LockPlace> locks;
  std::vector<std::vector<Revisit>> revisits; ///< by class and lock, if the class were alone
  bool nested = false;
  bool moving = false;  ///< footprints are known
  bool bounded = false; ///< some lock in use depends on the number of cores

private:
  void addBetweenVisits(const Traffic &threads);
};

} // namespace qdadvise
