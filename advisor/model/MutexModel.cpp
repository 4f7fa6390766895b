// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/MutexModel.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// How often the mutex's line is fetched, per acquisition, by attempts that the kernel sends back,
/// where none falls asleep: found with the virtual multicore.
constexpr double fetchesSentBack = 3;

/// Of the acquisitions of a mutex for which there are always sleepers, those that found it taken.
constexpr double takenOfMany = 0.5;

} // namespace

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine,
                       const MovementTimes &moved, double cv2)
    : SleepingModel(holdNs + moved.same, lockOverheadNs, machine),
      regularity(std::min(1.0, (1 + cv2) / 2)), changedNs(moved.handed - moved.same),
      pairWakeup(wakeupAfterRestOf(this->holdNs + changedNs / 2)) {}

MutexModel::Barging MutexModel::barging(double awayNs, const WakeupCost &wakeup) const {
  const double ns = std::max(0.0, wakeup.latencyNs - wakeup.wakerNs);
  const double c = 1 / backNs(awayNs), m = 1 / ownNs(), r = c + m;
  const double gone = -std::expm1(-r * ns);
  return {ns * c * m / r - c * m / (r * r) * gone, c / r * gone};
}

MutexModel::Pair MutexModel::pair(double awayNs, int threads) const {
  // Who barges still has the mutex's line, and the data.
  const double away = backNs(awayNs) + transferNs(2), a = 1 / away;
  // Any other section follows one of the other thread with probability (1 + q)/2, where q = a
  // hold / (1 + a hold): the other comes while it is held.
  const double b = 1 - a * (holdNs + changedNs), c = std::max(holdNs + changedNs / 2, 1e-3);
  const double root = std::sqrt(b * b + 4 * a * c);
  const double hold = b > 0 ? 2 * c / (root + b) : (root - b) / (2 * a);
  // While an attempt fetches the line, the release that it would wait for has to wait for that.
  // With more threads this is in the time between two acquisitions.
  const double meets = hold + (threads > 2 ? 0 : transferNs(2));
  const double g = a + 1 / meets, q = a / g;
  const double asleep = q * std::exp(-sleepNs / hold); // before the release
  const auto [n, p] = barging(awayNs, pairWakeup);
  // All times 1 - p, so that certain sleep divides by nothing.
  return {(1 - p) + asleep * (n + p),
          (1 - p) * (1 / g + (1 - q) * away / 2 + (q - asleep) * (sleepNs + sentBackNs)) +
              asleep * ((1 - p) * (sleepNs + hold) + pairWakeup.latencyNs + p * holdNs),
          (1 - p) * q, (1 - p) * (1 + q) / 2};
}

double MutexModel::pairThroughput(double awayNs, int threads) const {
  const Pair two = pair(awayNs, threads);
  return two.sections / two.ns;
}

/// One thread goes round and has the mutex, until once, when one that it woke is awake, it is
/// away; then this one does, and finds no other but asleep.
SleepingModel::Saturated MutexModel::oneAwake(double transferNs, const Barging &barging,
                                              const WakeupCost &wakeup) const {
  const auto [n, p] = barging;
  const double changes = (1 - p) / (1 + n), hold = holdNs + changes * changedNs;
  const double ns =
      (1 - p) * (holdNs + changedNs + lockOverheadNs + transferNs) + wakeup.latencyNs + p * holdNs;
  return {ns / (1 + n), hold, changes, changes};
}

/// Of the attempts that find it taken, those that are asleep before it is free; never none.
double MutexModel::asleepShare(double takenNs) const {
  return std::max(1e-9, std::exp(-sleepNs / std::max(takenNs, 1e-3)));
}

/// The time held, and the time free until the woken thread or a barging one has it.
double MutexModel::manyAwakeNs(double holdNs, double transferNs, double awayNs,
                               const WakeupCost &wakeup) const {
  const double taken = holdNs + lockOverheadNs + transferNs;
  // Free until the sooner of the woken thread and the waker, back from its call ...
  const double waker = std::min(wakeup.wakerNs, wakeup.latencyNs);
  const double away = backNs(awayNs);
  const double free = waker - away * std::expm1(-(wakeup.latencyNs - waker) / away);
  // ... unless somebody else comes first: S = taken + (1 - exp(-b free / S)) S / b, by
  // Newton's method; the slope lies between 1 - 1/b and 1.
  // Attempts per acquisition: the one that succeeds, and those that fail, of which one falls
  // asleep, as each release wakes one sleeper only, and the others find it free before they do.
  const double asleep = asleepShare(taken), b = 1 + 1 / (asleep * regularity);
  double saturated = taken + free;
  for (int i = 0; i < 30; ++i) {
    const double x = b * free / saturated, none = -std::expm1(-x);
    const double step =
        (saturated - taken - saturated / b * none) / (1 - (none - x * std::exp(-x)) / b);
    saturated = std::max(taken, saturated - step);
    if (std::abs(step) <= 1e-12 * saturated)
      break;
  }
  return saturated + fetchesSentBack * (1 - asleep) * transferNs;
}

SleepingModel::Saturated MutexModel::saturated(int threads, double visitors, double awayNs,
                                               double sleptNs) const {
  const Pair two = pair(awayNs, threads);
  const double changesOfTwo = two.changes / two.sections;
  if (holdNs + changedNs <= 0) // never found taken
    return {lockOverheadNs + (threads > 2 ? transferNs(visitors) : 0), 0, 0};
  if (threads <= 2) // one sleeps while the other barges, undisturbed
    return {manyAwakeNs(holdNs + changesOfTwo * changedNs, 0, awayNs, pairWakeup),
            holdNs + changesOfTwo * changedNs, two.taken / two.sections, changesOfTwo};
  const WakeupCost wakeup = machine.wakeupAfter(sleepNs + std::max(holdNs, sleptNs));
  const double transfer = transferNs(visitors);
  const Barging meanwhile = barging(awayNs, wakeup);
  const Saturated one = oneAwake(transfer, meanwhile, wakeup);
  // Of two in a row the same one as often as of two threads, or of so many that come at random.
  const double changes = std::max(0.0, 1 - 2 / visitors * (1 - changesOfTwo));
  const double hold = holdNs + changes * changedNs;
  const double others = 1 - 1 / visitors; // that come at random
  const double manyNs =
      manyAwakeNs(hold, others > 0 ? transfer * changes / others : 0, awayNs, wakeup);
  // There is one awake where in every section until a woken thread is awake whoever else is
  // away comes back, and is asleep before its end.
  const double share = std::exp(-2 * sleepNs / ownNs()) *
                       std::pow(ownNs() / (ownNs() + backNs(awayNs)), 1 + meanwhile.sections);
  const auto mean = [share](double ofOne, double ofMany) {
    return share * ofOne + (1 - share) * ofMany;
  };
  return {mean(one.ns, manyNs), mean(one.holdNs, hold), mean(one.taken, takenOfMany),
          mean(one.taken, changes)};
}

} // namespace qdadvise
