// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads whose time between two sections is nearly always the same (docs/theory/decomposition.md,
// equation (DEC12)). Two that leave a lock one after the other are at least a section apart. They
// stay so on their way, and hardly meet where both go next. Times in nanoseconds.
#pragma once

#include <vector>

namespace qdadvise {

/// The time that a lock takes for a visit, without waiting.
struct ServiceTime {
  double meanNs = 0, cv2 = 1;
};

/// The ways to a lock.
struct WaysTo {
  /// `together[i]` is the probability that two threads that come were both at lock i last.
  std::vector<double> together;
  double awayNs = 0, awayCv2 = 0; ///< the time between two sections
};

/// Mean waits by lock, relative to those of threads that come at random: 0 to 1.
std::vector<double> relativeWaitsInStep(const std::vector<ServiceTime> &services,
                                        const std::vector<WaysTo> &ways);

} // namespace qdadvise
