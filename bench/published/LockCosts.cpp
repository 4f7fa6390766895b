// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/LockCosts.h"

#include "advisor/sim/DerivedCosts.h"

namespace qdadvise::publication {

/// How precisely the time between two sections is simulated, relative to it. Published figures are
/// no more precise than that.
constexpr double precision = 0.01;

Expected<Machine> withCostsOf(const PublishedLock &lock, Machine machine) {
  if (algorithmOf(lock.kind.kind).spins)
    machine.kinds.erase(lock.kind.kind);
  sim::SimulatedKind modelled = lock.kind;
  if (lock.makeModelled)
    modelled.make = lock.makeModelled;
  if (const auto fault = sim::addSimulatedCosts(machine, modelled, {}, precision))
    return Unexpected(*fault);
  // In the models a waiter yields after a while. One that never does goes on as before.
  if (!lock.yields)
    machine.scheduler["yield_ns"].value = machine.pauseNs();
  return machine;
}

} // namespace qdadvise::publication
