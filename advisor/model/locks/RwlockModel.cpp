// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/RwlockModel.h"

#include "advisor/model/numeric/Gth.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise {

namespace {

/// A writer's attempt writes two words of the lock's line. Fitted to the virtual multicore.
constexpr FailureAccesses ofWriter{.delaying = 3};

constexpr double leastHoldNs = 1e-3, leastAwayNs = 1e-3;
constexpr double firstSleptNs = 5000; ///< where the fixpoint of two sleepers begins
constexpr int sleeperRounds = 8;      ///< of it

/// The states of two threads: who has the lock, and who else is at it. In an `owns` state a sleeper
/// has been handed the lock and wakes up. In an `owns again` state it fell asleep during the
/// wake-up of another one.
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

  void spend(State state, double ns, double done) {
    timeNs[state] += ns;
    sections[state] += done;
  }
  void go(State from, State to, double probability) { next[from][to] += probability; }

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

/// Mean rest of `length` after the first of events that come at `rate`, if there is one.
double restAfterFirst(double rate, double length) {
  const double x = rate * length;
  return x < 1e-6 ? length / 2 : length / -std::expm1(-x) - 1 / rate;
}

/// Probability that a thread that comes at this rate has come while a sleeper wakes up (RW2).
double comesWithin(const Wakeup &wakeup, double rate) {
  return wakeup.meanOverGaps([rate](double ns) { return -std::expm1(-rate * ns); });
}

} // namespace

RwlockModel::RwlockModel(double holdNs, const Readers &readers, double lockOverheadNs,
                         const Machine &machine, const Variation &variation)
    : SleepingModel(holdNs, lockOverheadNs, machine, variation), reads(readers.share),
      writes(1 - reads), readNs(std::max(reads > 0 ? readers.holdNs : holdNs, leastHoldNs)),
      writeNs(writes > 0 ? std::max((holdNs - reads * readNs) / writes, leastHoldNs) : readNs),
      writers(writeNs, lockOverheadNs, machine, {}, variation, 1, ofWriter),
      phases({.reads = reads,
              .readNs = readNs,
              .writeNs = writeNs,
              .overheadNs = lockOverheadNs,
              .sleepNs = sleepNs,
              .sentBackNs = sentBackNs},
             machine),
      afterRead(wakeupAfterRestOf(readNs)), afterWrite(wakeupAfterRestOf(writeNs)) {}

/// Two threads at the lock (RW1): what they do in each state of the chain.
class RwlockModel::Pair {
public:
  /// A thread is away for at least a nanosecond, which is as good as the limit. A thread that comes
  /// back while the other wakes up still has the lock's line.
  Pair(const RwlockModel &of, double awayNs, double transferNs)
      : of(of), reads(of.reads), writes(of.writes), readNs(of.readNs), writeNs(of.writeNs),
        back(std::max(awayNs + of.lockOverheadNs, 1.0)), away(back + transferNs),
        writesAgain(writes / (back + reads * readNs)) {
    chain.spend(bothAway, away / 2, 0);
    chain.go(bothAway, readerIn, reads);
    chain.go(bothAway, writerIn, writes);
    oneIn(readerIn, readNs, writerOwns);
    oneIn(writerIn, writeNs, writerWakes);
    // The line goes to and fro: each release reads and writes it after that of the other thread.
    chain.spend(bothRead, (readNs + 2 * transferNs) / 2, 1);
    chain.go(bothRead, readerIn, 1);
    sleeperOwns();
    writerAwakes();
  }

  double throughput() const { return chain.throughput(); }

private:
  double asleepIn(double holdNs) const { return std::exp(-of.sleepNs / holdNs); }

  /// One thread is in. It leaves, or the other comes, and is asleep before that or not.
  void oneIn(State state, double holdNs, State afterWriter) {
    const double total = 1 / away + 1 / holdNs;
    const double comes = 1 / away / total, asleep = asleepIn(holdNs);
    chain.spend(state, 1 / total, 1 - comes);
    chain.go(state, bothAway, 1 - comes);
    const double inStep = of.sectionsInStep(
        holdNs, away, asleep, state == readerIn ? of.afterRead : of.afterWrite, false);
    const auto meets = [&](double share, State awake, State sleeper) {
      chain.spend(state,
                  comes * share *
                      ((1 - asleep) * (of.sleepNs + sentBackNs + of.nobodyWokenNs) +
                       asleep * (of.sleepNs + of.nobodyWokenNs / 2 + holdNs) +
                       inStep * (holdNs + away) / 2),
                  comes * share * (1 + inStep));
      chain.go(state, awake, comes * share * (1 - asleep));
      chain.go(state, sleeper, comes * share * asleep);
    };
    meets(writes, writerIn, afterWriter);
    if (state == readerIn)
      chain.go(state, bothRead, comes * reads);
    else
      meets(reads, readerIn, readerOwns);
  }

  /// A sleeper has been handed the lock. A thread that comes while it wakes up sleeps for the rest
  /// of that and for the owner's section. The wake-up after that depends on how long it slept
  /// (RW3).
  void sleeperOwns() {
    double readerSlept = firstSleptNs, writerSlept = firstSleptNs;
    Wakeup readerAgain, writerAgain;
    for (int round = 0; round < sleeperRounds; ++round) {
      readerAgain = of.wakeupAfter(readerSlept);
      writerAgain = of.wakeupAfter(writerSlept);
      readerSlept = restAfterFirst(1 / back, writerAgain.gapNs()) + writeNs;
      writerSlept = restAfterFirst(writesAgain, readerAgain.gapNs()) + readNs;
    }
    writerOwning(writerOwns, of.afterRead);
    writerOwning(writerOwnsAgain, writerAgain);
    readerOwning(readerOwns, of.afterWrite);
    readerOwning(readerOwnsAgain, readerAgain);
  }
  void writerOwning(State state, const Wakeup &wakeup) {
    const double comes = comesWithin(wakeup, 1 / back);
    chain.spend(state, wakeup.latencyNs + comes * writeNs, comes);
    chain.go(state, writerIn, 1 - comes);
    chain.go(state, readerOwnsAgain, comes * reads);
    chain.go(state, writerWakes, comes * writes);
  }
  /// The other thread may read meanwhile.
  void readerOwning(State state, const Wakeup &wakeup) {
    const double comes = comesWithin(wakeup, writesAgain);
    const double open = writesAgain > 0 ? comes / writesAgain : wakeup.gapNs();
    const double reading = reads * readNs / (reads * readNs + back);
    chain.spend(state, wakeup.latencyNs + comes * readNs,
                comes + reads / (back + reads * readNs) * open);
    chain.go(state, writerOwnsAgain, comes);
    chain.go(state, bothRead, (1 - comes) * reading);
    chain.go(state, readerIn, (1 - comes) * (1 - reading));
  }

  /// A writer wakes up for a free lock. Meanwhile the other thread may have it again and again.
  void writerAwakes() {
    const Wakeup &wakeup = of.afterWrite;
    const double hold = reads * readNs + writes * writeNs, m = 1 / hold, a = 1 / back, g = a + m;
    const double gap = wakeup.gapNs(), gone = comesWithin(wakeup, g);
    const double has = a / g * gone; // at the end
    const double byWriter = has * writes * writeNs / hold, byReader = has * reads * readNs / hold;
    chain.spend(writerWakes, wakeup.latencyNs + byWriter * writeNs + byReader * readNs,
                gap * a * m / g - a * m / (g * g) * gone + has);
    const double again = byWriter * asleepIn(writeNs), owns = byReader * asleepIn(readNs);
    chain.go(writerWakes, writerWakes, again);
    chain.go(writerWakes, writerOwns, owns);
    chain.go(writerWakes, writerIn, 1 - again - owns);
  }

  const RwlockModel &of;
  double reads, writes, readNs, writeNs; ///< as the model's
  double back, away;                     ///< times away, without and with the line's transfer
  double writesAgain; ///< rate at which the other thread comes to write; readers pass
  PairChain chain;
};

SleepingModel::Two RwlockModel::two(double awayNs, int) const {
  // Only the mutex's model knows rounds that are shorter than a fetch of the line (MX26).
  const double tightPerNs = reads > 0 ? 0 : 1 / tightNs(awayNs, 2);
  return {std::max(Pair(*this, awayNs, transferNs(2)).throughput(), tightPerNs), holdNs};
}

SleepingModel::Costs RwlockModel::costs(int threads, const Cycle &cycle,
                                        const Costs &before) const {
  if (threads <= 2)
    return SleepingModel::costs(threads, cycle, before);
  const ReadPhases::State was = before.shared.value_or(
      ReadPhases::State{.residenceNs = cycle.residenceNs, .writeResidenceNs = cycle.residenceNs});
  const double awayNs = std::max(cycle.awayNs, leastAwayNs);
  Costs costs;
  ReadPhases::Writers queue;
  if (writes > 0) {
    // A thread is away from the writers while it reads.
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
  // Without readers these are the mutex's costs, and there is nothing to look for.
  if (reads > 0)
    costs.shared = phases.solve(threads, awayNs, queue, was);
  return costs;
}

SleepingModel::Saturated RwlockModel::saturated(const Two &, double, const Cycle &,
                                                const Saturated &) const {
  return {};
}

} // namespace qdadvise
