// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the solver answers (Solver.h). Times in nanoseconds.
#pragma once

#include "advisor/model/workload/ClosedNetwork.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// One lock class. All means are per acquisition, over its instances and sections.
struct LockSolution {
  double visits = 0;          ///< per cycle; 0: nobody takes it, and the rest is 0
  double holdNs = 0;          ///< the sections' holding time, nested sections included
  double coherenceMissNs = 0; ///< how much longer the lock is held until the data are here
  double residenceNs = 0;
  double contention = 0;            ///< probability of a wait for the lock
  double foundTaken = 0;            ///< probability that anybody is at the lock
  double queueLengthWhenBusy = 0;   ///< threads at an instance while it is held
  std::optional<double> fromInside; ///< as StationState's
  double busiestShare = 1;          ///< of the visits, at the instance with most
  double stretch = 1;               ///< how much longer it is held for want of cores

  /// The share of the time in which the busiest instance is held.
  double busiestHeld(double cyclesPerNs) const {
    return cyclesPerNs * visits * busiestShare * (holdNs + coherenceMissNs) * stretch;
  }
};

/// The threads of one Traffic.
struct ClassSolution {
  double threads = 0;
  double cyclesPerNs = 0;
  double waitNs = 0; ///< per cycle, at all locks
};

/// Whether the iteration over what waits for what found its fixpoint.
enum class SolverStatus {
  converged,   ///< within SolverOptions::convergedTolerance, or no iteration was needed
  notConverged ///< the closest round is the answer; its figures are uncertain
};

/// Why the iteration ended.
enum class SolverStop {
  noIteration, ///< nothing depends on the solution: the method was called once
  atRest,      ///< a round changed less than the rest tolerance
  stagnated,   ///< no round came closer any more
  roundLimit,  ///< SolverOptions::maxRounds
  noNumber     ///< the last round had none; an earlier one is the answer
};

/// Whether the throughput is only a lower bound. That is so where threads hold a lock of a class
/// while they wait for another lock of it: the class is solved as if it were one lock.
enum class SolverBound {
  none,
  tight, ///< at least SolverOptions::tightBound of what it is if threads never meet there
  loose  ///< less than that, or the upper bound is not known
};

/// How a solution came about.
struct SolverSummary {
  SolverStatus status = SolverStatus::converged;
  SolverStop stop = SolverStop::noIteration;
  SolverBound bound = SolverBound::none;
  NetworkMethod method = nullptr; ///< that solved the locks
  int rounds = 0;                 ///< of the iteration
  double closestChange = 0;       ///< of the round whose solution this is, relative

  bool converged() const { return status == SolverStatus::converged; }
};

struct Solution {
  int population = 0;
  double cyclesPerNs = 0;
  std::vector<LockSolution> locks; ///< by lock of the network
  std::vector<ClassSolution> classes;
  double blocked = 0; ///< mean number of blocked threads
  SolverSummary summary;
};

} // namespace qdadvise
