// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lock algorithms cost on a machine that is only described: measured as a
// calibration would, on the virtual multicore.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/sim/SimulatedLocks.h"

#include <functional>
#include <optional>
#include <string>

namespace qdadvise::sim {

/// The source of the figures that withSimulatedCosts adds.
inline constexpr const char *simulated = "simulated";

/// Adds the costs that a description lacks of the locks that can be simulated: `lock_overhead_ns`
/// of all, `handover_ns` and `handover_short_ns` of those that spin, and `delegation_overhead_ns`
/// of those that delegate, up to as many threads as there are cores. They follow from what the
/// description says of cores, cache lines and the scheduler. Figures that it has are kept.
/// The algorithms are simulated on all processors at a time; `progress` is told the share that is
/// done, by one thread at a time. Fails where a figure is missing that a simulation
/// needs.
Expected<Machine> withSimulatedCosts(const Machine &machine,
                                     const std::function<void(double)> &progress = {});

/// The same of one lock, which stands for the algorithm that `kind` names. `precision` is that of
/// the time from one section to the next.
std::optional<Error> addSimulatedCosts(Machine &machine, const SimulatedKind &kind,
                                       const std::function<void(double)> &progress = {},
                                       double precision = 0.002);

} // namespace qdadvise::sim
