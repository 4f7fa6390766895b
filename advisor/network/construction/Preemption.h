// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in which the thread did not run: on a busy machine the scheduler takes a core
// away for milliseconds, wherever the thread happens to be, and interrupts do for tens of
// microseconds. A few such times are most of the mean of a section of nanoseconds, and
// more of its variance, and tell nothing about the program.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <vector>

namespace qdadvise {

/// Takes out of a profile's holding and local times what looks like preemption: longer
/// than 20 us and than 50 times the 99th percentile of its kind (the 90th, of few), and no more
/// often than its share of the threads' time explains. Long times that belong to one section stay:
/// they are too many there. Counts are scaled back, so that routing stays what it was.
struct Preemptions {
  std::uint64_t observations = 0; ///< taken out
  double ns = 0;                  ///< their sum
};
Preemptions removePreemptions(Profile &profile);

} // namespace qdadvise
