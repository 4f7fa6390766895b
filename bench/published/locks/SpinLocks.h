// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Published locks of a single word.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

namespace qdadvise::publication {

/// An exchange in each turn: lockhammer's swap_mutex.
std::unique_ptr<sim::SimulatedLock> makeTestAndSet(sim::Multicore &machine);
/// An exchange and a pause in each turn: libslock's TAS.
std::unique_ptr<sim::SimulatedLock> makeTestAndSetWithPause(sim::Multicore &machine);
/// libslock's TTAS. Its exchange writes 0xff, and its loop waits while the word is 1, so that it
/// never waits there: each turn looks, exchanges, and backs off.
std::unique_ptr<sim::SimulatedLock> makeTestAndSetWithBackOff(sim::Multicore &machine);
/// Looks until the lock seems free, then tries: travis-downs', with and without a pause.
std::unique_ptr<sim::SimulatedLock> makeTestTestAndSet(sim::Multicore &machine);
std::unique_ptr<sim::SimulatedLock> makeTestTestAndSetWithPause(sim::Multicore &machine);
/// folly's MicroSpinLock and PicoSpinLock, which sleep after a while.
std::unique_ptr<sim::SimulatedLock> makeMicroSpin(sim::Multicore &machine);
std::unique_ptr<sim::SimulatedLock> makePicoSpin(sim::Multicore &machine);

} // namespace qdadvise::publication
