// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/MutexModel.h"

#include "advisor/model/numeric/Fixpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {

namespace {

/// The fixpoint of many awake threads.
constexpr int mostRounds = 100;
constexpr double tolerance = 1e-10;
/// Newton's method for the wake-ups. It starts from the round before, and needs no more steps.
constexpr int newtonSteps = 2;
constexpr int newtonCalls = 5; ///< where there is no round before
constexpr double newtonTolerance = 1e-10;
constexpr double leastAsleep = 1e-9; ///< share of the failing attempts
/// Share of the time in which others would have the mutex. Below it no two threads wait at a time.
constexpr double seldom = 1e-4;

/// 1 - e^-x. expm1 takes four times as long as exp, which loses no more than two digits from 0.01
/// on, and rounding makes it 1 at last.
double within(double x) {
  constexpr double rounds = 0.01, surely = 40;
  return x > surely ? 1 : x > rounds ? 1 - std::exp(-x) : -std::expm1(-x);
}

} // namespace

MutexModel::MutexModel(double holdNs, double lockOverheadNs, const Machine &machine,
                       const MovementTimes &coherenceMiss, const Variation &variation,
                       double mixing, const FailureAccesses &ofFailure,
                       const Reacquisitions &returns)
    : SleepingModel(holdNs + coherenceMiss.same, lockOverheadNs, machine, variation),
      kinds(kindsOf(variation.hold)), changedNs(coherenceMiss.handed - coherenceMiss.same),
      mixing(mixing), ofFailure(ofFailure), returns(returns),
      pairWakeup(wakeupAfterRestOf(this->holdNs + changedNs / 2)) {}

std::array<MutexModel::SectionKind, 2> MutexModel::kindsOf(double cv2) {
  // Both kinds take the same time together.
  const double apart = cv2 > 1 ? std::sqrt((cv2 - 1) / (cv2 + 1)) : 0;
  if (apart <= 0)
    return {{{1, 1}, {0, 1}}};
  return {{{(1 + apart) / 2, 1 / (1 + apart)}, {(1 - apart) / 2, 1 / (1 - apart)}}};
}

MutexModel::Away MutexModel::awayOf(double meanNs) const {
  const double restNs =
      returns.share < 1 ? (meanNs - returns.localNs * returns.share) / (1 - returns.share) : 0;
  if (returns.share <= 0 || restNs <= returns.localNs)
    return {0, backNs(meanNs), backNs(meanNs)};
  return {returns.share, backNs(returns.localNs), backNs(restNs)};
}

MutexModel::Barging MutexModel::barging(const Away &away, const Wakeup &wakeup) const {
  // A chain of three states: away for a short or a long time, and in the section (MX30). Its
  // probabilities are sums of two exponentials.
  const double hold = ownNs(), m = 1 / hold, c1 = 1 / away.soonNs, c2 = 1 / away.laterNs;
  const double soon = away.share, rates = c1 + c2 + m;
  const double product = c1 * c2 + m * (c1 * (1 - soon) + c2 * soon);
  const double root = std::sqrt(std::max(0.0, rates * rates - 4 * product));
  const double fast = (rates + root) / 2, slow = product / fast;
  const double first = soon * c1 + (1 - soon) * c2, rest = c1 * c2 / product;
  const double ofFast = root > 0 ? (first - slow * rest) / root : 0, ofSlow = rest - ofFast;
  Barging varying, even;
  const double cv2 = variation.hold;
  for (const double ns : wakeup.gapsNs) {
    const double byFast = ofFast * within(fast * ns), bySlow = ofSlow * within(slow * ns);
    const double taken = byFast + bySlow;
    const double completed = m * (rest * ns - byFast / fast - bySlow / slow);
    varying.sections += completed;
    varying.takenAtWakeup += taken;
    varying.restNs += taken * hold;
    if (cv2 == 1)
      continue;
    // Times that do not vary (MX9): no section that began has ended, or many have.
    if (ns <= hold) {
      const double early = soon * within(c1 * ns), late = (1 - soon) * within(c2 * ns);
      even.takenAtWakeup += early + late;
      even.restNs += early * (hold + away.soonNs) + late * (hold + away.laterNs) - ns;
    } else {
      even.sections += completed;
      even.takenAtWakeup += taken;
      even.restNs += taken * hold / 2;
    }
  }
  const auto mixed = [&](double Barging::*figure) {
    const auto count = static_cast<double>(wakeup.gapsNs.size());
    return (cv2 * varying.*figure + (1 - cv2) * even.*figure) / count;
  };
  return {mixed(&Barging::sections), mixed(&Barging::takenAtWakeup), mixed(&Barging::restNs)};
}

MutexModel::Barging MutexModel::barging(double awayNs, const Wakeup &wakeup) const {
  const double away = backNs(awayNs), hold = ownNs(), c = 1 / away, m = 1 / hold, r = c + m;
  const double gone = wakeup.meanOverGaps([r](double ns) { return within(r * ns); });
  const double has = c / r * gone;
  const Barging varying{wakeup.gapNs() * c * m / r - c * m / (r * r) * gone, has, has * hold};
  const double cv2 = variation.hold;
  if (cv2 == 1)
    return varying;
  // Times that do not vary (MX9): b sections begin. They keep the mutex for b s, less the rest of
  // the last one. In the other time they begin at rate c.
  Barging even;
  for (const double ns : wakeup.gapsNs) {
    const bool first = ns <= hold; // no section has ended
    const double taken = first ? within(c * ns) : hold / (hold + away);
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

/// A section's time is exponential or does not vary, or it is in between.
double MutexModel::mixed(double varying, double even) const {
  return variation.hold * varying + (1 - variation.hold) * even;
}

/// A release that was met fetches the line anew. Until then the thread that met it may fall asleep
/// (MX27).
MutexModel::Meeting MutexModel::meeting(double heldNs, double fetchNs, double awayNs) const {
  const double held = std::max(heldNs, leastHoldNs);
  const auto whileIn = [awayNs](double ns) { return ns / (ns + awayNs); };
  const auto varying = [&](double ns) { return whileIn(ns) * std::exp(-sleepNs / ns); };
  const double comes = mixed(overKinds(held, whileIn), -std::expm1(-held / awayNs));
  const double early = std::max(0.0, held - sleepNs), sleeps = -std::expm1(-early / awayNs);
  // Who came while the other one fetched the line waits for that first.
  const double late = std::max(0.0, sleepNs - fetchNs / lineNs.readAndWrite);
  const auto lasts = [late](double ns) { return std::exp(-late / ns); };
  const auto rest = [](auto figure) { return [figure](double ns) { return figure(ns) * ns; }; };
  const bool surely = sleepNs < fetchNs;
  return {.comes = comes,
          .sleeps = surely ? comes : mixed(overKinds(held, varying), sleeps),
          .restNs = mixed(overKinds(held, rest(varying)), sleeps > 0 ? early - awayNs * sleeps : 0),
          .beforeNs = awayNs * comes,
          .lateSleeps = surely ? 1 : mixed(overKinds(held, lasts), held > late ? 1 : 0),
          .lateRestNs = mixed(overKinds(held, rest(lasts)), std::max(0.0, held - late))};
}

/// A section follows one of the other thread with probability (1 + q)/2, where the other comes
/// before its end with probability q. Where both are away, one of them has the line, and the other
/// one fetches it. So does a thread that the kernel sends back. Who comes meanwhile meets the other
/// one (MX6).
MutexModel::Meetings MutexModel::meetings(double fetchNs, double awayNs) const {
  const Meeting changed = meeting(holdNs + changedNs, fetchNs, awayNs),
                same = meeting(holdNs, fetchNs, awayNs);
  const double early = std::max(0.0, sleepNs - fetchNs), even = std::max(0.0, 1 - early / ownNs());
  const auto lasts = [early](double ns) { return std::exp(-early / ns); };
  const double sleepsAgain = mixed(overKinds(ownNs(), lasts), even);
  const double crosses = -std::expm1(-fetchNs / awayNs) / 2;
  const double crossesBack =
      (1 - sleepsAgain) * -std::expm1(-fetchNs / lineNs.readAndWrite / awayNs);
  // 1 - q is a root of a quadratic.
  const double alone = 1 - changed.comes, more = (changed.comes - same.comes) / 2;
  const double apart = crosses - crossesBack, first = 1 - crossesBack;
  const double linear = 1 + apart * alone - first * more;
  const double unmet =
      2 * first * alone / (linear + std::sqrt(linear * linear + 4 * apart * more * first * alone));
  const double q = 1 - unmet, late = unmet * crosses + q * crossesBack;
  const auto mean = [&](double Meeting::*figure) {
    return (1 - late) * ((1 + q) / 2 * changed.*figure + (1 - q) / 2 * same.*figure);
  };
  const double inTime = mean(&Meeting::comes);
  return {.q = q,
          .sleeps = mean(&Meeting::sleeps) + late * changed.lateSleeps,
          .sleepsAgain = sleepsAgain,
          .againRestNs =
              mixed(overKinds(ownNs(), [&](double ns) { return ns * lasts(ns); }), ownNs() * even),
          .freelyNs = mean(&Meeting::beforeNs),
          .beforeNs =
              mean(&Meeting::beforeNs) + inTime * fetchNs + late * fetchNs / lineNs.readAndWrite,
          .restNs = mean(&Meeting::restNs) + late * changed.lateRestNs};
}

MutexModel::Meetings MutexModel::Meetings::rarer(double share, double sectionNs) const {
  Meetings result = *this;
  for (double Meetings::*figure : {&Meetings::q, &Meetings::sleeps, &Meetings::restNs})
    result.*figure *= share;
  result.freelyNs = share * freelyNs + (1 - share) * sectionNs;
  result.beforeNs = share * beforeNs + (1 - share) * sectionNs;
  return result;
}

double MutexModel::elsewhereNs(double awayNs) const { return awayOf(awayNs).laterNs; }

SleepingModel::Two MutexModel::two(double awayNs, int threads) const {
  // A thread that barges in still has the mutex's line and the data. Others fetch the line (MX5).
  return pair(awayNs, lineNs.readAndWrite * lineNs.fromOther(threads));
}

SleepingModel::Two MutexModel::pair(double awayNs, double fetch) const {
  const double next = backNs(awayNs);
  Meetings meeting = meetings(fetch, next);
  // A thread that the kernel sends back fetches the line. Meanwhile the other one, which has called
  // the kernel in vain, may have the mutex again.
  const double refusedNs = sleepNs + sentBackNs, leftNs = refusedNs - fetch - nobodyWokenNs;
  Wakeup refused, inVain;
  refused.gapsNs.fill(std::max(0.0, leftNs));
  const Barging meanwhile = barging(awayNs, refused);
  const double stays = 1 / (1 - meanwhile.takenAtWakeup * (1 - meeting.sleepsAgain));
  // In the section of a thread that was sent back the other one may still be in its call (MX38).
  const double beside = comesBeside(leftNs, ownNs()), unmet = 1 - beside * meeting.q;
  const double sentBack = (meeting.q - meeting.sleeps) * stays * (1 - meanwhile.takenAtWakeup);
  meeting = meeting.rarer(1 / (1 + sentBack * (1 - beside)), ownNs());
  const auto [q, sleeps, sleepsAgain, againRestNs, freelyNs, beforeNs, metRestNs] = meeting;
  const double awake = (q - sleeps) * stays;
  const double refusedAgain = awake * meanwhile.takenAtWakeup;
  const double asleep = sleeps + refusedAgain * sleepsAgain;
  const auto [n, p, restNs] = barging(awayNs, pairWakeup);
  // So many of those that find the mutex taken when they are awake sleep again.
  const double again = p * sleepsAgain, once = 1 - again;
  // Everything is times 1 - again, so that nothing divides by 0 if sleep is certain. A thread that
  // was asleep, or might have been, calls the kernel in vain after its section. Between two
  // meetings threads in step alternate (MX10).
  const double inStep =
      once * (q > 0 ? q * sectionsInStep(ownNs(), next, fetch, asleep / q, pairWakeup, true) : 0);
  inVain.gapsNs.fill(std::max(0.0, nobodyWokenNs - fetch));
  const double during = unmet * barging(awayNs, inVain).sections;
  const double sections =
      once * (1 + awake * (meanwhile.sections + meanwhile.takenAtWakeup + during)) +
      asleep * (n + p) + inStep;
  const double ns = once * (beforeNs + (1 - q) * (next + fetch) / 2 +
                            awake * (refusedNs + fetch / lineNs.readAndWrite + nobodyWokenNs) +
                            asleep * (std::max(sleepNs, fetch) + nobodyWokenNs / 2) + metRestNs +
                            refusedAgain * againRestNs) +
                    asleep * (pairWakeup.latencyNs + wokenFetches(p) * fetch + restNs) +
                    inStep * (holdNs + changedNs + next + fetch) / 2;
  const double changes = (once * (1 + q) / 2 + inStep) / sections, loose = ns / sections;
  // The more often, the shorter rounds are than a fetch (MX26).
  const double tight = std::exp(-(ownNs() + next) / fetch);
  const double part = 1 - tight * std::max(0.0, 1 - tightNs(awayNs, 2) / loose);
  const double freeNs = once * (freelyNs + (1 - q) * (next + fetch) / 2);
  return {1 / (part * loose),
          holdNs + part * changes * changedNs,
          part * part * once * q / sections,
          part * changes,
          1 - freeNs / ns,
          {q > 0 ? asleep / q : 0, 1 / (1 + n), pairWakeup.gapNs(), pairWakeup.wakerNs}};
}

KeptLock MutexModel::keptBy(const Keeper &keeper, double waitNs) const {
  // The first in line sleeps for the rest of a section, the others for longer.
  const double inLine = std::max(0.0, 1 - 1 / std::max(keeper.waiters, 1.0));
  const Wakeup wakeup = wakeupAfter(sleepNs + std::max(holdNs, inLine * waitNs));
  // Others may take the mutex first. Then its own section is not the next one.
  const Away own = awayOf(keeper.awayNs);
  const auto withOthers = [&](double ns) { return 1 / (1 / ns + keeper.othersPerNs); };
  const Away away{own.share, withOthers(own.soonNs), withOthers(own.laterNs)};
  const double isOwn =
      own.share * away.soonNs / own.soonNs + (1 - own.share) * away.laterNs / own.laterNs;
  const Barging meanwhile = barging(away, wakeup);
  const auto [n, p, restNs] = meanwhile;
  // A release wakes a sleeper if somebody has marked the section, and if one is left.
  double each = 1;
  for (int i = 0; i < newtonCalls; ++i)
    each = wakeups(away, meanwhile, wakeup.wakerNs, ownNs(), each).each;
  const double roundNs = ownNs() + away.share * away.soonNs + (1 - away.share) * away.laterNs;
  const double most = keeper.waiters * roundNs / (sleepNs + wakeup.latencyNs);
  each = std::max(std::min(each, most), 1 / (1 + n));
  // A woken thread that finds the mutex taken sleeps again. The next attempt is a part of a wake-up
  // later, as several are under way.
  const double asleep = asleepShare(ownNs()), fails = p * asleep;
  const double attempts = asleep * (1 + fails / (1 - fails) / ((1 + n) * each));
  return {(wakeup.latencyNs + restNs) * attempts, isOwn * (n + p) * attempts};
}

/// If there are always sleepers, every wake-up leads to another one. The woken thread has the mutex
/// or sleeps again. In either case it marks the section that it meets, and the release of that
/// section wakes the next sleeper. So do other threads that find the mutex taken. Several marks in
/// a section count as one.
MutexModel::Wakeups MutexModel::wakeups(const Away &away, const Barging &barging, double wakerNs,
                                        double takenNs, double each) const {
  const double asleep = asleepShare(takenNs), p = barging.takenAtWakeup;
  // Probability that a thread that was away, or back from a wake-up call, finds the mutex taken.
  const double found = away.backWithin(takenNs);
  const double foundAfterCall = found * std::exp(-wakerNs / takenNs);
  // Marks besides the first (MX22), by all that find the mutex taken until only one thread is awake
  // again. A thread that the kernel sends back has the mutex, and marks it, while the one before is
  // in its wake-up call.
  const double more = (1 - p) * (1 - found) + (1 - asleep) / asleep * (2 - foundAfterCall);
  // x = 1 - exp(-(1 + more) x) by Newton's method, from where the function rises. Otherwise a
  // single mark goes on alone.
  for (int i = 0; i < newtonSteps; ++i) {
    const double marked = within((1 + more) * each), slope = 1 - (1 + more) * (1 - marked);
    const double next = slope > 0 ? std::min(1.0, each - (each - marked) / slope) : 1;
    if (std::abs(std::exchange(each, next) - next) <= newtonTolerance)
      break;
  }
  each = std::max(each, 1 / (1 + barging.sections));
  const double stayAwake = each * (1 - p * asleep);
  // Threads that find the mutex taken fall asleep as often as woken ones stay awake.
  const double leave = asleep * away.backWithin(takenNs, each * wakerNs);
  return {each, std::min(1.0, stayAwake / asleep), std::exp(-stayAwake / leave)};
}

/// One thread is awake (MX14). It has the mutex again and again, until a thread that it woke finds
/// it away. Then that thread goes on, and all others are asleep.
SleepingModel::Saturated MutexModel::oneAwake(double transferNs, const Barging &barging,
                                              const Wakeup &wakeup, const Wakeups &woken) const {
  const auto [n, p, restNs] = barging;
  const double changes = woken.each * (1 - p), hold = holdNs + changes * changedNs;
  const double ns = (1 - p) * (holdNs + changedNs + lockOverheadNs) + wokenFetches(p) * transferNs +
                    wakeup.latencyNs + restNs;
  return {ns / (1 + n), hold, woken.taken, changes};
}

/// Share of the failing attempts that are asleep before the mutex is free (MX18); never 0.
double MutexModel::asleepShare(double takenNs) const {
  return std::max(leastAsleep, std::exp(-sleepNs / std::max(takenNs, leastHoldNs)));
}

/// Many threads are awake, and come once in `ns` while a woken one is on its way (MX35).
MutexModel::Barging MutexModel::amongMany(const Barging &ofOne, double ns, double takenNs,
                                          const Wakeup &wakeup) const {
  const double come = 1 / ns, changes = come + 1 / takenNs, share = come / changes;
  const double gone = wakeup.meanOverGaps([changes](double gap) { return within(changes * gap); });
  const double sections = share / takenNs * (wakeup.gapNs() - gone / changes);
  Barging many = ofOne;
  many.sections = mixed(std::max(ofOne.sections, sections / (1 + come * takenNs)), ofOne.sections);
  many.takenAtWakeup = mixed(std::max(ofOne.takenAtWakeup, share * gone), ofOne.takenAtWakeup);
  return many;
}

/// Many threads are awake (MX17). The mutex is taken, and then free until a woken or a barging
/// thread has it; a fixpoint.
MutexModel::Round MutexModel::manyAwake(int threads, double holdNs, const Line &line,
                                        const Away &away, const Barging &barging,
                                        const Wakeup &wakeup, const Saturated &before) const {
  const double held = holdNs + lockOverheadNs, latencyNs = wakeup.latencyNs;
  // From an attempt to the next one, if the thread is the first one to be woken.
  const double sleepsNs = sleepNs + latencyNs;
  Broyden<3> found({before.ns > 0 ? before.ns : held + line.anyNs + latencyNs / 2, before.asleep,
                    before.wakeups},
                   before.learned);
  Round round;
  for (int i = 0; i < mostRounds; ++i) {
    const auto [ns, asleep, each] = found.at();
    // With few threads hardly two of different sockets are awake (MX33).
    const double fits = std::min(1.0, (threads - 1) * ns / (each * sleepsNs));
    const double fetchNs = line.nearNs + std::sqrt(fits) * (line.anyNs - line.nearNs);
    const double fails = each / asleep; // attempts; as many fall asleep as are woken
    // Each of these takes the line away from the holder and from the next one (MX15). All fetches
    // queue for the line.
    const double lineBusy = std::min(1.0, ofFailure.fetches * fails * fetchNs / ns);
    const double takenNs = held + ofFailure.delaying * fails * fetchNs * (1 + lineBusy);
    const double taken = std::min(1.0, takenNs / ns);
    const Barging among = amongMany(barging, ns, takenNs, wakeup);
    round = {
        ns,   asleep, (held + takenNs) / 2, wakeups(away, among, wakeup.wakerNs, takenNs, each),
        fits, {}};
    const Wakeups &woken = round.woken;
    // A thread that was sent back has the mutex as soon as it is free. Threads that are away come
    // at random (MX16); while the mutex is taken, its holder is not among them.
    const double sentBack = std::clamp((1 - asleep) * fails, 0.0, 1.0);
    // So do threads that were woken at earlier releases, until a latency after the last of these.
    // Then the one that is woken now comes.
    const double earlierNs = std::max(0.0, latencyNs - takenNs),
                 kernelNs = woken.each * wakeup.wakerNs;
    const double others = (1 - away.share * takenNs / (takenNs + away.soonNs)) / ns;
    const auto freeIf = [&](double itself) {
      const double back = others + itself;
      const double both = back + woken.each / ns;
      const double early = within(both * earlierNs), later = within(back * (latencyNs - earlierNs));
      return early / both + (1 - early) * (later + (1 - woken.each) * (1 - later)) / back;
    };
    const double free = (away.share > 0 ? away.share * freeIf(1 / (away.soonNs + kernelNs)) : 0) +
                        (1 - away.share) * freeIf(taken / (away.laterNs + kernelNs));
    // An attempt falls asleep if it does so before the section that it met ends, or if it meets
    // another section then, which others have marked (MX18).
    const double still = asleepShare(takenNs), again = within(sleepNs / ns);
    const double error =
        found.approach({takenNs + (1 - sentBack) * free,
                        still + (1 - still) * again * again * woken.each * taken, woken.each});
    if (error <= tolerance) {
      round.learned = found.learned();
      break;
    }
  }
  return round;
}

SleepingModel::Saturated MutexModel::saturated(int threads, const Two &two, double perNs,
                                               const Cycle &cycle, const Saturated &before) const {
  const auto [awayNs, residenceNs, sleptNs, visitors, elsewhere, meets] = cycle;
  const double transfer = transferNs(visitors);
  if (holdNs + changedNs <= 0) // never found taken
    return {lockOverheadNs + transfer, 0, 0};
  const double freeChanges = 1 - 1 / std::max(1.0, mixing * visitors);
  const Saturated::Free free{holdNs + freeChanges * changedNs, freeChanges};
  if (perNs * (holdNs + lockOverheadNs) < seldom)
    return {
        .ns = holdNs + lockOverheadNs, .holdNs = two.holdNs, .changes = two.changes, .free = free};
  const Wakeup wakeup = wakeupAfter(sleepNs + std::max(holdNs, sleptNs));
  const Away away = awayOf(awayNs);
  const Barging meanwhile = away.share > 0 ? barging(away, wakeup) : barging(awayNs, wakeup);
  // A thread is next after itself as often as of two threads, scaled to the visitors (MX19).
  const double changes = std::max(0.0, 1 - 2 / visitors * (1 - *two.changes));
  const double hold = holdNs + changes * changedNs;
  const double others = 1 - 1 / visitors; // the next one is another thread, at random
  const double fetched = others > 0 ? lineNs.elsewhere(visitors) * changes / others : 0;
  const Line line{fetched * lineNs.fromOther(visitors), fetched * lineNs.sameSocketNs};
  const Round many = manyAwake(threads, hold, line, away, meanwhile, wakeup, before);
  const Wakeups &woken = many.woken;
  const Saturated one = oneAwake(transfer, meanwhile, wakeup, woken);
  // A single thread is awake all the time if all others come back during the sections until a woken
  // thread is awake, and are asleep before these end (MX20).
  const double share =
      std::exp(-2 * sleepNs / ownNs()) * std::pow(away.backWithin(ownNs()), 1 + meanwhile.sections);
  const auto mean = [](double weight, double ofOne, double ofMany) {
    return weight * ofOne + (1 - weight) * ofMany;
  };
  Saturated result{mean(share, one.ns, many.ns), mean(woken.alone, one.holdNs, hold), woken.taken,
                   mean(woken.alone, *one.changes, changes)};
  if (const double tight = tightNs(awayNs, visitors); tight < result.ns) {
    *result.changes *= tight / result.ns;
    result.ns = tight;
  }
  result.wakeups = woken.each;
  result.asleep = many.asleep;
  result.free = free;
  result.takenNs = many.takenNs;
  result.next = {woken.alone, woken.each, wakeup.gapNs(), wakeup.wakerNs};
  result.learned = many.learned;
  if (many.fits < 1 && lineNs.crossSocketNs > lineNs.sameSocketNs) {
    // Two of a socket meet as often as two of different sockets (MX34).
    const double near = lineNs.sameSocketNs, far = lineNs.crossSocketNs;
    const double apart = (lineNs.fromOther(threads) - near) / (far - near);
    const double ofPairs = (1 - apart) * pair(awayNs, lineNs.readAndWrite * near).perNs +
                           apart * pair(awayNs, lineNs.readAndWrite * far).perNs;
    result.pairPerNs = many.fits * two.perNs + (1 - many.fits) * ofPairs;
  }
  return result;
}

MutexModel mutexOf(const StationLoad &load, double lockOverheadNs, const Machine &machine) {
  const MovementTimes coherenceMiss{load.coherenceMiss.free * load.stretch,
                                    load.coherenceMiss.handed * load.stretch,
                                    load.coherenceMiss.same * load.stretch};
  return {load.holdNs * load.stretch,
          lockOverheadNs * load.stretch,
          machine,
          coherenceMiss,
          {load.cv2, load.awayCv2},
          load.mixing,
          FailureAccesses(),
          {load.revisit.again * load.share, load.revisit.againNs}};
}

} // namespace qdadvise
