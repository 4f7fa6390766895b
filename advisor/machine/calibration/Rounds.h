// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one description of several calibrations of one machine.
#pragma once

#include "advisor/machine/Machine.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// The medians of all figures, from at least one round. A spread is the rounds' median
/// interquartile range, or the range of their values where that is more: no single round sees what
/// changes from second to second, such as the clock's speed or other programs. A figure that some
/// rounds lack is that of the others.
Machine medianOf(const std::vector<Machine> &rounds);

/// Adds the clock: `ghz` holds its measurements, `nominalGhz` is the nominal one where that is
/// known. Widens the spread of every time that the core takes to the ratio of the fastest clock to
/// the slowest, since the core may run at any of them the next time.
void stateClock(Machine &machine, const std::vector<double> &ghz, std::optional<double> nominalGhz);

} // namespace qdadvise
