// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queue delegation: QD and MRQD locks (docs/theory/qd-lock.md).
#pragma once

#include "advisor/model/locks/LinePlace.h"
#include "advisor/model/numeric/Fixpoint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise {

/// A QD lock by method A: mean value analysis over the thread that holds the lock and helps, the
/// delegated operation in service, and the other waiters (QD1 to QD10). With readers it is the MRQD
/// lock: a writer waits until the readers inside have left, and readers wait for the release (QD11
/// to QD15).
class QdStation {
public:
  static constexpr bool sleeps = false, hasHistory = false;
  QdStation(const StationLoad &load, const Readers &readers, double lockOverhead,
            const KindCosts &costs, const Machine &machine)
      : reads(readers.share), writes(1 - reads),
        readNs((readers.holdNs + load.readerCoherenceMissNs) * load.stretch),
        hold(writes > 0 ? (load.holdNs - reads * readers.holdNs) * load.stretch / writes : 0),
        variance(load.cv2 * hold * hold), lockOverhead(lockOverhead), stretch(load.stretch),
        coherenceMissNs(load.coherenceMiss.free * load.stretch), delegatedNs(costs, machine),
        transferNs(machine.lineTransfer()), line(load, transferNs) {
    prepare(1);
  }
  double residenceNs() const { return writes * writerNs() + reads * readerNs(); }
  double occupancyNs() const {
    const double busy = taken();
    return writes * ((1 - busy) * own() + busy * delegated);
  }
  double contention(double) const {
    const double busy = taken();
    return busy + (1 - busy) * -std::expm1(-writes * inside.value);
  }
  double elsewhere() const { return line.elsewhere(); }
  bool forgets() const { return false; }
  bool canPassOver() const { return true; }
  void update(const PopulationAtLock &before) {
    threads = before.threads;
    line.update(threads + 1, before.rate, before.residenceNs, before.cycleNs, before.nearby);
    if (reads > 0)
      comeToRest(before.rate, before.residenceNs);
    else
      comeTo(before.rate, before.residenceNs);
    prepare(++threads);
  }

private:
  /// Sets the state to what it is at this rate and time at the lock. Returns how far it was away.
  double comeTo(double rate, double residence) {
    const double busy = taken(), each = delegated, atReading = rate * reads * readerNs();
    const double helps = rate * writes * (1 - busy) * own(), serves = rate * writes * busy * each;
    const double sum = std::max(1.0, helps + serves);
    const double reading = rate * reads * (readNs + stretch * lockOverhead);
    approach(writing, rate * writes);
    return approach(helping, helps / sum) + approach(serving, serves / sum) +
           approach(inside, rate * reads * readNs) +
           approach(blocked, std::max(0.0, atReading - reading)) +
           approach(waiting, std::max(0.0, rate * residence - atReading - (helps + serves) / sum));
  }
  /// Goes on until the state is the one that its own times at the lock lead to (QD16). Where it
  /// swings it begins again, with shorter steps.
  void comeToRest(double rate, double residence) {
    constexpr double atRest = 1e-4; // threads
    constexpr struct {
      double longest;
      int rounds;
    } steps[] = {{0.5, 40}, {0.2, 100}, {0.05, 600}};
    const double awayNs = std::max(0.0, threads / rate - residence);
    const QdStation before = *this;
    for (const auto &[longest, rounds] : steps) {
      *this = before;
      for (Damped *figure : state())
        figure->calm(longest);
      double x = rate, here = residence;
      for (int round = 0; round < rounds; ++round) {
        if (comeTo(x, here) < atRest)
          return;
        prepare(threads);
        here = withOneLess().residenceNs();
        x = threads / (awayNs + here);
      }
    }
  }
  std::array<Damped *, 6> state() {
    return {&helping, &serving, &waiting, &writing, &inside, &blocked};
  }
  /// A thread that comes finds this: the state without itself.
  QdStation withOneLess() const {
    QdStation others = *this;
    for (Damped *figure : others.state())
      figure->value *= (threads - 1.0) / threads;
    others.prepare(threads);
    return others;
  }

  /// mrqd_lock counts its readers in so many places.
  static constexpr double places = 16;
  /// After so long a reader keeps further writers out: mrqd_lock's reader_patience_ns.
  static constexpr double readerPatienceNs = 20'000;
  /// At most this share of the time until a release is taken for new delegated operations.
  static constexpr double largestShareOfNew = 0.95;

  /// Sets a figure of the state. Those of readers and writers swing where one has the lock as soon
  /// as the other is away for long: then the figure goes only part of the way (QD16).
  double approach(Damped &figure, double target) const {
    if (reads > 0)
      return figure.approach(target);
    figure.value = target;
    return 0;
  }
  double taken() const { return std::min(1.0, helping.value + serving.value); }
  double own() const { return hold + overhead + draining; }

  double writerNs() const {
    const double busy = taken(), each = delegated;
    return (1 - busy) * own() + busy * each + ahead(each) + busy * each;
  }
  /// A reader waits for all operations until the release, and for those that come meanwhile (QD12).
  double readerNs() const {
    const double each = delegated;
    const double untilRelease =
        ahead(each) / (1 - std::min(largestShareOfNew, writing.value * each));
    return readNs + stretch * lockOverhead + fetching +
           std::min(untilRelease, taken() * (readerPatienceNs + each));
  }
  /// The work that an arrival finds (QD7), at most as in FcfsGroup.
  double ahead(double each) const {
    const double busy = taken(), mean = (1 - busy) * own() + busy * each;
    return std::min(helping.value * rest(own(), variance + draining * readNs) +
                        serving.value * rest(each, variance) +
                        std::max(0.0, waiting.value - serving.value) * each,
                    mean * (threads - 1));
  }
  /// A thread that finds the lock free has to fetch its line and its data from where they were
  /// last, for all that it helps (QD2). It also looks at the readers' places that were used since,
  /// and waits for the last reader inside (QD11).
  void prepare(int population) {
    delegated = findDelegated();
    const double transfer = stretch * transferNs(population);
    overhead = stretch * (lockOverhead + line.elsewhere() * transferNs.fromOther(population)) +
               coherenceMissNs;
    if (reads <= 0)
      return;
    const double free = std::max(1e-3, 1 - taken()), takes = writes * free;
    const double used = std::min(places, static_cast<double>(population));
    draining = 2 * transfer * (takes > 0 ? std::min(used, reads / takes) : used) +
               readNs * std::log1p(std::min(inside.value / free, static_cast<double>(population)));
    // A reader fetches its own place and the lock's word after a writer, or its place after another
    // reader (QD13).
    fetching = 2 * transfer * std::min(1.0, population * takes / reads) +
               (population > places ? transfer : 0);
  }
  /// Time of a delegated operation. The operations that a helper finds share its overhead. Waiting
  /// readers look at the word to which operations are added (QD14).
  double findDelegated() const {
    const double busy = taken();
    const double k = serving.value > 0 ? std::max(1.0, waiting.value / busy) : 1;
    return stretch *
           (delegatedNs(hold / stretch, k, threads) + transferNs(threads) * blocked.value / 2);
  }
  /// Mean rest of an operation of mean `service` that an arrival finds under way (QD6).
  static double rest(double service, double variance) {
    return service > 0 ? (service * service + variance) / (2 * service) : 0;
  }

  double reads, writes; ///< shares of the visits
  double readNs;
  double hold, variance; ///< of operations that are delegated
  double lockOverhead, stretch, coherenceMissNs;
  DelegatedTime delegatedNs;
  LineTransfer transferNs;
  LinePlace line;
  int threads = 1;
  double overhead = 0;
  double delegated = 0;               ///< time of a delegated operation
  double draining = 0;                ///< time until the readers have left
  double fetching = 0;                ///< time that a reader needs for cache lines
  Damped helping{0, 1};               ///< P_A: probability that the holder runs its own operation
  Damped serving{0, 1};               ///< P_B: probability that it runs a delegated one
  Damped waiting{0, 1};               ///< L: other threads at the lock, without readers
  Damped writing{0, 1};               ///< operations per nanosecond
  Damped inside{0, 1}, blocked{0, 1}; ///< mean numbers of readers
};

} // namespace qdadvise
