// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clocks and hooks cost, and how fast the core runs.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// Reading the time-stamp counter (where there is none, the monotonic clock), in a loop.
Figure measureTimerRead(Effort effort);
/// A call that reads it and stores stamp and address: what a hook cannot do without.
Figure measureHook(Effort effort);
/// This core's clock, now, in cycles per nanosecond: additions that wait for one another take a
/// cycle each.
double measureClockGhz();
/// The processor's nominal clock, which its time-stamp counter keeps; nothing where the counter has
/// a clock of its own.
std::optional<double> nominalClockGhz();

} // namespace qdadvise
