// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--model auto` solves a network with: by its size, and by what its locks are.
#pragma once

#include "advisor/model/Predict.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

/// The row of the table of models; null if there is none of that name.
const PredictionModel *findModel(const std::string &name);
bool isFor(const PredictionModel &model, const std::string &kind);
/// Whether any thread enters the section.
bool isVisited(const std::vector<Traffic> &traffic, std::size_t section);

class ModelChoice {
public:
  using Threads = std::vector<int>; ///< scaling ones, ascending

  /// Algorithm `kinds[i]` at lock i.
  ModelChoice(const Network &network, const std::vector<std::string> &kinds,
              const std::vector<Traffic> &traffic, int cores);

  /// Whether every lock's holding time is exponential, over all of its sections, and none
  /// contains the wait for another lock.
  bool isExponential() const { return exponential; }
  /// The most accurate method that takes no more than so many nanoseconds, or the cheaper of B and
  /// C within three times that.
  NetworkMethod method(const Threads &threads, double timeBudgetNs) const;
  /// Several classes at ideal locks have an exact method of their own; else null.
  ClassMethod classMethod() const;
  /// The first number of threads for which the chain that knows what each thread does is not to
  /// be tried; the first of all where its locks have none, or where it would take too long.
  Threads::const_iterator endOfChain(const Threads &threads, double timeBudgetNs) const;

private:
  bool findExponential() const;

  const Network &network;
  const std::vector<std::string> &kinds;
  const std::vector<Traffic> &traffic;
  int cores;
  std::set<std::size_t> used; ///< locks
  bool exponential;
};

} // namespace qdadvise
