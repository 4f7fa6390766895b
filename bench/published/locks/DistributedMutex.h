// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// folly's DistributedMutex.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

namespace qdadvise::publication {

std::unique_ptr<sim::SimulatedLock> makeDistributedMutex(sim::Multicore &machine);
/// The same if it passed over nobody.
std::unique_ptr<sim::SimulatedLock> makeStrictDistributedMutex(sim::Multicore &machine);
/// Its lock_combine: who has the lock executes the sections of those who wait.
std::unique_ptr<sim::SimulatedLock> makeCombiningDistributedMutex(sim::Multicore &machine);

} // namespace qdadvise::publication
