// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several calibrations of one machine as one.
#pragma once

#include "advisor/machine/Machine.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// The medians of all figures. A spread is the rounds' median interquartile range, or the range
/// of their values where that is more: what changes from second to second, a clock's speed or
/// who else is on the machine, no single round can see. A figure that some rounds have not is
/// that of the others; at least one round.
Machine medianOf(const std::vector<Machine> &rounds);

/// States the clock, `ghz` as it was found again and again in between, and `nominalGhz`, if that
/// is known; and that no time that the core takes is known better than by the ratio of the
/// fastest of them to the slowest: the core may run at any of them the next time.
void stateClock(Machine &machine, const std::vector<double> &ghz, std::optional<double> nominalGhz);

} // namespace qdadvise
