// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times in which the thread did not run. On a busy machine the scheduler takes its core away for
// milliseconds, wherever the thread happens to be; interrupts do so for tens of microseconds. A few
// such times are most of the mean of a section that takes nanoseconds, and more of its variance,
// and say nothing about the program.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <string>
#include <vector>

namespace qdadvise {

/// The time that an interrupt takes, also on a virtual machine. Shorter times contain none.
inline constexpr double interruptNs = 20e3;

/// What was taken out of a profile.
struct Preemptions {
  std::uint64_t observations = 0;
  double ns = 0; ///< their sum
};
/// What people are told of them.
std::string preemptionNote(const Preemptions &removed);

/// Takes out of the holding and local times of a profile what looks like preemption: times longer
/// than 20 us and than 50 times the 99th percentile of their kind (the 90th, where there are few),
/// and no more often than their share of the threads' time explains. Long times that belong to one
/// section are too many for that, and stay. So do those of a thread that cannot have lost so much
/// of its time. Counts do not change, so that routing stays the same. The run and its windows are
/// as much shorter.
Preemptions removePreemptions(Profile &profile);

} // namespace qdadvise
