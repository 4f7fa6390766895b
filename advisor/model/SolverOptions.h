// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/ClassNetwork.h"
#include "advisor/model/ClosedNetwork.h"

namespace qdadvise {

/// With what, and with what in mind, the solver solves (Solver.h).
struct SolverOptions {
  NetworkMethod method = nullptr;
  /// Solves several thread classes by itself. None: they divide what `method` says
  /// (ClassMixture.h).
  ClassMethod classMethod = nullptr;
  int cores = 0;            ///< > 0
  bool exponential = false; ///< ignore the holding times' cv
  bool coresAlways = false; ///< as in PredictOptions
};

} // namespace qdadvise
