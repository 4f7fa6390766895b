// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/MutexPair.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

MutexPair::MutexPair(double holdNs, double lockOverheadNs, const Machine &machine)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), sleepNs(250) {
  const auto sleep = machine.scheduler.find("sleep_ns");
  if (sleep != machine.scheduler.end())
    sleepNs = sleep->second.value;
  // A sleeper waits for the rest of an exponential holding time: means over its
  // distribution, at the middles of 16 equally likely intervals.
  constexpr int points = 16;
  for (int i = 0; i < points; ++i) {
    const double slept = sleepNs - holdNs * std::log((i + 0.5) / points);
    const WakeupCost cost = machine.wakeupAfter(slept);
    latencyNs += cost.latencyNs / points;
    wakerNs += cost.wakerNs / points;
  }
}

double MutexPair::throughput(double localNs) const {
  // A thread is away for at least a nanosecond: the limit of none is the same.
  const double local = std::max(localNs + lockOverheadNs, 1.0);
  const double a = 1 / local;
  const double hold = std::max(holdNs, 1e-3);
  const double m = 1 / hold;
  const double g = a + m;
  const double q = a / g;                       // the other arrives while it is held
  const double phi = std::exp(-sleepNs / hold); // and is asleep before the release
  const double barge = std::max(0.0, latencyNs - wakerNs);
  const double gone = -std::expm1(-g * barge);
  const double p = q * gone; // still held by the barging thread when the sleeper is awake
  const double n = barge * a * m / g - a * m / (g * g) * gone; // sections done meanwhile
  const double retryNs = sleepNs + 80; // too late to sleep: the kernel returns at once
  // Both sides times q phi (1 - p), so that neither rare nor certain sleep divides by 0.
  const double done = (1 - p) + q * phi * (n + p);
  const double time = (1 - p) * (1 / g + (1 - q) * local / 2 + q * (1 - phi) * retryNs) +
                      q * phi * ((1 - p) * (sleepNs + holdNs) + latencyNs + p * holdNs);
  return done / time;
}

double MutexPair::contendedServiceNs(double localNs) const {
  const double alone = holdNs + lockOverheadNs;
  if (alone <= 0)
    return 0;
  // Rare meetings say nothing in floating point; they hardly matter either.
  const double local = std::min(localNs, 1e6 * alone);
  // G(2)/G(1) = 1/X of the machine repair model with S(1) = alone, solved for S(2).
  const double service =
      ((local + alone) / throughput(local) - local * local / 2 - local * alone) / alone;
  return std::max(service, holdNs);
}

} // namespace qdadvise
