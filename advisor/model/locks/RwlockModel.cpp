// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/RwlockModel.h"

#include "advisor/model/numeric/Gth.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise {

namespace {

/// A writer's attempt writes two words of the line. Fitted to the virtual multicore.
constexpr FailureAccesses ofWriter{.delaying = 3};

/// Two threads x and y: who has the lock, who else is there. `own` states: a sleeper has been
/// handed the lock and wakes up; `owned again` ones: it fell asleep during another one's
/// wake-up.
enum State : std::size_t {
  bothAway,
  readerIn,
  writerIn,
  bothRead,
  writerOwns,
  writerOwnsAgain,
  readerOwns,
  readerOwnsAgain,
  writerWakes, ///< a writer was woken for a lock that is free
  stateCount
};

/// A semi-Markov chain, state by state.
struct PairChain {
  Matrix next = Matrix(stateCount, std::vector<double>(stateCount, 0));
  std::array<double, stateCount> timeNs{}, sections{}; ///< per visit

  double throughput() const {
    std::vector<std::size_t> states(stateCount);
    for (std::size_t i = 0; i < stateCount; ++i)
      states[i] = i;
    const auto visits = stationary(next, states);
    double time = 0, done = 0;
    for (const std::size_t i : states) {
      time += visits[i] * timeNs[i];
      done += visits[i] * sections[i];
    }
    return done / time;
  }
};

/// Mean rest of `length` after the first of events that come at `rate`, if one does.
double restAfterFirst(double rate, double length) {
  const double x = rate * length;
  return x < 1e-6 ? length / 2 : length / -std::expm1(-x) - 1 / rate;
}

/// How likely somebody who comes at this rate has come while a sleeper wakes up.
double comesWithin(const Wakeup &wakeup, double rate) {
  return wakeup.meanOverGaps([rate](double ns) { return -std::expm1(-rate * ns); });
}

} // namespace

RwlockModel::RwlockModel(double holdNs, const Readers &readers, double lockOverheadNs,
                         const Machine &machine, const Variation &variation)
    : SleepingModel(holdNs, lockOverheadNs, machine, variation), reads(readers.share),
      writes(1 - reads), readNs(std::max(reads > 0 ? readers.holdNs : holdNs, 1e-3)),
      writeNs(writes > 0 ? std::max((holdNs - reads * readNs) / writes, 1e-3) : readNs),
      writers(writeNs, lockOverheadNs, machine, {}, variation, 1, ofWriter),
      phases({.reads = reads,
              .readNs = readNs,
              .writeNs = writeNs,
              .overheadNs = lockOverheadNs,
              .sleepNs = sleepNs,
              .sentBackNs = sentBackNs},
             machine),
      afterRead(wakeupAfterRestOf(readNs)), afterWrite(wakeupAfterRestOf(writeNs)) {}

SleepingModel::Two RwlockModel::two(double awayNs, int) const {
  return {pairWith(awayNs, transferNs(2)), holdNs};
}

double RwlockModel::pairWith(double awayNs, double transferNs) const {
  // A thread is away for at least a nanosecond: the limit of none is the same. Who comes back
  // while the other wakes up still has the lock's line.
  const double back = std::max(awayNs + lockOverheadNs, 1.0), away = back + transferNs;
  PairChain chain;
  const auto spend = [&](State state, double ns, double sections) {
    chain.timeNs[state] += ns;
    chain.sections[state] += sections;
  };
  const auto go = [&](State from, State to, double probability) {
    chain.next[from][to] += probability;
  };

  spend(bothAway, away / 2, 0);
  go(bothAway, readerIn, reads);
  go(bothAway, writerIn, writes);

  const auto asleepIn = [this](double holdNs) { return std::exp(-sleepNs / holdNs); };
  // One is in: it leaves, or the other comes, and is asleep before that or not.
  const auto in = [&](State state, double holdNs, State afterWriter) {
    const double total = 1 / away + 1 / holdNs;
    const double comes = 1 / away / total, asleep = asleepIn(holdNs);
    spend(state, 1 / total, 1 - comes);
    go(state, bothAway, 1 - comes);
    const double inStep =
        sectionsInStep(holdNs, away, asleep, state == readerIn ? afterRead : afterWrite, false);
    const auto meets = [&](double share, State awake, State sleeper) {
      spend(state,
            comes * share *
                ((1 - asleep) * (sleepNs + sentBackNs + nobodyWokenNs) +
                 asleep * (sleepNs + nobodyWokenNs / 2 + holdNs) + inStep * (holdNs + away) / 2),
            comes * share * (1 + inStep));
      go(state, awake, comes * share * (1 - asleep));
      go(state, sleeper, comes * share * asleep);
    };
    meets(writes, writerIn, afterWriter);
    if (state == readerIn)
      go(state, bothRead, comes * reads);
    else
      meets(reads, readerIn, readerOwns);
  };
  in(readerIn, readNs, writerOwns);
  in(writerIn, writeNs, writerWakes);

  // The line goes to and fro: each release reads and writes it after the other thread's.
  spend(bothRead, (readNs + 2 * transferNs) / 2, 1);
  go(bothRead, readerIn, 1);

  // Who comes while an owner wakes up sleeps for the rest of that and the owner's section,
  // which the wake-up after it depends on.
  const double writesAgain = writes / (back + reads * readNs); // rate, readers passing
  double readerSlept = 5000, writerSlept = 5000;
  Wakeup readerAgain, writerAgain;
  for (int round = 0; round < 8; ++round) {
    readerAgain = wakeupAfter(readerSlept);
    writerAgain = wakeupAfter(writerSlept);
    readerSlept = restAfterFirst(1 / back, writerAgain.gapNs()) + writeNs;
    writerSlept = restAfterFirst(writesAgain, readerAgain.gapNs()) + readNs;
  }
  const auto writerOwning = [&](State state, const Wakeup &wakeup) {
    const double comes = comesWithin(wakeup, 1 / back);
    spend(state, wakeup.latencyNs + comes * writeNs, comes);
    go(state, writerIn, 1 - comes);
    go(state, readerOwnsAgain, comes * reads);
    go(state, writerWakes, comes * writes);
  };
  writerOwning(writerOwns, afterRead);
  writerOwning(writerOwnsAgain, writerAgain);
  // Other readers may read meanwhile.
  const auto readerOwning = [&](State state, const Wakeup &wakeup) {
    const double comes = comesWithin(wakeup, writesAgain);
    const double open = writesAgain > 0 ? comes / writesAgain : wakeup.gapNs();
    const double reading = reads * readNs / (reads * readNs + back);
    spend(state, wakeup.latencyNs + comes * readNs, comes + reads / (back + reads * readNs) * open);
    go(state, writerOwnsAgain, comes);
    go(state, bothRead, (1 - comes) * reading);
    go(state, readerIn, (1 - comes) * (1 - reading));
  };
  readerOwning(readerOwns, afterWrite);
  readerOwning(readerOwnsAgain, readerAgain);

  // Meanwhile the other may have the lock again, and again.
  const double hold = reads * readNs + writes * writeNs, m = 1 / hold, a = 1 / back, g = a + m;
  const double gap = afterWrite.gapNs(), gone = comesWithin(afterWrite, g);
  const double has = a / g * gone; // at the end
  const double byWriter = has * writes * writeNs / hold, byReader = has * reads * readNs / hold;
  spend(writerWakes, afterWrite.latencyNs + byWriter * writeNs + byReader * readNs,
        gap * a * m / g - a * m / (g * g) * gone + has);
  const double again = byWriter * asleepIn(writeNs), owns = byReader * asleepIn(readNs);
  go(writerWakes, writerWakes, again);
  go(writerWakes, writerOwns, owns);
  go(writerWakes, writerIn, 1 - again - owns);
  return chain.throughput();
}

SleepingModel::Costs RwlockModel::costs(int threads, const Cycle &cycle,
                                        const Costs &before) const {
  if (threads <= 2)
    return SleepingModel::costs(threads, cycle, before);
  const ReadPhases::State was = before.shared.value_or(
      ReadPhases::State{.residenceNs = cycle.residenceNs, .writeResidenceNs = cycle.residenceNs});
  const double awayNs = std::max(cycle.awayNs, 1e-3);
  Costs costs;
  ReadPhases::Writers queue;
  if (writes > 0) {
    // From one of its writes to the next a thread reads.
    Cycle own = cycle;
    own.residenceNs = was.writeResidenceNs;
    own.awayNs = std::max(0.0, (cycle.awayNs + cycle.residenceNs) / writes - was.writeResidenceNs);
    own.sleptNs = std::max(0.0, was.writeResidenceNs - writeNs) / before.saturated.wakeups;
    costs = writers.costs(threads, own, before);
    queue = {.queued = costs.present,
             .perNs = costs.others / (own.awayNs + own.residenceNs),
             .handoffNs = costs.saturated.ns,
             .transferNs = costs.transferNs,
             .failureNs = costs.failureNs,
             .meeting = costs.others / (threads - 1)};
  }
  costs.saturated.holdNs = holdNs;
  costs.saturated.taken = 1;
  costs.saturated.changes = {};
  costs.saturated.free = {};
  costs.shared = phases.solve(threads, awayNs, queue, was);
  return costs;
}

SleepingModel::Saturated RwlockModel::saturated(const Two &, double, double, double,
                                                const Saturated &) const {
  return {};
}

} // namespace qdadvise
