// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses what `--model auto` solves a network with, by its size and its locks.
#pragma once

#include "advisor/model/Predict.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// The row of the table of models; null if there is none of that name.
const PredictionModel *findModel(const std::string &name);
bool isFor(const PredictionModel &model, LockKind kind);
/// Whether any thread enters the section.
bool isVisited(const std::vector<Traffic> &traffic, std::size_t section);

/// What methods cost, in nanoseconds as bench-solver measures them, and how `auto` weighs it
/// (docs/theory/solver.md, equation (SOL5)).
struct MethodCosts {
  /// Method C: per solution, station, thread, and threads with so many more.
  double marieNs = 30, marieStartThreads = 100;
  /// Method B: per solution, station and thread.
  double nortonNs = 4000;
  /// The network without each of the locks is solved once for all numbers of threads: per solution,
  /// two stations and thread.
  double nortonRestNs = 100;
  /// The same per two threads, where one of the two is handed from thread to thread: it knows how
  /// likely each number of threads is.
  double handoffNs = 0.6;
  /// Solutions that an iteration around the method needs, for nested locks and shared cores.
  double iterationSolutions = 30;
  /// Times as many with several thread classes.
  double classSolutions = 10;
  /// The cheaper of B and C may take so many time budgets, if the next best method is less
  /// accurate.
  double largestOverrun = 3;
  /// The time budget from which on the Markov chain is tried.
  double chainBudgetNs = 0.3e9;
};

class ModelChoice {
public:
  using Threads = std::vector<int>; ///< scaling ones, ascending

  /// Algorithm `kinds[i]` at lock i.
  ModelChoice(const Network &network, const std::vector<LockKind> &kinds,
              const std::vector<Traffic> &traffic, int cores, const MethodCosts &costs = {});

  /// Whether the holding time of every lock is exponential, over all of its sections, and contains
  /// no wait for another lock.
  bool isExponential() const { return exponential; }
  /// The most accurate method within the time budget, or the cheaper of B and C within
  /// `largestOverrun` of them.
  NetworkMethod method(const Threads &threads, double timeBudgetNs) const;
  /// The exact method for several classes at ideal locks; null for other locks.
  ClassMethod classMethod() const;
  /// The end of those numbers of threads for which the Markov chain is tried. There are none if the
  /// chain knows no such locks, or if it takes too long.
  Threads::const_iterator endOfChain(const Threads &threads, double timeBudgetNs) const;

private:
  bool findExponential() const;

  const Network &network;
  const std::vector<LockKind> &kinds;
  const std::vector<Traffic> &traffic;
  int cores;
  MethodCosts costs;
  std::set<std::size_t> used; ///< locks
  bool exponential;
};

} // namespace qdadvise
