// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network whose locks have their algorithms: thread classes, nested sections, instances
// of a lock class and bounded cores around a method for closed networks with one class of
// threads. Times in nanoseconds.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/ClassNetwork.h"
#include "advisor/model/ClosedNetwork.h"
#include "advisor/model/Workload.h"
#include "advisor/network/Network.h"
#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

struct SolverOptions {
  NetworkMethod method = nullptr;
  /// Solves several thread classes by itself. None: they divide what `method` says
  /// (ClassMixture.h).
  ClassMethod classMethod = nullptr;
  int cores = 0;            ///< > 0
  bool exponential = false; ///< ignore the holding times' cv
  bool coresAlways = false; ///< as in PredictOptions
};

/// One lock class. All means are per acquisition, over its instances and sections.
struct LockSolution {
  double visits = 0;  ///< per cycle; 0: nobody takes it, and the rest is 0
  double holdNs = 0;  ///< what its sections hold it, nested sections included
  double movedNs = 0; ///< how much longer, until their data are here
  double residenceNs = 0;
  double contention = 0;
  double there = 0;        ///< threads at an instance while it is held
  double busiestShare = 1; ///< of the visits, at the instance with most
  double stretch = 1;      ///< how much longer it is held for want of cores
};

/// The threads of one Traffic.
struct ClassSolution {
  double threads = 0;
  double cyclesPerNs = 0;
  double waitNs = 0; ///< per cycle, at all locks
};

struct Solution {
  int population = 0;
  double cyclesPerNs = 0;
  std::vector<LockSolution> locks; ///< by lock of the network
  std::vector<ClassSolution> classes;
  double blocked = 0;     ///< threads that are blocked, on the mean
  bool settled = true;    ///< whether the fixpoint was reached
  bool asOneLock = false; ///< lock classes taken inside themselves count as one lock
};

/// Solves for each number of scaling threads, ascending. `kinds` by lock.
Expected<std::vector<Solution>>
solveNetwork(const Network &network, const std::vector<std::string> &kinds, const Machine &machine,
             const std::vector<Traffic> &traffic, const std::vector<int> &threads,
             const SolverOptions &options);

} // namespace qdadvise
