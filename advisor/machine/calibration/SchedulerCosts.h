// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waiting and sharing a core cost: the processor's pause, yields, switches, time slices.
// Figures are medians with interquartile ranges, in nanoseconds.
#pragma once

#include "advisor/machine/calibration/Samples.h"

#include <optional>

namespace qdadvise {

/// The processor's pause, in a loop.
Figure measurePause(Effort effort);
/// A yield that no other thread takes up, in a loop.
Figure measureYield(Effort effort);
/// A switch between two threads of a core, which yield to each other, less `yield`.
Figure measureSwitch(int processor, const Figure &yield, Effort effort);
/// How long each of two threads that compute on one core has it at a time. Absent where they did
/// not take turns.
std::optional<Figure> measureTimeslice(int processor, Effort effort);
/// The share of the processors' time that other programs take while this one sleeps for so long.
double measureOthers(double seconds);

} // namespace qdadvise
