// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat combining (Hendler et al., SPAA 2010): one thread executes the sections that others have
// published in records.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

namespace qdadvise::publication {

/// liblock's, which ffwd was compared with: who gets the lock combines.
std::unique_ptr<sim::SimulatedLock> makeFlatCombining(sim::Multicore &machine);
/// folly's: whoever gets the mutex at once executes its own section, the others leave theirs to a
/// thread of the lock.
std::unique_ptr<sim::SimulatedLock> makeFollyFlatCombining(sim::Multicore &machine);

} // namespace qdadvise::publication
