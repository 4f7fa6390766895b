// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sleeping on a futex costs the thread that sleeps and the one that wakes it. Figures are
// medians with interquartile ranges, in nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// The time of a wake call while no thread sleeps.
Figure measureEmptyWake(Effort effort);

struct WakeupFigures {
  Figure latency; ///< from the wake call until the woken thread runs
  Figure waker;   ///< the cost of the call
};
/// Wakes a thread on another core that has slept for `sleptNs`. Absent where the sleeper was never
/// asleep in time.
std::optional<WakeupFigures> measureWakeup(int wakerProcessor, int sleeperProcessor, double sleptNs,
                                           Effort effort);

} // namespace qdadvise
