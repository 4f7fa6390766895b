// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/SleepingModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qdadvise {

namespace {

/// Of glibc 2.36 on the virtual machine of docs/theory.md.
constexpr double defaultSleepNs = 250, defaultWakeNs = 150;

double schedulerFigure(const Machine &machine, const char *key, double otherwise) {
  const auto given = machine.scheduler.find(key);
  return given == machine.scheduler.end() ? otherwise : given->second.value;
}

/// `costAt` is called with parts of one, as likely as each other. A lattice of good points: a sum
/// over all combinations would have many more.
template <typename CostAt> Wakeup wakeupOf(CostAt costAt) {
  Wakeup mean;
  const auto count = static_cast<double>(mean.gapsNs.size());
  const auto spread = [count](std::size_t i, unsigned generator) {
    return 2 * std::fmod((static_cast<double>(i * generator) + 0.5) / count, 1.0) - 1;
  };
  for (std::size_t i = 0; i < mean.gapsNs.size(); ++i) {
    const WakeupCost cost = costAt((static_cast<double>(i) + 0.5) / count);
    const double latency = cost.latencyNs + spread(i, 15) * cost.latencyHalfNs;
    const double waker = cost.wakerNs + spread(i, 23) * cost.wakerHalfNs;
    mean.latencyNs += latency / count;
    mean.wakerNs += waker / count;
    mean.gapsNs[i] = std::max(0.0, latency - waker);
  }
  return mean;
}

} // namespace

SleepingModel::SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), machine(machine),
      lineNs(machine.lineTransfer()), sleepNs(schedulerFigure(machine, "sleep_ns", defaultSleepNs)),
      nobodyWokenNs(schedulerFigure(machine, "wake_ns", defaultWakeNs)) {}

Wakeup SleepingModel::wakeupAfter(double sleptNs) const {
  return wakeupOf([cost = machine.wakeupAfter(sleptNs)](double) { return cost; });
}

Wakeup SleepingModel::wakeupAfterRestOf(double meanNs) const {
  return wakeupOf(
      [&](double part) { return machine.wakeupAfter(sleepNs - meanNs * std::log(part)); });
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
