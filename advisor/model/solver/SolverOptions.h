// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/workload/ClassNetwork.h"
#include "advisor/model/workload/ClosedNetwork.h"
#include "advisor/support/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace qdadvise {

class StartingPoints;

/// How the solver solves a problem (Solver.h). Changes and tolerances are relative.
struct SolverOptions {
  /// Solves the closed network of one thread class.
  NetworkMethod method = nullptr;
  /// Solves several thread classes by itself. None: they divide what `method` says
  /// (ClassMixture.h).
  ClassMethod classMethod = nullptr;
  int cores = 0;            ///< of the machine, > 0
  bool exponential = false; ///< takes all holding times for exponential
  bool coresAlways = false; ///< as in PredictOptions
  /// The first solution fills them. Null: none are kept. Only with a core for every thread.
  std::shared_ptr<StartingPoints> startingPoints = nullptr;
  std::size_t part = 0; ///< which of the independent parts it solves, for the starting points

  /// The iteration stops when a round changes the solution by no more than this.
  double restTolerance = 1e-7;
  /// The same where it begins at a starting point: the steps of a gradient are of a thousandth.
  double restToleranceFromStart = 1e-6;
  /// A round with more threads than this takes so long that it need not come as close.
  int manyThreads = 512;
  double restToleranceOfMany = 1e-4;
  /// It has converged if its closest round changed the solution by no more than this.
  double convergedTolerance = 1e-3;
  int maxRounds = 300;
  /// It stops when no round came closer for so many rounds: a fixpoint may jump, or not exist.
  int stagnationRounds = 60;
  /// Within this tolerance it is near the fixpoint, and fewer rounds without progress stop it.
  double nearTolerance = 1e-4;
  int stagnationRoundsNear = 6;
  /// What did not settle is tried once more, with no unknown going farther towards its target.
  double calmStep = 0.1;
  /// Smaller changes of who comes to a lock next do not count: data take only a share of a section.
  double visitorsTolerance = 1e-3;

  /// The time that customers of an inner lock spend elsewhere is found to this tolerance.
  double innerDelayTolerance = 1e-9;
  int maxInnerDelaySteps = 50;

  /// A lock class with so many instances is one where threads never meet: the upper bound of
  /// throughput for classes that are taken inside themselves.
  std::uint32_t plentyInstances = 1'000'000;
  /// The lower bound is tight if it is at least this share of the upper bound.
  double tightBound = 0.95;

  /// What is wrong with these options, if anything.
  std::optional<Error> validate() const;
};

} // namespace qdadvise
