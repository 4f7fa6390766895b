// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published locks that keep the order of those who wait.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

namespace qdadvise::publication {

/// Tickets on one line: travis-downs' waits without a pause, Linux' with one in each turn.
std::unique_ptr<sim::SimulatedLock> makeTicket(sim::Multicore &machine);
std::unique_ptr<sim::SimulatedLock> makeLinuxTicket(sim::Multicore &machine);
/// The queue lock of Mellor-Crummey and Scott as libslock has it.
std::unique_ptr<sim::SimulatedLock> makeMcs(sim::Multicore &machine);
/// Linux' queued spinlock as lockhammer has it.
std::unique_ptr<sim::SimulatedLock> makeLinuxQueued(sim::Multicore &machine);

} // namespace qdadvise::publication
