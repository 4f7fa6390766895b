// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic instructions that were published beside locks.
#pragma once

#include "advisor/sim/SimulatedLocks.h"

namespace qdadvise::publication {

/// One atomic addition.
std::unique_ptr<sim::SimulatedLock> makeFetchAdd(sim::Multicore &machine);
/// Two: lockhammer's incdec_refcount, a reference that is taken and given back.
std::unique_ptr<sim::SimulatedLock> makeIncrementDecrement(sim::Multicore &machine);
/// Compare-and-swap until it succeeds: folly's and travis-downs' counters.
std::unique_ptr<sim::SimulatedLock> makeCompareAndSwapLoop(sim::Multicore &machine);
/// A loop of compare-and-swap between two values: folly's atomic_fetch_xor.
std::unique_ptr<sim::SimulatedLock> makeFetchXor(sim::Multicore &machine);
/// Compare-and-swap to take a reference and to give it back: lockhammer's cas_lockref.
std::unique_ptr<sim::SimulatedLock> makeLockRef(sim::Multicore &machine);

} // namespace qdadvise::publication
