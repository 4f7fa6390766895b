// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/MulticoreCosts.h"

#include "advisor/sim/CacheLines.h"

#include <algorithm>

namespace qdadvise::sim {
namespace {

/// An optional figure. The defaults are those of current processors (docs/theory/simulation.md).
Time figure(const std::map<std::string, Figure> &figures, const std::string &key,
            double otherwiseNs) {
  const auto found = figures.find(key);
  return picoseconds(found == figures.end() ? otherwiseNs : found->second.value);
}

} // namespace

MulticoreCosts MulticoreCosts::ideal(int threads) {
  MulticoreCosts costs;
  costs.cores = threads;
  return costs;
}

Expected<MulticoreCosts> costsOf(const Machine &machine, const CostNeeds &needs) {
  MulticoreCosts costs;
  costs.cores = needs.cores > 0 ? needs.cores : machine.cores;
  if (costs.cores > mostCores)
    return makeError("a simulated machine has at most " + std::to_string(mostCores) +
                     " cores; give fewer with --cores N");
  costs.sockets = machine.withProcessors(costs.cores).sockets;
  if (costs.sockets > mostSockets)
    return makeError("a simulated machine has at most " + std::to_string(mostSockets) +
                     " sockets; give fewer cores with --cores N");
  costs.threadsPerCore = machine.threadsPerCore;
  costs.placement = machine.placement;
  costs.firstProcessor = needs.firstProcessor;
  const auto require = [&](const std::map<std::string, Figure> &figures, const std::string &table,
                           const std::string &key, Time &cost) -> std::optional<Error> {
    const auto found = figures.find(key);
    if (found == figures.end())
      return Error{"machine description '" + machine.name + "' has no figure " + table + "." + key +
                   ", which a simulation needs; add it, or run 'qdadvise calibrate' on the "
                   "machine"};
    cost = picoseconds(found->second.value);
    return std::nullopt;
  };
  if (costs.cores > 1)
    if (auto fault = require(machine.line, "line", "transfer_same_socket_ns", costs.sameSocket))
      return Unexpected(*fault);
  costs.crossSocket = costs.sameSocket;
  if (costs.sockets > 1)
    if (auto fault = require(machine.line, "line", "transfer_cross_socket_ns", costs.crossSocket))
      return Unexpected(*fault);
  costs.hit = figure(machine.line, "hit_ns", 0.25);
  const double transfer = nanoseconds(costs.sameSocket);
  costs.sameCore = figure(machine.line, "transfer_same_core_ns", 8);
  costs.request = picoseconds(requestShare * transfer);
  costs.copy = figure(machine.line, "copy_ns", transfer / 2);
  costs.copyInterval = picoseconds(machine.copyIntervalNs());
  costs.farInterval = figure(machine.line, "far_interval_ns", 0);
  costs.sharedCoreFactor = machine.sharedCoreFactor();
  // An uncontended spinlock takes one atomic operation and one store.
  const auto spinlock = machine.require(LockKind::spinlock, "lock_overhead_ns");
  const double atomic = spinlock ? std::max(1.0, *spinlock - nanoseconds(costs.hit)) : 6;
  costs.atomic = figure(machine.line, "atomic_ns", atomic);
  // A measured overhead of the spinlock contains this time already.
  costs.drain = figure(machine.line, "drain_ns", 0);
  costs.upgrade = figure(machine.line, "upgrade_ns", transfer);
  costs.kept = std::min(figure(machine.line, "kept_ns", 0), costs.sameSocket);
  costs.wake = figure(machine.scheduler, "wake_ns", 150);
  costs.pause = picoseconds(machine.pauseNs());
  costs.yield = picoseconds(machine.yieldNs());
  costs.contextSwitch = figure(machine.scheduler, "switch_ns", 1200);
  costs.sleep = figure(machine.scheduler, "sleep_ns", 250);
  costs.refuse = figure(machine.scheduler, "refuse_ns", 80);
  if (needs.sharesCores) {
    if (auto fault = require(machine.scheduler, "scheduler", "timeslice_ns", costs.timeslice))
      return Unexpected(*fault);
    costs.migration = figure(machine.scheduler, "migration_ns", 500'000);
    const auto others = machine.scheduler.find("others");
    costs.others = others == machine.scheduler.end() ? 0 : others->second.value;
  }
  if (needs.sleeps) {
    if (const auto wakeup = machine.requireScheduler("wakeup_ns"); !wakeup)
      return Unexpected(wakeup.error());
  }
  costs.wakeups.wakeup = machine.wakeup;
  costs.wakeups.wakeupSpread = machine.wakeupSpread;
  return costs;
}

} // namespace qdadvise::sim
