// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sleeping on a futex costs the thread that sleeps and the one that wakes it. Medians with
// interquartile ranges, in nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// A wake call with nobody asleep.
Figure measureEmptyWake(Effort effort);

/// Latency (from the wake call to the woken thread running) and the waker's cost (of the
/// call) with the sleeper on another core, asleep for `sleptNs`.
struct WakeupFigures {
  Figure latency, waker;
};
/// Nothing where no sleeper was ever asleep in time.
std::optional<WakeupFigures> measureWakeup(int wakerProcessor, int sleeperProcessor, double sleptNs,
                                           Effort effort);

} // namespace qdadvise
