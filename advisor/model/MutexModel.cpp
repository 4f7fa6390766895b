// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/MutexModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qdadvise {

namespace {

/// Where a machine does not say how long it takes to fall asleep, and how much
/// longer a thread takes that the kernel sends back at once: glibc 2.36 on the virtual
/// machine of docs/theory.md.
constexpr double defaultSleepNs = 250;
constexpr double sentBackNs = 80;

/// Attempts per acquisition that do not come from the thread just woken, while there are
/// always sleepers: one from a thread that comes afresh, one that a former release
/// woke, and a few that the kernel sent back. Fitted once to simulations of the protocol.
constexpr double attemptsPerAcquisition = 2.3;

} // namespace

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), sleepNs(defaultSleepNs) {
  const auto sleep = machine.scheduler.find("sleep_ns");
  if (sleep != machine.scheduler.end())
    sleepNs = sleep->second.value;
  // A sleeper sleeps for the rest of an exponential holding time: means over that, at
  // the middles of 16 equally likely intervals.
  constexpr int points = 16;
  for (int i = 0; i < points; ++i) {
    const WakeupCost cost = machine.wakeupAfter(sleepNs - holdNs * std::log((i + 0.5) / points));
    latencyNs += cost.latencyNs / points;
    wakerNs += cost.wakerNs / points;
  }
}

double MutexModel::pairThroughput(double awayNs) const {
  // A thread is away for at least a nanosecond: the limit of none is the same.
  const double away = std::max(awayNs + lockOverheadNs, 1.0);
  const double hold = std::max(holdNs, 1e-3);
  const double a = 1 / away, m = 1 / hold, g = a + m;
  const double q = a / g;                       // the other comes while it is held
  const double phi = std::exp(-sleepNs / hold); // and is asleep before the release
  const double barge = std::max(0.0, latencyNs - wakerNs);
  const double gone = -std::expm1(-g * barge);
  const double p = q * gone; // the other has it again when the sleeper is awake
  const double n = barge * a * m / g - a * m / (g * g) * gone; // sections done meanwhile
  // Both sides times q phi (1 - p), so that neither rare nor certain sleep divides by 0.
  const double done = (1 - p) + q * phi * (n + p);
  const double time =
      (1 - p) * (1 / g + (1 - q) * away / 2 + q * (1 - phi) * (sleepNs + sentBackNs)) +
      q * phi * ((1 - p) * (sleepNs + holdNs) + latencyNs + p * holdNs);
  return done / time;
}

MutexModel::Costs MutexModel::costs(double awayNs) const {
  Costs costs;
  const double alone = holdNs + lockOverheadNs;
  costs.saturatedNs = alone;
  if (holdNs <= 0) // never found taken
    return costs;
  // Free until the sooner of the woken thread and the waker, back from its call ...
  const double waker = std::min(wakerNs, latencyNs);
  const double away = std::max(awayNs + lockOverheadNs, 1.0);
  const double free = waker - away * std::expm1(-(latencyNs - waker) / away);
  // ... unless somebody else comes first: S = alone + (1 - exp(-b free / S)) S / b, by
  // Newton's method; the slope lies between 1 - 1/b and 1.
  constexpr double b = attemptsPerAcquisition;
  double saturated = alone + free;
  for (int i = 0; i < 30; ++i) {
    const double x = b * free / saturated, none = -std::expm1(-x);
    const double step =
        (saturated - alone - saturated / b * none) / (1 - (none - x * std::exp(-x)) / b);
    saturated = std::max(alone, saturated - step);
    if (std::abs(step) <= 1e-12 * saturated)
      break;
  }
  costs.saturatedNs = saturated;
  // Rare meetings say nothing in floating point: a longer time away makes no difference.
  const double used = std::min(awayNs, 1e6 * alone);
  const double cycle = 2 / pairThroughput(used);
  costs.failureNs = std::max(0.0, (cycle - used - alone) * (cycle - saturated) / saturated);
  return costs;
}

double MutexModel::residenceNs(const Costs &costs, int threads, double cycleNs) const {
  const double others = costs.saturatedNs * (threads - 1);
  if (others <= 0)
    return holdNs + lockOverheadNs;
  if (cycleNs <= others)
    return std::numeric_limits<double>::infinity();
  return holdNs + lockOverheadNs + costs.failureNs * others / (cycleNs - others);
}

} // namespace qdadvise
