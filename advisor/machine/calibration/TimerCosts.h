// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clocks and hooks cost, and how fast the core runs.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// The time to read the time-stamp counter (or the monotonic clock, where there is none), in a
/// loop.
Figure measureTimerRead(Effort effort);
/// The time of a call that reads it and stores stamp and address, which every hook has to do.
Figure measureHook(Effort effort);
/// This core's clock at the moment, in cycles per nanosecond. It counts additions that depend on
/// each other, which take a cycle each.
double measureClockGhz();
/// The processor's nominal clock, at which its time-stamp counter runs. Absent where the counter
/// has a clock of its own.
std::optional<double> nominalClockGhz();

} // namespace qdadvise
