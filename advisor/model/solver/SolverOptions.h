// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"

#include <cstdint>
#include <memory>

namespace qdadvise {

class StartingPoints;

/// With what, and with what in mind, the solver solves (Solver.h).
struct SolverOptions {
  NetworkMethod method = nullptr;
  /// Solves several thread classes by itself. None: they divide what `method` says
  /// (ClassMixture.h).
  ClassMethod classMethod = nullptr;
  int cores = 0;            ///< > 0
  bool exponential = false; ///< ignore the holding times' cv
  bool coresAlways = false; ///< as in PredictOptions
  /// Filled by the first solution; null: none are kept. Only with a core for every thread.
  std::shared_ptr<StartingPoints> startingPoints = nullptr;
  std::uint32_t instances =
      0; ///< that the solver takes of locks taken inside themselves; 0: theirs
};

} // namespace qdadvise
