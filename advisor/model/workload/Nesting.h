// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections inside others: what an outer one takes, and who keeps whom away from an
// inner lock. Times in nanoseconds.
#pragma once

#include "advisor/model/workload/Cumulants.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

class Nesting {
public:
  /// `network` must be valid, and live as long.
  explicit Nesting(const Network &network);

  /// Whether the section's lock is held already: entering its one instance, or the thread's own,
  /// waits for nobody.
  bool reentrant(std::size_t section) const;
  /// Probability that two threads inside the lock class are at the same instance.
  double sameInstance(std::size_t lock) const { return same[lock]; }
  /// Probability that who is inside what `section` lies in keeps another thread from what
  /// `other` lies in; 0 where either lies in nothing.
  double keepsOut(std::size_t section, std::size_t other) const;
  /// Effective holding times of all sections, from the mean waiting times for the locks of
  /// those that lie in others (by section; the rest is not looked at). Waiting is taken to
  /// be as variable as an exponential time, the number of visits as near to its mean as whole
  /// ones can be.
  std::vector<Cumulants> holds(const std::vector<double> &waitNs) const;

private:
  const Network &network;
  std::vector<double> same;                ///< by lock
  std::vector<std::size_t> innermostFirst; ///< sections
};

} // namespace qdadvise
