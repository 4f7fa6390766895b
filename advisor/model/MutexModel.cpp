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
/// always sleepers: the one that succeeds, and one that fails. More cannot fail for long, as
/// each release wakes one sleeper only.
constexpr double attemptsPerAcquisition = 2;

} // namespace

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), sleepNs(defaultSleepNs), machine(machine) {
  const auto sleep = machine.scheduler.find("sleep_ns");
  if (sleep != machine.scheduler.end())
    sleepNs = sleep->second.value;
  // One of two threads sleeps for the rest of an exponential holding time: means over that,
  // at the middles of 16 equally likely intervals.
  constexpr int points = 16;
  for (int i = 0; i < points; ++i) {
    const WakeupCost cost = machine.wakeupAfter(sleepNs - holdNs * std::log((i + 0.5) / points));
    pairWakeup.latencyNs += cost.latencyNs / points;
    pairWakeup.wakerNs += cost.wakerNs / points;
  }
}

double MutexModel::pairThroughput(double awayNs) const {
  // A thread is away for at least a nanosecond: the limit of none is the same. Who barges
  // still has the mutex's line.
  const double back = std::max(awayNs + lockOverheadNs, 1.0), away = back + transferNs(2);
  const double hold = std::max(holdNs, 1e-3);
  const double a = 1 / away, m = 1 / hold, g = a + m;
  const double q = a / g;                       // the other comes while it is held
  const double phi = std::exp(-sleepNs / hold); // and is asleep before the release
  const double latency = pairWakeup.latencyNs, barge = std::max(0.0, latency - pairWakeup.wakerNs);
  const double c = 1 / back, r = c + m;
  const double gone = -std::expm1(-r * barge);
  const double p = c / r * gone; // the other has it again when the sleeper is awake
  const double n = barge * c * m / r - c * m / (r * r) * gone; // sections done meanwhile
  // Both sides times q phi (1 - p), so that neither rare nor certain sleep divides by 0.
  const double done = (1 - p) + q * phi * (n + p);
  const double time =
      (1 - p) * (1 / g + (1 - q) * away / 2 + q * (1 - phi) * (sleepNs + sentBackNs)) +
      q * phi * ((1 - p) * (sleepNs + holdNs) + latency + p * holdNs);
  return done / time;
}

double MutexModel::saturatedNs(double awayNs, double transferNs, const WakeupCost &wakeup) const {
  const double taken = holdNs + lockOverheadNs + transferNs;
  if (holdNs <= 0) // never found taken
    return taken;
  // Free until the sooner of the woken thread and the waker, back from its call ...
  const double waker = std::min(wakeup.wakerNs, wakeup.latencyNs);
  const double away = std::max(awayNs + lockOverheadNs, 1.0);
  const double free = waker - away * std::expm1(-(wakeup.latencyNs - waker) / away);
  // ... unless somebody else comes first: S = taken + (1 - exp(-b free / S)) S / b, by
  // Newton's method; the slope lies between 1 - 1/b and 1.
  constexpr double b = attemptsPerAcquisition;
  double saturated = taken + free;
  for (int i = 0; i < 30; ++i) {
    const double x = b * free / saturated, none = -std::expm1(-x);
    const double step =
        (saturated - taken - saturated / b * none) / (1 - (none - x * std::exp(-x)) / b);
    saturated = std::max(taken, saturated - step);
    if (std::abs(step) <= 1e-12 * saturated)
      break;
  }
  return saturated;
}

MutexModel::Costs MutexModel::costs(int threads, double awayNs, double sleptNs) const {
  const double alone = holdNs + lockOverheadNs;
  // Rare meetings say nothing in floating point: a longer time away makes no difference.
  const double used = std::min(awayNs, 1e6 * alone);
  const double ofTwo = saturatedNs(awayNs, 0, pairWakeup);
  const double cycle = 2 / pairThroughput(used), taken = ofTwo / cycle;
  const double lost = cycle - used - alone - (1 - taken) * transferNs(2);
  Costs costs;
  costs.failureNs = taken > 0 ? std::max(0.0, lost * (1 - taken) / taken) : 0;
  costs.transferNs = transferNs(threads);
  // Of two threads one sleeps while the other barges, undisturbed.
  costs.saturatedNs = threads > 2
                          ? saturatedNs(awayNs, costs.transferNs,
                                        machine.wakeupAfter(sleepNs + std::max(holdNs, sleptNs)))
                          : ofTwo;
  return costs;
}

double MutexModel::residenceNs(const Costs &costs, int threads, double cycleNs) const {
  const double alone = holdNs + lockOverheadNs, others = costs.saturatedNs * (threads - 1);
  if (others <= 0)
    return alone;
  if (cycleNs <= others)
    return std::numeric_limits<double>::infinity();
  const double taken = others / cycleNs;
  return alone + (1 - taken) * costs.transferNs + costs.failureNs * taken / (1 - taken);
}

} // namespace qdadvise
