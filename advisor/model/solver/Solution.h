// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the solver answers (Solver.h). Times in nanoseconds.
#pragma once

#include <vector>

namespace qdadvise {

/// One lock class. All means are per acquisition, over its instances and sections.
struct LockSolution {
  double visits = 0;          ///< per cycle; 0: nobody takes it, and the rest is 0
  double holdNs = 0;          ///< what its sections hold it, nested sections included
  double coherenceMissNs = 0; ///< how much longer, until their data are here
  double residenceNs = 0;
  double contention = 0;
  double queueLengthWhenBusy = 0; ///< threads at an instance while it is held
  double busiestShare = 1;        ///< of the visits, at the instance with most
  double stretch = 1;             ///< how much longer it is held for want of cores
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
  bool isLoose = false;   ///< and it matters that they do
};

} // namespace qdadvise
