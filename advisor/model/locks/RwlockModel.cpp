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
  readerStays, ///< a reader is in, and the thread that left meanwhile has the lock's line
  writerIn,
  readerMet, ///< a reader is in, and the other thread came while it fetched the lock's line
  writerMet,
  writerRefused, ///< a writer that met another one is sent back by the kernel
  writerIsBack,  ///< it is in
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
  std::array<double, stateCount> foundFree{};          ///< attempts that find nobody, per visit

  void spend(State state, double ns, double done, double free = 0) {
    timeNs[state] += ns;
    sections[state] += done;
    foundFree[state] += free;
  }
  void go(State from, State to, double probability) { next[from][to] += probability; }

  double throughput() const { return sum(sections) / sum(timeNs); }
  double foundTaken() const { return std::max(0.0, 1 - sum(foundFree) / sum(sections)); }

  /// Finds how often each state is visited.
  void solve() {
    std::vector<std::size_t> states(stateCount);
    for (std::size_t i = 0; i < stateCount; ++i)
      states[i] = i;
    visits = stationary(next, states);
  }

private:
  std::vector<double> visits;

  double sum(const std::array<double, stateCount> &each) const {
    double all = 0;
    for (std::size_t i = 0; i < stateCount; ++i)
      all += visits[i] * each[i];
    return all;
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
      writers(writeNs, lockOverheadNs, machine, {}, SleepingModel::variation, 1, ofWriter),
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
        oneNs(transferNs), fetchNs(of.lineNs.readAndWrite * oneNs),
        refusedNs(of.sleepNs + sentBackNs), back(std::max(awayNs + of.lockOverheadNs, 1.0)),
        writesAgain(writes / (back + reads * readNs)) {
    // One of two threads that are away has the line, and the other one fetches it.
    chain.spend(bothAway, (back + fetchNs) / 2, 0, 1);
    const double crosses = -std::expm1(-fetchNs / back) / 2;
    begins(bothAway, reads, true, crosses);
    begins(bothAway, writes, false, crosses);
    oneIn(readerIn, readNs, true, fetchNs);
    oneIn(readerStays, readNs, true, 0);
    oneIn(writerIsBack, writeNs, false, fetchNs, besideOneSentBack());
    chain.spend(readerStays, fetchBeside(back) * readNs / (readNs + back), 0);
    oneIn(writerIn, writeNs, false, fetchNs);
    oneMet(readerMet, true);
    oneMet(writerMet, false);
    // The one that came last has the line. The other one leaves first as often, and fetches it.
    chain.spend(bothRead, (readNs + fetchBeside(readNs)) / 2, 1);
    chain.go(bothRead, readerStays, 1);
    sleeperOwns();
    writerAwakes();
    writerComesBack();
    chain.solve();
  }

  double throughput() const { return chain.throughput(); }
  double foundTaken() const { return chain.foundTaken(); }

private:
  /// A section begins, and the other thread has come already with that probability.
  void begins(State from, double probability, bool reading, double met) {
    chain.go(from, reading ? readerIn : writerIn, probability * (1 - met));
    chain.go(from, reading ? readerMet : writerMet, probability * met);
  }

  /// How long two threads stand still for a fetch by one of them, each as often, if the other one
  /// needs the line after an exponential time of that mean.
  double fetchBeside(double ns) const {
    return fetchNs > 0 ? fetchNs - ns * -std::expm1(-fetchNs / ns) / 2 : 0;
  }

  /// One thread is in. It leaves, or the other comes, which takes so long. It comes in that share
  /// of the sections in which it would if it were away.
  void oneIn(State state, double holdNs, bool reading, double comingNs, double share = 1) {
    const double total = 1 / back + 1 / holdNs, comes = share / back / total;
    chain.spend(state, share / total + (1 - share) * holdNs, 1 - comes);
    if (comingNs > 0)
      chain.spend(state, comes * comingTogetherNs(reading, comingNs), 0);
    chain.go(state, bothAway, 1 - comes);
    meets(state, reading, comes, std::max(0.0, of.sleepNs - fetchNs + comingNs));
  }
  /// The other one came while this one fetched the line, and waits for it.
  void oneMet(State state, bool reading) {
    chain.spend(state, comingTogetherNs(reading, oneNs), 0);
    meets(state, reading, 1, std::max(0.0, of.sleepNs - oneNs));
  }
  /// A reader goes on while another one comes.
  double comingTogetherNs(bool reading, double comingNs) const {
    const double shares = reading ? reads : 0;
    return shares * fetchBeside(readNs) + (1 - shares) * comingNs;
  }
  /// The other thread has come, and is asleep where the section lasts so long from then on. The
  /// release has to fetch the line anew (MX27).
  void meets(State state, bool reading, double probability, double dozesNs) {
    const double holdNs = reading ? readNs : writeNs, lasts = std::exp(-dozesNs / holdNs);
    const double asleep = of.sleepNs < fetchNs ? 1 : lasts;
    const double inStep = of.sectionsInStep(holdNs, back, fetchNs, asleep,
                                            reading ? of.afterRead : of.afterWrite, false);
    const auto other = [&](double share, bool comesToRead, State sleeper) {
      const double met = probability * share, awake = met * (1 - asleep);
      chain.spend(
          state,
          met * (asleep * dozedNs() + lasts * holdNs + inStep * (holdNs + back + fetchNs) / 2),
          met * (1 + inStep), met * inStep);
      chain.go(state, sleeper, met * asleep);
      if (!reading && !comesToRead)
        return chain.go(state, writerRefused, awake);
      // The lock is handed to a thread of the other kind, also if the kernel has sent that back.
      const double backNs = refusedNs + oneNs;
      chain.spend(state, awake * (backNs + of.nobodyWokenNs), 0);
      begins(state, awake, comesToRead, -std::expm1(-leftNs(backNs) / back));
    };
    other(writes, false, reading ? writerOwns : writerWakes);
    if (reading)
      chain.go(state, bothRead, probability * reads);
    else
      other(reads, true, readerOwns);
  }
  /// How long the thread that released the lock is away, so long after the other one met it.
  double leftNs(double metNs) const { return std::max(0.0, metNs - fetchNs - of.nobodyWokenNs); }
  /// From meeting the other thread to sleep, or to the end of a release that takes longer.
  double dozedNs() const { return std::max(of.sleepNs, fetchNs) + of.nobodyWokenNs / 2; }

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
    chain.spend(state, wakeup.latencyNs + fetchNs + comes * writeNs, comes);
    chain.go(state, writerIn, 1 - comes);
    chain.go(state, readerOwnsAgain, comes * reads);
    chain.go(state, writerWakes, comes * writes);
  }
  /// The other thread may read meanwhile.
  void readerOwning(State state, const Wakeup &wakeup) {
    const double comes = comesWithin(wakeup, writesAgain);
    const double open = writesAgain > 0 ? comes / writesAgain : wakeup.gapNs();
    const double reading = reads * readNs / (reads * readNs + back);
    chain.spend(state, wakeup.latencyNs + fetchNs + comes * readNs,
                comes + reads / (back + reads * readNs) * open);
    chain.go(state, writerOwnsAgain, comes);
    chain.go(state, bothRead, (1 - comes) * reading);
    chain.go(state, readerIn, (1 - comes) * (1 - reading));
  }

  /// The other thread may have the lock again and again until a writer is back. That one finds it
  /// taken with these probabilities.
  struct Taken {
    double byWriter, byReader;
  };
  Taken barging(State state, const Wakeup &wakeup) {
    const double hold = reads * readNs + writes * writeNs, a = 1 / back, g = a + 1 / hold;
    const double has = a / g * comesWithin(wakeup, g); // at the end
    const double begun = completedWithin(wakeup) + has;
    chain.spend(state, wakeup.latencyNs, begun, begun);
    return {has * writes * writeNs / hold, has * reads * readNs / hold};
  }
  /// How many sections a thread completes that has the lock to itself until another one is back.
  double completedWithin(const Wakeup &wakeup) const {
    const double hold = reads * readNs + writes * writeNs, m = 1 / hold, a = 1 / back, g = a + m;
    return wakeup.gapNs() * a * m / g - a * m / (g * g) * comesWithin(wakeup, g);
  }
  /// How often a thread comes beside a writer that was sent back, over how often it would (MX38).
  double besideOneSentBack() const {
    return comesBeside(refusedNs - fetchNs - of.nobodyWokenNs, writeNs);
  }
  /// The share of those that find the lock taken when they are back, and fall asleep.
  double asleepIn(double holdNs) const {
    return std::exp(-std::max(0.0, of.sleepNs - fetchNs) / holdNs);
  }
  /// A writer wakes up for a free lock.
  void writerAwakes() {
    const auto [byWriter, byReader] = barging(writerWakes, of.afterWrite);
    chain.spend(
        writerWakes,
        of.wokenFetches(byWriter + byReader) * fetchNs + byWriter * writeNs + byReader * readNs, 0);
    const double again = byWriter * asleepIn(writeNs), owns = byReader * asleepIn(readNs);
    chain.go(writerWakes, writerWakes, again);
    chain.go(writerWakes, writerOwns, owns);
    chain.go(writerWakes, writerIn, 1 - again - owns);
  }
  void writerComesBack() {
    Wakeup refused;
    refused.latencyNs = refusedNs + fetchNs + of.nobodyWokenNs;
    refused.gapsNs.fill(leftNs(refusedNs));
    const auto [byWriter, byReader] = barging(writerRefused, refused);
    const double again = byWriter * asleepIn(writeNs), owns = byReader * asleepIn(readNs);
    chain.spend(writerRefused, again * (dozedNs() + writeNs) + owns * (dozedNs() + readNs), 0);
    chain.go(writerRefused, writerWakes, again);
    chain.go(writerRefused, writerOwns, owns);
    chain.go(writerRefused, writerRefused, byWriter - again);
    // The other one may still be in its call. Then it may have the lock while the writer calls the
    // kernel for nobody (MX38).
    const double share = besideOneSentBack(), met = share * -std::expm1(-fetchNs / back);
    chain.go(writerRefused, writerIsBack, (1 - byWriter - owns) * (1 - met));
    chain.go(writerRefused, writerMet, (1 - byWriter - owns) * met);
    Wakeup inVain;
    inVain.gapsNs.fill(std::max(0.0, of.nobodyWokenNs - fetchNs));
    const double comes = share * writeNs / (writeNs + back);
    const double during = (1 - met - (1 - met) * comes) * completedWithin(inVain);
    chain.spend(writerRefused, 0, during, during);
  }

  const RwlockModel &of;
  double reads, writes, readNs, writeNs; ///< as the model's
  double oneNs, fetchNs;                 ///< of the line: once, and to read it and then to write it
  double refusedNs;                      ///< until the kernel has sent a thread back
  double back;                           ///< the time away
  double writesAgain; ///< rate at which the other thread comes to write; readers pass
  PairChain chain;
};

SleepingModel::Two RwlockModel::two(double awayNs, int) const {
  const Pair pair(*this, awayNs, lineNs.fromOther(2));
  return {pair.throughput(), holdNs, reads > 0 ? pair.foundTaken() : 1};
}

SleepingModel::Costs RwlockModel::costs(int threads, const Cycle &cycle,
                                        const Costs &before) const {
  if (threads <= 2) {
    Costs pair = SleepingModel::costs(threads, cycle, before);
    if (reads > 0)
      pair.foundTaken = pair.saturated.taken;
    return pair;
  }
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
    costs = writers.costs(threads, own, before);
    queue = {.queued = costs.present,
             .perNs = costs.others / (own.awayNs + own.residenceNs),
             .handoffNs = costs.saturated.ns,
             .transferNs = costs.transferNs,
             .failureNs = costs.failureNs,
             .meeting = costs.others / (threads - 1)};
  }
  costs.others = threads * (1 - 1 / cycle.visitors);
  costs.saturated.holdNs = holdNs;
  costs.saturated.taken = 1;
  costs.saturated.changes = {};
  costs.saturated.free = {};
  // Without readers these are the mutex's costs, and there is nothing to look for.
  if (reads > 0) {
    costs.shared = phases.solve(threads, awayNs, queue, was);
    costs.foundTaken = costs.shared->taken;
  }
  return costs;
}

/// Writers alone.
double RwlockModel::sleptNs(double residenceNs, double, const Costs &costs) const {
  const double writer = costs.shared ? costs.shared->writeResidenceNs : residenceNs;
  return std::max(0.0, writer - writeNs) / costs.saturated.wakeups;
}

SleepingModel::Saturated RwlockModel::saturated(int, const Two &, double, const Cycle &,
                                                const Saturated &) const {
  return {};
}

} // namespace qdadvise
