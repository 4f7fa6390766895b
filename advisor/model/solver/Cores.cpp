// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/Cores.h"

#include <algorithm>
#include <cmath>
#include <qdadvise/locks/spin_wait.h>

namespace qdadvise {

namespace {

/// Figures of the scheduler that a machine description may lack, in nanoseconds.
constexpr double defaultPauseNs = 40, defaultWakeNs = 150, defaultSwitchNs = 1200,
                 defaultSliceNs = 3e6, defaultSleepNs = 250;

/// Cycles per nanosecond of the threads of one core (COR2).
double throughput(int threads, double onCoreNs, double awayNs) {
  // 1 / probability that no thread wants the core.
  double states = 1;
  for (int n = 1; n <= threads; ++n)
    states = 1 + n * onCoreNs / awayNs * states;
  return std::isfinite(states) ? (1 - 1 / states) / onCoreNs : 1 / onCoreNs;
}

/// Adds up over the cores what is so for one with so many threads, which share them as evenly as
/// they can.
template <typename OfCore> double overCores(int threads, int cores, const OfCore &ofCore) {
  const int each = threads / cores, withOneMore = threads % cores;
  return withOneMore * ofCore(each + 1) + (cores - withOneMore) * ofCore(each);
}

} // namespace

Scheduling schedulingOf(const Machine &machine) {
  const auto figure = [&](const char *key, double otherwise) {
    const auto found = machine.scheduler.find(key);
    return found == machine.scheduler.end() ? otherwise : found->second.value;
  };
  return {spin_wait::spin_limit * figure("pause_ns", defaultPauseNs),
          figure("yield_ns", figure("wake_ns", defaultWakeNs)) +
              figure("switch_ns", defaultSwitchNs),
          figure("timeslice_ns", defaultSliceNs), figure("sleep_ns", defaultSleepNs)};
}

double waitForCoreNs(int threads, int cores, double onCoreNs, double awayNs) {
  if (threads <= cores || onCoreNs <= 0)
    return 0;
  const double rate =
      overCores(threads, cores, [&](int of) { return throughput(of, onCoreNs, awayNs); });
  return std::max(0.0, threads / rate - onCoreNs - awayNs);
}

double waitForAnyCoreNs(int threads, int cores, double onCoreNs, double awayNs) {
  if (threads <= cores || onCoreNs <= 0)
    return 0;
  if (awayNs <= 0)
    return waitForCoreNs(threads, cores, onCoreNs, awayNs);
  // The probability of n threads that want a core over the sum of those of 0 to n, which cannot
  // overflow, and the mean number that run.
  double share = 1, running = 0;
  for (int n = 1; n <= threads; ++n) {
    const double run = std::min(n, cores); // of n threads
    const double next = share * (threads - n + 1) * onCoreNs / (awayNs * run);
    share = next / (1 + next);
    running += share * (run - running);
  }
  return std::max(0.0, threads * onCoreNs / running - onCoreNs - awayNs);
}

double standstillNs(const BetweenVisits &one, const BetweenVisits &other, double roundNs) {
  // Rare long times count less than by their square, and threads whose line stands still come back
  // closer together.
  constexpr double closer = 1.6;
  const auto spread = [](const BetweenVisits &each) {
    const double square = each.meanNs * each.meanNs;
    return each.variance > 0 ? closer * 2 * square * each.variance / (square + each.variance) : 0;
  };
  const double drift = std::abs(one.meanNs - other.meanNs), spreads = spread(one) + spread(other);
  if (spreads == 0)
    return drift;
  const double ratio = drift * roundNs / spreads;
  constexpr double nearlyNone = 1e-6;
  return ratio < nearlyNone ? spreads / roundNs : drift / std::tanh(ratio);
}

SharedCores::SharedCores(int threads, int cores, const Scheduling &scheduling, std::size_t locks)
    : threads(threads), cores(cores), scheduling(scheduling), locks(locks),
      waits(locks, Damped{0, 1}), contentions(locks) {
  // A thread that waits for no lock loses the core at the end of its time slice.
  coreNs = scheduling.sliceNs * (static_cast<double>(threads) / cores - 1);
  for (LockSharing &lock : this->locks)
    lock.stretch = stretch();
}

std::vector<Damped *> SharedCores::damped() {
  std::vector<Damped *> result;
  for (std::vector<Damped> *const several : {&waits, &contentions})
    for (Damped &one : *several)
      result.push_back(&one);
  return result;
}

double SharedCores::spinNs(const LockUse &lock) const { return lock.spins ? scheduling.spinNs : 0; }

double SharedCores::outlasts(const LockUse &lock, double meanNs) const {
  return meanNs > 0 ? std::exp(-spinNs(lock) / meanNs) : 0;
}

/// Mean over the threads: those that have a core for themselves wait for nobody's turn.
double SharedCores::halfARoundNs() const {
  const auto turns = [](int k) { return k > 1 ? 0.5 * k * k : 0; };
  return scheduling.switchNs * overCores(threads, cores, turns) / threads;
}

/// Finds how long the next in line waits for threads of its core that compute, per visit (COR16).
double SharedCores::partnersNs(const LockUse &lock, double roundNs) const {
  if (lock.between.empty())
    return 0;
  const auto pairs = [](int k) { return 0.5 * k * (k - 1); };
  const double pairsPerThread = overCores(threads, cores, pairs) / threads;
  const double inLineNs = lock.waitNs + lock.occupiedNs;
  double all = 0, share = 0; // of the time
  for (const BetweenVisits &one : lock.between) {
    all += one.threads;
    for (const BetweenVisits &other : lock.between) {
      const double pairNs = std::max(roundNs, inLineNs + std::max(one.meanNs, other.meanNs));
      // At the end of a time slice the next in line has the core.
      const double standsNs = std::min(standstillNs(one, other, pairNs), scheduling.sliceNs);
      share += one.threads * other.threads * standsNs / pairNs;
    }
  }
  const double inLine = std::min(1.0, lock.waitNs / roundNs);
  return inLine * pairsPerThread * share / (all * all) * roundNs;
}

double SharedCores::update(CoreUse use) {
  double change = 0;
  for (std::size_t i = 0; i < use.locks.size(); ++i) {
    const LockUse &lock = use.locks[i];
    const double waitError = waits[i].approachInLogarithms(lock.waitNs);
    change = std::max(change, lock.visits * use.cyclesPerNs / threads * waitError);
    change = std::max(change, contentions[i].approach(lock.contention));
  }
  last = std::move(use);
  return change;
}

void SharedCores::share() {
  for (std::size_t i = 0; i < last.locks.size(); ++i) {
    last.locks[i].waitNs = waits[i].value;
    last.locks[i].contention = contentions[i].value;
  }
  const CoreUse &all = last;
  const std::vector<LockUse> &uses = all.locks;
  double runningNs = all.computeNs; // of a cycle
  for (const LockUse &lock : uses)
    runningNs += lock.ownNs + lock.visits * lock.overheadNs;
  double onCoreNs = runningNs, awayNs = all.blockedNs, losses = runningNs / scheduling.sliceNs;
  double asleepNs = all.blockedNs; // of the time away
  double inLinesNs = 0;
  std::vector<double> yielded(uses.size()); // probability that a wait loses the core
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const LockUse &use = uses[i];
    if (use.visits <= 0)
      continue;
    // Waiting times are exponential, unless the holder has no core.
    const double late = use.contention > 0 ? outlasts(use, use.waitNs / use.contention) : 0;
    const double spunNs = use.waitNs * (1 - late);
    const double holderAway = std::min(1.0, all.cyclesPerNs * use.visits / use.among *
                                                use.occupiedNs * (locks[i].stretch - 1));
    const double yields = std::max(use.contention * late, holderAway * outlasts(use, coreNs));
    yielded[i] = use.contention > 0 ? std::min(1.0, yields / use.contention) : 0;
    locks[i].losses = yields + spunNs / scheduling.sliceNs;
    losses += use.visits * locks[i].losses;
    onCoreNs += use.visits * (spunNs + yields * scheduling.switchNs);
    inLinesNs += use.visits * use.waitNs;
    const double waitsNs = use.visits * (use.waitNs - spunNs);
    awayNs += waitsNs;
    asleepNs += use.spins ? 0 : waitsNs;
  }
  if (losses <= 0)
    return;
  // A woken thread takes any idle core. Who yields stays with its own (COR15).
  const double asleep = awayNs > 0 ? asleepNs / awayNs : 0;
  const auto waitNs = [&](double onNs, double offNs) {
    double ns = 0;
    if (asleep > 0)
      ns += asleep * waitForAnyCoreNs(threads, cores, onNs, offNs);
    if (asleep < 1)
      ns += (1 - asleep) * waitForCoreNs(threads, cores, onNs, offNs);
    return ns;
  };
  const double cycleWaitNs = waitNs(onCoreNs, awayNs);
  const double spinners = std::max(1.0, cores - all.cyclesPerNs * runningNs);
  // That two threads are in lines, neither of which computes.
  const double bothInLine = std::pow(inLinesNs / (onCoreNs + awayNs), 2);
  double elsewhere = losses, elsewhereNs = cycleWaitNs;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const LockUse &use = uses[i];
    if (use.visits <= 0)
      continue;
    LockSharing &lock = locks[i];
    // While a holder is away, other threads that come to the lock lose the core, too. So the holder
    // has a core sooner than others.
    const double others = std::max(0.0, outlasts(use, cycleWaitNs / losses) - lock.losses);
    const double holderAwayNs = cycleWaitNs / (losses + use.visits / use.among * others);
    lock.stretch = 1 + holderAwayNs / scheduling.sliceNs;
    const double ofHolders = (use.ownNs + use.visits * use.overheadNs) / scheduling.sliceNs;
    elsewhere -= ofHolders;
    elsewhereNs -= ofHolders * holderAwayNs;
    // Waiters of one core take turns. At a handoff nobody else holds the lock. Who is in a line
    // does not compute, and threads of a line keep their distance (COR16).
    const double heldNs = use.ownNs / use.among, restNs = heldNs + all.computeNs;
    const double busyNs = (1 - bothInLine) * waitNs(onCoreNs - heldNs, awayNs + heldNs) +
                          bothInLine * waitNs(onCoreNs - restNs, awayNs + restNs);
    const double roundNs = (onCoreNs + awayNs) * use.among / use.visits;
    lock.absenceNs = yielded[i] * (halfARoundNs() + busyNs / losses + partnersNs(use, roundNs));
    lock.spinners = spinners;
  }
  coreNs = elsewhere > 0 ? elsewhereNs / elsewhere : 0;
}

} // namespace qdadvise
