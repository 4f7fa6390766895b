// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waiting and sharing a core cost: the processor's pause, yields, switches, time slices.
// Medians with interquartile ranges, in nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// The processor's pause, in a loop.
Figure measurePause(Effort effort);
/// A yield that nobody takes up, in a loop.
Figure measureYield(Effort effort);
/// From one thread to another on the same core: two that yield to each other, less `yield`.
Figure measureSwitch(int processor, const Figure &yield, Effort effort);
/// How long each of two threads that compute on one core has it at a time. Nothing where
/// they did not take turns.
std::optional<Figure> measureTimeslice(int processor, Effort effort);
/// Share of the processors' time that programs take while this one sleeps for so long.
double measureOthers(double seconds);

} // namespace qdadvise
