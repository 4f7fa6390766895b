// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections inside others (docs/theory/nesting.md, equations (NST1) and (NST5)): how long
// an outer section takes, and which threads it keeps away from an inner lock. Times in nanoseconds.
#pragma once

#include "advisor/model/workload/Cumulants.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

class Nesting {
public:
  /// `network` must be valid, and live as long.
  explicit Nesting(const Network &network);

  /// Whether the thread holds the section's lock already. If that has one instance, or one for each
  /// thread, it does not wait.
  bool reentrant(std::size_t section) const;
  /// Probability that two threads inside the lock class are at the same instance.
  double sameInstance(std::size_t lock) const { return same[lock]; }
  /// Probability that a thread inside the outer sections of `section` keeps another one from those
  /// of `other` (NST5). 0 if either has no outer section. `reads` says by section whether several
  /// threads can be in it.
  double keepsOut(std::size_t section, std::size_t other, const std::vector<bool> &reads) const;
  /// How many threads can be inside the outer sections of a nested one at once (NST2).
  double mostInside(std::size_t section, const std::vector<bool> &reads) const;
  static constexpr double unlimited = 1e9; ///< readers, who keep no reader out
  /// Holding times of all sections, with the sections inside them (NST1). `waitNs` has the mean
  /// waiting times of inner sections, by section; the others are not used. Waiting varies like an
  /// exponential time. The number of visits is as close to its mean as whole numbers can be.
  std::vector<Cumulants> holds(const std::vector<double> &waitNs) const;

private:
  const Network &network;
  std::vector<double> same;                ///< by lock
  std::vector<std::size_t> innermostFirst; ///< sections
};

} // namespace qdadvise
