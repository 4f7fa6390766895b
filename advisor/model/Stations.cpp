// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms as stations. The residual form of the work in service is
// Reiser's (1979): with c2 = 1 it is the exponential one, and exact.
#include "advisor/model/MutexModel.h"
#include "advisor/model/RwlockModel.h"
#include "advisor/model/Station.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace qdadvise {

namespace {

/// First come, first served: R = s + s (Q - U) + U s (1 + c2) / 2.
class FcfsStation : public Station {
public:
  FcfsStation(double service, double cv2) : service(service), cv2(cv2) {}
  double residenceNs(double) const override {
    return service * (1 + queue) - std::min(busy, queue) * service * (1 - cv2) / 2;
  }
  double occupancyNs() const override { return service; }
  double contention(double) const override { return busy; }
  void update(double rate, double residence, double) override {
    queue = rate * residence;
    busy = std::min(1.0, rate * service);
  }

private:
  double service, cv2, queue = 0, busy = 0;
};

/// One lock that is handed from thread to thread: S(j) = s + h(j) with j threads there, h
/// by algorithm and machine (KindCosts::handover), and at least LO and the transfer of the
/// lock's line. Load-dependent mean value analysis over the marginal probabilities p(j),
/// exact for c2 = 1 where the transfer does not depend on the number of threads.
class HandoverStation : public Station {
public:
  HandoverStation(const StationLoad &load, const KindCosts &costs, const Machine &machine)
      : load(load), handoverNs(costs.handoverCurve()), transferNs(machine.lineTransfer()),
        present{1} {
    prepare();
  }
  double residenceNs(double) const override {
    // Mean service and queue as an arrival finds them.
    double mean = 0, found = 0;
    for (std::size_t j = 0; j < present.size(); ++j) {
      mean += present[j] * service[j + 1] * static_cast<double>(j + 1);
      found += present[j] * static_cast<double>(j + 1);
    }
    // For c2 = 1, found = 1 + queue, and this is the sum over j S(j) p(j - 1).
    const double each = mean / found;
    return each * (1 + queue) - std::min(contention(0), queue) * each * (1 - load.cv2) / 2;
  }
  double occupancyNs() const override {
    double mean = 0;
    for (std::size_t j = 0; j < present.size(); ++j)
      mean += present[j] * service[j + 1];
    return mean;
  }
  double contention(double) const override { return std::max(0.0, 1 - present[0]); }
  void update(double rate, double residence, double) override {
    queue = rate * residence;
    present.push_back(0);
    double sum = 0;
    for (std::size_t j = present.size(); j-- > 1;) {
      present[j] = service[j] * rate * present[j - 1];
      sum += present[j];
    }
    // Service times do not fall with j, so a lost digit of p(0) is never amplified.
    present[0] = std::max(0.0, 1 - sum);
    if (sum > 1)
      for (double &p : present)
        p /= sum;
    prepare();
  }

private:
  /// S(j) for one thread more.
  void prepare() {
    const std::size_t threads = present.size();
    const double alone = handoverNs(1) + transferNs(static_cast<int>(threads));
    handover.resize(threads + 1);
    handover[threads] = handoverNs(load.onCores(static_cast<double>(threads)));
    service.resize(threads + 1);
    for (std::size_t j = 1; j <= threads; ++j)
      service[j] = (load.holdNs + std::max(alone, handover[j])) * load.stretch +
                   (j > 1 ? load.absenceNs : 0);
  }
  StationLoad load;
  CostCurve handoverNs;
  LineTransfer transferNs;
  std::vector<double> handover; ///< h(j)
  double queue = 0;
  std::vector<double> service; ///< S(j), for one thread more than the population so far
  std::vector<double> present; ///< p(j) of that population
};

/// A QD lock, method A: a mean value recursion over the thread that holds and helps,
/// the delegated operation in service, and the rest. With readers it is the MRQD lock: who
/// takes it for writing waits until the readers inside have left, and readers wait until it
/// is released.
class QdStation : public Station {
public:
  QdStation(const StationLoad &load, const Readers &readers, double lockOverhead,
            const KindCosts &costs, const Machine &machine)
      : reads(readers.share), writes(1 - reads), readNs(readers.holdNs * load.stretch),
        hold(writes > 0 ? (load.holdNs * load.stretch - reads * readNs) / writes : 0),
        variance(load.cv2 * hold * hold), lockOverhead(lockOverhead), stretch(load.stretch),
        delegationNs(costs.delegationCurve()), transferNs(machine.lineTransfer()) {
    prepare(1);
  }
  double residenceNs(double) const override { return writes * writerNs() + reads * readerNs(); }
  double occupancyNs() const override {
    const double busy = taken();
    return writes * ((1 - busy) * own() + busy * delegated());
  }
  double contention(double) const override {
    const double busy = taken();
    return busy + (1 - busy) * -std::expm1(-writes * inside);
  }
  void update(double rate, double residence, double) override {
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
  static constexpr double places = 16, patienceNs = 20'000;

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
           std::min(untilRelease, taken() * (patienceNs + each));
  }
  /// What an arrival finds to be done before it.
  double ahead(double each) const {
    return helping * rest(own(), variance + draining * readNs) + serving * rest(each, variance) +
           std::max(0.0, waiting - serving) * each;
  }
  /// Whoever finds the lock free has to fetch its line from who had it last; and to look at
  /// the places where readers were since, and to wait for the last of those who are inside.
  void prepare(int population) {
    const double transfer = stretch * transferNs(population);
    overhead = stretch * lockOverhead + transfer;
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
    return hold + stretch * delegationNs(k) / k + stretch * transferNs(threads) * blocked / 2;
  }
  /// Mean rest of an operation of mean `service` that an arrival finds under way.
  static double rest(double service, double variance) {
    return service > 0 ? (service * service + variance) / (2 * service) : 0;
  }
  double reads, writes; ///< shares of the visits
  double readNs;
  double hold, variance; ///< of operations that are delegated
  double lockOverhead, stretch;
  CostCurve delegationNs;
  LineTransfer transferNs;
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

/// glibc's sleeping locks, as SleepingModel has them. What one costs depends on the time away
/// from it and the time asleep; one thread less tells these closely enough, and the former for
/// one lock exactly.
class SleepingStation : public Station {
public:
  SleepingStation(double heldNs, std::unique_ptr<SleepingModel> model)
      : held(heldNs), model(std::move(model)) {}
  double residenceNs(double cycle) const override {
    return threads > 1 ? model->residenceNs(costs, threads, cycle) : held;
  }
  bool elastic() const override { return threads > 1; }
  double occupancyNs() const override { return 0; } // residenceNs sees to it
  double contention(double cycle) const override {
    return threads > 1 ? std::min(1.0, held * (threads - 1) / cycle) : 0;
  }
  void update(double, double residence, double cycle) override {
    costs = model->costs(++threads, std::max(0.0, cycle - residence), residence - held);
  }

private:
  double held;
  std::unique_ptr<SleepingModel> model;
  SleepingModel::Costs costs;
  int threads = 1;
};

std::unique_ptr<SleepingModel> sleepingModel(const std::string &kind, const StationLoad &load,
                                             double overhead, const Machine &machine) {
  const double hold = load.holdNs * load.stretch;
  if (kind == "pthread_mutex")
    return std::make_unique<MutexModel>(hold, overhead, machine);
  return std::make_unique<RwlockModel>(
      hold, Readers{load.readers.share, load.readers.holdNs * load.stretch}, overhead, machine);
}

} // namespace

Expected<std::unique_ptr<Station>> makeStation(const std::string &kind, const StationLoad &load,
                                               const Machine &machine) {
  if (kind == "ideal")
    return std::make_unique<FcfsStation>(load.holdNs, load.cv2);
  const auto overhead = machine.require(kind, "lock_overhead_ns");
  if (!overhead)
    return tl::unexpected(overhead.error());
  if (kind == "pthread_mutex" || kind == "pthread_rwlock") {
    if (const auto wakeup = machine.requireScheduler("wakeup_ns"); !wakeup)
      return tl::unexpected(wakeup.error());
    const double stretched = *overhead * load.stretch;
    return std::make_unique<SleepingStation>(load.holdNs * load.stretch + stretched,
                                             sleepingModel(kind, load, stretched, machine));
  }
  if (kind == "qd" || kind == "mrqd") {
    if (const auto delegation = machine.require(kind, "delegation_overhead_ns"); !delegation)
      return tl::unexpected(delegation.error());
    return std::make_unique<QdStation>(load, kind == "mrqd" ? load.readers : Readers(), *overhead,
                                       machine.kinds.at(kind), machine);
  }
  const auto costs = machine.requireHandover(kind);
  if (!costs)
    return tl::unexpected(costs.error());
  return std::make_unique<HandoverStation>(load, *costs, machine);
}

} // namespace qdadvise
