// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Machine.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace qdadvise {

namespace {

template <typename Key, typename Value>
const Value *find(const std::map<Key, Value> &table, const std::type_identity_t<Key> &key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}

Unexpected missing(const Machine &machine, const std::string &figure) {
  return makeError("machine description '" + machine.name + "' has no figure " + figure +
                   "; add it, or run 'qdadvise calibrate' on the machine");
}

} // namespace

Machine Machine::withProcessors(int count) const {
  const int perSocket = (cores + sockets - 1) / sockets;
  Machine part = *this;
  part.cores = count;
  part.sockets = (count + perSocket - 1) / perSocket;
  return part;
}

std::map<std::string, const KindCosts *> Machine::kindsByName() const {
  std::map<std::string, const KindCosts *> result;
  for (const auto &[kind, costs] : kinds)
    result.emplace(nameOf(kind), &costs);
  for (const auto &[unknownName, costs] : unknownKinds)
    result.emplace(unknownName, &costs);
  return result;
}

Expected<double> Machine::require(LockKind kind, const std::string &key) const {
  if (const KindCosts *costs = find(kinds, kind)) {
    if (const Curve *curve = find(costs->curves, key); curve && !curve->rows.empty())
      return curve->rows.front().second;
    if (const Figure *figure = find(costs->figures, key))
      return figure->value;
  }
  return missing(*this, "kind." + std::string(nameOf(kind)) + "." + key);
}

Expected<KindCosts> Machine::requireHandoff(LockKind kind) const {
  if (const auto overhead = require(kind, "lock_overhead_ns"); !overhead)
    return Unexpected(overhead.error());
  if (const auto given = require(kind, "handover_ns");
      !given && !require(kind, "handover_per_waiter_ns"))
    return Unexpected(given.error());
  return kinds.at(kind);
}

Expected<double> Machine::requireScheduler(const std::string &key) const {
  if (key == "wakeup_ns" && !wakeup.empty())
    return wakeup.front().latencyNs;
  if (const auto figure = scheduler.find(key); figure != scheduler.end())
    return figure->second.value;
  return missing(*this, "scheduler." + key);
}

double Machine::pauseNs() const {
  const Figure *known = find(scheduler, "pause_ns");
  return known ? known->value : 40;
}

double Machine::yieldNs() const {
  // Both are a system call that finds nothing to do.
  const Figure *known = find(scheduler, "yield_ns");
  if (!known)
    known = find(scheduler, "wake_ns");
  return known ? known->value : 150;
}

double Machine::sharedCoreFactor() const {
  const Figure *known = find(scheduler, "shared_core_factor");
  return known ? known->value : 1.5;
}

double Machine::threadsBesideOthers(double threads) const {
  return LineTransfer{0, 0, cores, sockets, threadsPerCore, placement}.besideOthers(threads);
}

LineTransfer Machine::lineTransfer() const {
  const Figure *same = find(line, "transfer_same_socket_ns");
  if (!same)
    return {};
  const Figure *cross = find(line, "transfer_cross_socket_ns");
  const Figure *upgrade = find(line, "upgrade_ns");
  const bool isCheaper = upgrade && upgrade->value < same->value;
  return {.sameSocketNs = same->value,
          .crossSocketNs = (cross ? cross : same)->value,
          .cores = cores,
          .sockets = sockets,
          .threadsPerCore = threadsPerCore,
          .placement = placement,
          .readAndWrite = 1 + (isCheaper ? upgrade->value / same->value : 1)};
}

double Machine::copyIntervalNs() const {
  const Figure *known = find(line, "copy_interval_ns");
  return known ? known->value : lineTransfer().sameSocketNs / 4;
}

CostCurve Machine::movedLinesNs() const {
  if (!movedLines.rows.empty())
    return {movedLines.rows, true};
  const double transferNs = lineTransfer().sameSocketNs;
  return {{{1, transferNs}, {2, transferNs + copyIntervalNs()}}, true};
}

CostCurve Machine::chainedLinesNs() const {
  if (!chainedLines.rows.empty())
    return {chainedLines.rows, true};
  return {{{1, lineTransfer().sameSocketNs}}, true};
}

WakeupCost Machine::wakeupAfter(double sleptNs) const {
  if (wakeup.empty())
    return {sleptNs};
  const auto rowAt = [this](std::size_t row) {
    WakeupCost cost = wakeup[row];
    if (row < wakeupSpread.size()) {
      // A spread is the distance of the quartiles, which is half the range of a uniform
      // distribution.
      cost.latencyHalfNs = std::min(wakeupSpread[row].first, cost.latencyNs);
      cost.wakerHalfNs = std::min(wakeupSpread[row].second, cost.wakerNs);
    }
    return cost;
  };
  const auto above = static_cast<std::size_t>(
      std::find_if(wakeup.begin(), wakeup.end(),
                   [sleptNs](const WakeupCost &row) { return row.sleptNs >= sleptNs; }) -
      wakeup.begin());
  if (above == 0 || above == wakeup.size()) {
    WakeupCost cost = rowAt(std::min(above, wakeup.size() - 1));
    cost.sleptNs = sleptNs;
    return cost;
  }
  const WakeupCost low = rowAt(above - 1), high = rowAt(above);
  const double part = std::log(sleptNs / low.sleptNs) / std::log(high.sleptNs / low.sleptNs);
  return {sleptNs, std::lerp(low.latencyNs, high.latencyNs, part),
          std::lerp(low.wakerNs, high.wakerNs, part),
          std::lerp(low.latencyHalfNs, high.latencyHalfNs, part),
          std::lerp(low.wakerHalfNs, high.wakerHalfNs, part)};
}

} // namespace qdadvise
