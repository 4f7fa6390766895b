// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/model/locks/LinePlace.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// A QD lock, method A: a mean value recursion over the thread that holds and helps,
/// the delegated operation in service, and the rest. With readers it is the MRQD lock: who
/// takes it for writing waits until the readers inside have left, and readers wait until it
/// is released.
class QdStation {
public:
  static constexpr bool sleeps = false;
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
    return writes * ((1 - busy) * own() + busy * delegated());
  }
  double contention(double) const {
    const double busy = taken();
    return busy + (1 - busy) * -std::expm1(-writes * inside);
  }
  double elsewhere() const { return line.elsewhere(); }
  void update(double rate, double residence, double cycle, double) {
    line.update(threads + 1, rate, residence, cycle);
    const double busy = taken(), each = delegated(), atReading = rate * reads * readerNs();
    helping = rate * writes * (1 - busy) * own();
    serving = rate * writes * busy * each;
    const double sum = helping + serving;
    if (sum > 1) {
      helping /= sum;
      serving /= sum;
    }
    writing = rate * writes;
    inside = rate * reads * readNs;
    blocked = std::max(0.0, atReading - rate * reads * (readNs + stretch * lockOverhead));
    waiting = std::max(0.0, rate * residence - atReading - (helping + serving));
    prepare(++threads);
  }

private:
  /// mrqd_lock: places in which readers are counted; what they wait before they keep writers out.
  static constexpr double places = 16, readerPatienceNs = 20'000;

  double taken() const { return std::min(1.0, helping + serving); }
  double own() const { return hold + overhead + draining; }

  double writerNs() const {
    const double busy = taken(), each = delegated();
    return (1 - busy) * own() + busy * each + ahead(each) + busy * each;
  }
  /// A reader waits for all that is done until the release, and for what comes to that meanwhile.
  double readerNs() const {
    const double each = delegated();
    const double untilRelease = ahead(each) / (1 - std::min(0.95, writing * each));
    return readNs + stretch * lockOverhead + fetching +
           std::min(untilRelease, taken() * (readerPatienceNs + each));
  }
  /// What an arrival finds to be done before it, at most as in FcfsGroup.
  double ahead(double each) const {
    const double busy = taken(), mean = (1 - busy) * own() + busy * each;
    return std::min(helping * rest(own(), variance + draining * readNs) +
                        serving * rest(each, variance) + std::max(0.0, waiting - serving) * each,
                    mean * (threads - 1));
  }
  /// Whoever finds the lock free has to fetch its line and its data from who had them last, for
  /// all whom it helps; and to look at
  /// the places where readers were since, and to wait for the last of those who are inside.
  void prepare(int population) {
    const double transfer = stretch * transferNs(population);
    overhead = stretch * (lockOverhead + line.elsewhere() * transferNs.fromOther(population)) +
               coherenceMissNs;
    if (reads <= 0)
      return;
    const double free = std::max(1e-3, 1 - taken()), takes = writes * free;
    const double used = std::min(places, static_cast<double>(population));
    draining = 2 * transfer * (takes > 0 ? std::min(used, reads / takes) : used) +
               readNs * std::log1p(std::min(inside / free, static_cast<double>(population)));
    // A reader's own place, and the lock's word, since a writer was there; or another reader.
    fetching = 2 * transfer * std::min(1.0, population * takes / reads) +
               (population > places ? transfer : 0);
  }
  /// Time of a delegated operation, the helper's overhead shared by those it finds. Readers
  /// that wait look at the word to which it is added.
  double delegated() const {
    const double busy = taken();
    const double k = serving > 0 ? std::max(1.0, waiting / busy) : 1;
    return stretch * (delegatedNs(hold / stretch, k, threads) + transferNs(threads) * blocked / 2);
  }
  /// Mean rest of an operation of mean `service` that an arrival finds under way.
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
  double draining = 0;            ///< until the readers have left
  double fetching = 0;            ///< what a reader pays for cache lines
  double helping = 0;             ///< P_A: probability that the holder runs its own operation
  double serving = 0;             ///< P_B: probability that it runs a delegated one
  double waiting = 0;             ///< L: other threads at the lock, readers apart
  double writing = 0;             ///< operations per nanosecond
  double inside = 0, blocked = 0; ///< readers, mean numbers
};

} // namespace qdadvise
