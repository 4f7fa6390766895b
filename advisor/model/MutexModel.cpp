// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/MutexModel.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// Attempts per acquisition that do not come from the thread just woken, while there are
/// always sleepers: the one that succeeds, and one that fails. More cannot fail for long, as
/// each release wakes one sleeper only.
constexpr double attemptsPerAcquisition = 2;

} // namespace

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine)
    : SleepingModel(holdNs, lockOverheadNs, machine), pairWakeup(wakeupAfterRestOf(holdNs)) {}

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

double MutexModel::saturatedNs(int threads, double awayNs, double sleptNs) const {
  // Of two threads one sleeps while the other barges, undisturbed.
  const bool pair = threads <= 2;
  const double taken = holdNs + lockOverheadNs + (pair ? 0 : transferNs(threads));
  if (holdNs <= 0) // never found taken
    return taken;
  const WakeupCost wakeup =
      pair ? pairWakeup : machine.wakeupAfter(sleepNs + std::max(holdNs, sleptNs));
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

} // namespace qdadvise
