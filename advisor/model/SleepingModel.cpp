// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/SleepingModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qdadvise {

namespace {

/// Of glibc 2.36 on the virtual machine of docs/theory.md.
constexpr double defaultSleepNs = 250;

double sleepOf(const Machine &machine) {
  const auto given = machine.scheduler.find("sleep_ns");
  return given == machine.scheduler.end() ? defaultSleepNs : given->second.value;
}

} // namespace

SleepingModel::SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), machine(machine),
      lineNs(machine.lineTransfer()), sleepNs(sleepOf(machine)) {}

WakeupCost SleepingModel::wakeupAfterRestOf(double meanNs) const {
  // At the middles of 16 equally likely intervals.
  constexpr int points = 16;
  WakeupCost mean;
  for (int i = 0; i < points; ++i) {
    const WakeupCost cost = machine.wakeupAfter(sleepNs - meanNs * std::log((i + 0.5) / points));
    mean.latencyNs += cost.latencyNs / points;
    mean.wakerNs += cost.wakerNs / points;
  }
  return mean;
}

SleepingModel::Costs SleepingModel::costs(int threads, double visitors, double awayNs,
                                          double sleptNs) const {
  const Saturated two = saturated(2, 2, awayNs, sleptNs);
  const double alone = two.holdNs + lockOverheadNs;
  // Rare meetings say nothing in floating point: a longer time away makes no difference.
  const double used = std::min(awayNs, 1e6 * alone);
  const double cycle = 2 / pairThroughput(used, threads), taken = two.ns / cycle;
  const double lost = cycle - used - alone - (1 - taken) * transferNs(2);
  Costs costs;
  costs.failureNs = taken > 0 ? std::max(0.0, lost * (1 - taken) / taken) : 0;
  costs.transferNs = transferNs(visitors);
  costs.others = threads * (1 - 1 / visitors);
  costs.saturated = threads > 2 ? saturated(threads, visitors, awayNs, sleptNs) : two;
  return costs;
}

double SleepingModel::residenceNs(const Costs &costs, double cycleNs) const {
  const double others = costs.saturated.ns * costs.others;
  if (others <= 0)
    return costs.saturated.holdNs + lockOverheadNs;
  if (cycleNs <= others)
    return std::numeric_limits<double>::infinity();
  const double taken = others / cycleNs;
  const double alone = costs.holdNs(cycleNs) + lockOverheadNs;
  return alone + (1 - taken) * costs.transferNs + costs.failureNs * taken / (1 - taken);
}

} // namespace qdadvise
