// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/MutexModel.h"

#include "advisor/model/numeric/Fixpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine,
                       const MovementTimes &coherenceMiss, const Variation &variation,
                       double mixing, const FailureAccesses &ofFailure)
    : SleepingModel(holdNs + coherenceMiss.same, lockOverheadNs, machine, variation),
      changedNs(coherenceMiss.handed - coherenceMiss.same), mixing(mixing), ofFailure(ofFailure),
      pairWakeup(wakeupAfterRestOf(this->holdNs + changedNs / 2)) {}

MutexModel::Barging MutexModel::barging(double awayNs, const Wakeup &wakeup) const {
  const double away = backNs(awayNs), hold = ownNs(), c = 1 / away, m = 1 / hold, r = c + m;
  const double gone = wakeup.meanOverGaps([r](double ns) { return -std::expm1(-r * ns); });
  const double has = c / r * gone;
  const Barging varying{wakeup.gapNs() * c * m / r - c * m / (r * r) * gone, has, has * hold};
  const double cv2 = variation.hold;
  if (cv2 == 1)
    return varying;
  // Times that do not vary: begun sections b, of which the rest of the last one is to come, keep
  // it b s - rest of the time, and one begins per c of the others.
  Barging even;
  for (const double ns : wakeup.gapsNs) {
    const bool first = ns <= hold; // none has ended
    const double taken = first ? -std::expm1(-c * ns) : hold / (hold + away);
    const double rest = first ? taken * (hold + away) - ns : taken * hold / 2;
    even.sections += (ns + rest) / (hold + away) - taken;
    even.takenAtWakeup += taken;
    even.restNs += rest;
  }
  const auto mixed = [&](double Barging::*figure) {
    const auto count = static_cast<double>(wakeup.gapsNs.size());
    return cv2 * varying.*figure + (1 - cv2) * even.*figure / count;
  };
  return {mixed(&Barging::sections), mixed(&Barging::takenAtWakeup), mixed(&Barging::restNs)};
}

/// What one thread meets of a section of the other, of an exponential time or one that does not
/// vary, or in between: probabilities that it comes while that lasts, and is asleep before its end,
/// and how long it lasts then.
MutexModel::Meeting MutexModel::meeting(double heldNs, double lineNs, double awayNs) const {
  const auto mixed = [this](double varying, double even) {
    return variation.hold * varying + (1 - variation.hold) * even;
  };
  const double held = std::max(heldNs, 1e-3), all = (held + lineNs) / awayNs;
  const double comes = mixed(all / (1 + all), -std::expm1(-all));
  const double early = std::max(0.0, held - sleepNs), sleeps = -std::expm1(-early / awayNs);
  const double varying = held / (held + awayNs) * std::exp(-sleepNs / held);
  return {comes, mixed(varying, sleeps),
          mixed(varying * held, sleeps > 0 ? early - awayNs * sleeps : 0)};
}

SleepingModel::Two MutexModel::two(double awayNs, int threads) const {
  // Who barges still has the mutex's line, and the data.
  const double away = backNs(awayNs) + transferNs(2);
  // While an attempt fetches the line, the release that it would wait for has to wait for that.
  // With more threads this is in the time between two acquisitions.
  const double line = threads > 2 ? 0 : transferNs(2);
  // Any other section follows one of the other thread with probability (1 + q)/2: the other comes
  // while it is held.
  const Meeting changed = meeting(holdNs + changedNs, line, away),
                same = meeting(holdNs, line, away);
  const double q = (changed.comes + same.comes) / (2 - changed.comes + same.comes);
  const auto mean = [&](double ofChanged, double ofSame) {
    return (1 + q) / 2 * ofChanged + (1 - q) / 2 * ofSame;
  };
  const double asleep = mean(changed.sleeps, same.sleeps);
  const auto [n, p, restNs] = barging(awayNs, pairWakeup);
  // Of those who find it taken when they are awake, so many sleep again.
  const double again = same.comes > 0 ? p * same.sleeps / same.comes : 0, once = 1 - again;
  // All times 1 - again, so that certain sleep divides by nothing. Who was asleep, or might have
  // been, calls in vain after its section.
  // Sections between two meetings that are kept at a distance follow the other thread's.
  const double inStep =
      once * (q > 0 ? q * sectionsInStep(ownNs(), away, asleep / q, pairWakeup, true) : 0);
  const double sections = once + asleep * (n + p) + inStep;
  const double ns =
      once * ((1 + q) * away / 2 + (q - asleep) * (sleepNs + sentBackNs + nobodyWokenNs) +
              asleep * (sleepNs + nobodyWokenNs / 2) + mean(changed.restNs, same.restNs)) +
      asleep * (pairWakeup.latencyNs + restNs) + inStep * (holdNs + changedNs + away) / 2;
  const double changes = (once * (1 + q) / 2 + inStep) / sections;
  return {sections / ns, holdNs + changes * changedNs, once * q / sections, changes};
}

/// While there are always sleepers, every wake-up leads to another: a section that somebody who
/// was woken comes to, to have it or to sleep again, is marked, and its release wakes the next. So
/// do the sections of others who find it taken. One mark in a section is as good as several.
MutexModel::Wakeups MutexModel::wakeups(double awayNs, const Barging &barging, double wakerNs,
                                        double takenNs, double each) const {
  const double asleep = asleepShare(takenNs), p = barging.takenAtWakeup;
  // Who is away, or back from waking, finds the other in its section.
  const double found = takenNs / (takenNs + backNs(awayNs));
  const double foundAfterCall = found * std::exp(-wakerNs / takenNs);
  // Marks besides the first, by whoever has to find it taken until only one is awake again. Who is
  // sent back has it, and marks it, while the one before is in its call.
  const double more = (1 - p) * (1 - found) + (1 - asleep) / asleep * (2 - foundAfterCall);
  // x = 1 - exp(-(1 + more) x), by Newton's method from where the function rises; or a single one
  // goes on alone. Who asks anew from what was found needs no more than two steps.
  for (int i = 0; i < 2; ++i) {
    const double marked = -std::expm1(-(1 + more) * each), slope = 1 - (1 + more) * (1 - marked);
    const double next = slope > 0 ? std::min(1.0, each - (each - marked) / slope) : 1;
    if (std::abs(std::exchange(each, next) - next) <= 1e-10)
      break;
  }
  each = std::max(each, 1 / (1 + barging.sections));
  const double stayAwake = each * (1 - p * asleep);
  // As many more are awake, at random, as make up for those who find it taken and sleep.
  const double back = backNs(awayNs) + each * wakerNs;
  const double leave = asleep * takenNs / (takenNs + back);
  return {each, std::min(1.0, stayAwake / asleep), std::exp(-stayAwake / leave)};
}

/// One thread goes round and has the mutex, until once, when one that it woke is awake, it is
/// away; then this one does, and finds no other but asleep.
SleepingModel::Saturated MutexModel::oneAwake(double transferNs, const Barging &barging,
                                              const Wakeup &wakeup, const Wakeups &woken) const {
  const auto [n, p, restNs] = barging;
  const double changes = woken.each * (1 - p), hold = holdNs + changes * changedNs;
  const double ns =
      (1 - p) * (holdNs + changedNs + lockOverheadNs + transferNs) + wakeup.latencyNs + restNs;
  return {ns / (1 + n), hold, woken.taken, changes};
}

/// Of the attempts that find it taken, those that are asleep before it is free; never none.
double MutexModel::asleepShare(double takenNs) const {
  return std::max(1e-9, std::exp(-sleepNs / std::max(takenNs, 1e-3)));
}

/// The time held, and then the time free until a woken or a barging thread has it; a fixpoint.
MutexModel::Cycle MutexModel::manyAwake(double holdNs, double lineNs, double awayNs,
                                        const Barging &barging, const Wakeup &wakeup,
                                        const Saturated &before) const {
  const double held = holdNs + lockOverheadNs, latencyNs = wakeup.latencyNs;
  const double backNs = this->backNs(awayNs);
  Broyden<3> found(
      {before.ns > 0 ? before.ns : held + lineNs + latencyNs / 2, before.asleep, before.wakeups});
  Cycle cycle;
  for (int i = 0; i < 100; ++i) {
    const auto [ns, asleep, each] = found.at();
    const double fails = each / asleep; // attempts; as many fall asleep as are woken
    // Each takes the line away from who has the mutex and from who is next, and all fetches wait
    // in line.
    const double lineBusy = std::min(1.0, ofFailure.fetches * fails * lineNs / ns);
    const double takenNs = held + ofFailure.delaying * fails * lineNs * (1 + 2 * lineBusy);
    const double taken = std::min(1.0, takenNs / ns);
    cycle = {ns, asleep, wakeups(awayNs, barging, wakeup.wakerNs, takenNs, each)};
    const Wakeups &woken = cycle.woken;
    // Who was sent back has it as soon as it is free. Of others, those who are away come at
    // random, and are as many less while it is taken as one has it.
    const double sentBack = std::clamp((1 - asleep) * fails, 0.0, 1.0);
    const double back = 1 / ns + taken / (backNs + woken.each * wakeup.wakerNs);
    // So do those woken at earlier releases, until a latency after the last of these; then the
    // one woken now.
    const double both = back + woken.each / ns;
    const double earlierNs = std::max(0.0, latencyNs - takenNs);
    const double early = -std::expm1(-both * earlierNs),
                 later = -std::expm1(-back * (latencyNs - earlierNs));
    const double free =
        early / both + (1 - early) * (later + (1 - woken.each) * (1 - later)) / back;
    // Asleep are those who are so before the section that they met ends, or meet another one then,
    // marked by others.
    const double still = asleepShare(takenNs), again = -std::expm1(-sleepNs / ns);
    const double error =
        found.approach({takenNs + (1 - sentBack) * free,
                        still + (1 - still) * again * again * woken.each * taken, woken.each});
    if (error <= 1e-8)
      break;
  }
  return cycle;
}

SleepingModel::Saturated MutexModel::saturated(const Two &two, double visitors, double awayNs,
                                               double sleptNs, const Saturated &before) const {
  const double transfer = transferNs(visitors);
  if (holdNs + changedNs <= 0) // never found taken
    return {lockOverheadNs + transfer, 0, 0};
  const Wakeup wakeup = wakeupAfter(sleepNs + std::max(holdNs, sleptNs));
  const Barging meanwhile = barging(awayNs, wakeup);
  // Of two in a row the same one as often as of two threads, or of so many that come at random.
  const double changes = std::max(0.0, 1 - 2 / visitors * (1 - *two.changes));
  const double hold = holdNs + changes * changedNs;
  const double others = 1 - 1 / visitors; // that come at random
  const double line = others > 0 ? lineNs(visitors) * changes / others : 0;
  const Cycle many = manyAwake(hold, line, awayNs, meanwhile, wakeup, before);
  const Wakeups &woken = many.woken;
  const Saturated one = oneAwake(transfer, meanwhile, wakeup, woken);
  const double freeChanges = 1 - 1 / std::max(1.0, mixing * visitors);
  // There is one awake all the time where in every section until a woken thread is awake whoever
  // else is away comes back, and is asleep before its end.
  const double share = std::exp(-2 * sleepNs / ownNs()) *
                       std::pow(ownNs() / (ownNs() + backNs(awayNs)), 1 + meanwhile.sections);
  const auto mean = [](double weight, double ofOne, double ofMany) {
    return weight * ofOne + (1 - weight) * ofMany;
  };
  Saturated result{mean(share, one.ns, many.ns), mean(woken.alone, one.holdNs, hold), woken.taken,
                   mean(woken.alone, *one.changes, changes)};
  result.wakeups = woken.each;
  result.asleep = many.asleep;
  result.free = {holdNs + freeChanges * changedNs, freeChanges};
  return result;
}

} // namespace qdadvise
