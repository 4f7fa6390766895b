// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms as stations. The residual form of the work in service is
// Reiser's (1979): with c2 = 1 it is the exponential one, and exact.
#include "advisor/model/LockTimes.h"
#include "advisor/model/MutexModel.h"
#include "advisor/model/Revisits.h"
#include "advisor/model/RwlockModel.h"
#include "advisor/model/Station.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace qdadvise {

namespace {

/// First come, first served: R = s + s (Q - U) + U s (1 + c2) / 2. One array a symbol, so that
/// one instruction does several locks.
class FcfsGroup : public StationGroup {
public:
  explicit FcfsGroup(std::span<const LockStation> stations)
      : service(stations.size()), regular(service), visits(service), queue(service), busy(service) {
    for (std::size_t i = 0; i < stations.size(); ++i) {
      const StationLoad &load = stations[i].load;
      service[i] = load.holdNs;
      regular[i] = load.holdNs * (1 - load.cv2) / 2;
      visits[i] = stations[i].visits;
    }
  }
  std::size_t size() const override { return service.size(); }
  bool sleeps() const override { return false; }
  void residenceNs(double *result) const override {
    for (std::size_t i = 0; i < service.size(); ++i)
      result[i] = service[i] * (1 + queue[i]) - std::min(busy[i], queue[i]) * regular[i];
  }
  void occupancyNs(double *result) const override {
    std::copy(service.begin(), service.end(), result);
  }
  void contention(double, double *result) const override {
    std::copy(busy.begin(), busy.end(), result);
  }
  void elsewhere(double *result) const override { std::fill_n(result, size(), 0.0); }
  void changes(double, std::optional<double> *) const override {}
  void update(double rate, double, const double *residence, const double *) override {
    for (std::size_t i = 0; i < service.size(); ++i) {
      queue[i] = rate * visits[i] * residence[i];
      busy[i] = std::min(1.0, rate * visits[i] * service[i]);
    }
  }

private:
  std::vector<double> service, regular, visits, queue, busy;
};

// The classes below are one lock each: StationGroup's questions and `update`, but the rate is of
// visits to this lock, and the cycle is from one to the next of a thread.

/// Where the line of a lock is that somebody finds free.
class LinePlace {
public:
  LinePlace(const StationLoad &load, const LineTransfer &transfer)
      : revisit(load.revisit), share(load.share), transfer(transfer) {}
  /// StationState's.
  double elsewhere() const { return probability; }
  /// One thread more than those who came `rate` times per nanosecond, each once in a cycle and for
  /// so long.
  void update(int threads, double rate, double residenceNs, double cycleNs) {
    probability = transfer.elsewhere(threads);
    if (revisit.visits <= 0 || probability <= 0)
      return;
    // They are elsewhere while it is free.
    const double one = 1.0 / threads;
    const double others = rate / std::max(1 - residenceNs / cycleNs, one);
    Revisit way = revisit;
    way.awayNs = cycleNs * share - residenceNs;
    probability *= (1 - followsItself(way, others, share)) / (1 - one);
  }

private:
  Revisit revisit;
  double share;
  LineTransfer transfer;
  double probability = 0;
};

/// One lock that is handed from thread to thread: S(j) = s + h(j) with j threads there, h
/// by algorithm and machine (KindCosts::handover), and at least LO and the transfer of the
/// lock's line; and what its data take to come over. Load-dependent mean value analysis over the
/// marginal probabilities p(j), exact for c2 = 1 where the transfer does not depend on the number
/// of threads, and releases keep nobody. Where sums may be taken in any order, one instruction does
/// several terms.
class HandoverStation {
public:
  static constexpr bool sleeps = false;
  HandoverStation(const std::string &kind, const StationLoad &load, const KindCosts &costs,
                  const Machine &machine)
      : load(load), handoverNs(kind, costs, machine), line(load, machine.lineTransfer()) {
    prepare();
  }
  double residenceNs() const {
    // For c2 = 1, found = 1 + queue, and this is the sum over j S(j) p(j - 1).
    const double each = work / found;
    return each * (1 + queue) - std::min(contention(0), queue) * each * (1 - load.cv2) / 2 +
           releasing();
  }
  double occupancyNs() const { return occupancy; }
  double contention(double) const { return std::max(0.0, 1 - present[0]); }
  double elsewhere() const { return line.elsewhere(); }
  void update(double rate, double residence, double cycle, double) {
#pragma clang fp reassociate(on)
    line.update(static_cast<int>(present.size()) + 1, rate, residence, cycle);
    queue = rate * (residence - releasing());
    present.push_back(0);
    double *const p = present.data();
    const double *const handover = nearNs.data();
    const double heldNs = holdNs + spreadNs;
    double sum = 0;
    for (int j = static_cast<int>(present.size()) - 1; j > 1; --j) {
      p[j] = (std::max(leastNs, heldNs + spread * handover[j]) + movedNs) * rate * p[j - 1];
      sum += p[j];
    }
    p[1] = freeNs * rate * p[0];
    sum += p[1];
    // Service times do not fall with j, so a lost digit of p(0) is never amplified.
    p[0] = std::max(0.0, 1 - sum);
    if (sum > 1)
      for (double &one : present)
        one /= sum;
    prepare();
  }

private:
  /// Behind the section, on the mean.
  double releasing() const { return contention(0) * releaseNs; }

  /// What one thread more finds as it arrives.
  void prepare() {
#pragma clang fp reassociate(on)
    const int threads = static_cast<int>(present.size());
    for (int j = static_cast<int>(nearNs.size()); j <= threads; ++j) {
      const double there = load.onCores(j);
      double near = handoverNs.near(there, load.holdNs + handedNs, load.returns);
      if (j == 2)
        near += handoverNs.lateNs(load.holdNs + handoverNs.least(j), j);
      nearNs.push_back(std::max(load.returns.share > 0 ? nearNs.back() : 0, near * load.stretch));
    }
    spread = handoverNs.spread(threads);
    spreadNs = handoverNs.spreadNs(threads) * load.stretch;
    const double aloneNs = load.holdNs + handoverNs.alone(threads, line.elsewhere());
    releaseNs =
        (handoverNs.releaseNs(threads) + handoverNs.lateNs(aloneNs, threads)) * load.stretch;
    freeNs = (aloneNs + load.moved.free) * load.stretch;
    leastNs = (load.holdNs + handoverNs.least(threads)) * load.stretch + load.absenceNs;
    const double *const p = present.data();
    const double *const handover = nearNs.data();
    const double heldNs = holdNs + spreadNs;
    double mean = p[0] * freeNs, weighted = mean, there = p[0];
    for (int j = 2; j <= threads; ++j) {
      const double service =
          p[j - 1] * (std::max(leastNs, heldNs + spread * handover[j]) + movedNs);
      mean += service;
      weighted += service * j;
      there += p[j - 1] * j;
    }
    occupancy = mean;
    work = weighted;
    found = there;
  }
  StationLoad load;
  HandoverTime handoverNs;
  LinePlace line;
  double holdNs = load.holdNs * load.stretch + load.absenceNs;
  double queue = 0;
  std::vector<double> present{1};   ///< p(j) of the population so far, from j = 0
  std::vector<double> nearNs{0, 0}; ///< h(j) for j > 1, on one socket
  double spread = 1, spreadNs = 0;  ///< h(j) among all there are
  double handedNs = handoverNs.handedNs(load.moved, load.returns);
  double movedNs = handedNs * load.stretch;
  /// S(1); and S(j) for j > 1, the data apart, at least.
  double freeNs = 0, leastNs = 0;
  double releaseNs = 0;
  // Sums over what an arrival finds: of S(j) p(j - 1), of j S(j) p(j - 1), of j p(j - 1).
  double occupancy = 0, work = 0, found = 0;
};

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
        readNs((readers.holdNs + load.movedToReaderNs) * load.stretch),
        hold(writes > 0 ? (load.holdNs - reads * readers.holdNs) * load.stretch / writes : 0),
        variance(load.cv2 * hold * hold), lockOverhead(lockOverhead), stretch(load.stretch),
        movedNs(load.moved.free * load.stretch), delegatedNs(costs, machine),
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
  /// Whoever finds the lock free has to fetch its line and its data from who had them last, for
  /// all whom it helps; and to look at
  /// the places where readers were since, and to wait for the last of those who are inside.
  void prepare(int population) {
    const double transfer = stretch * transferNs(population);
    overhead =
        stretch * (lockOverhead + line.elsewhere() * transferNs.fromOther(population)) + movedNs;
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
  double lockOverhead, stretch, movedNs;
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

/// glibc's sleeping locks, as SleepingModel has them. What one costs depends on the time away
/// from it and the time asleep; one thread less tells these closely enough, and the former for
/// one lock exactly.
class SleepingStation {
public:
  static constexpr bool sleeps = true;
  SleepingStation(double heldNs, double lockOverheadNs, const LinePlace &line,
                  std::unique_ptr<SleepingModel> model)
      : line(line), overhead(lockOverheadNs), held(heldNs + overhead), model(std::move(model)) {}
  double residenceNs() const { return threads > 1 ? model->residenceNs(costs) : held; }
  double occupancyNs() const { return threads > 2 ? costs.occupancyNs(threads) : 0; }
  double contention(double cycle) const {
    return std::min(costs.saturated.taken, held * costs.others / cycle);
  }
  double elsewhere() const { return line.elsewhere(); }
  std::optional<double> changes(double cycle) const { return costs.changes(cycle); }
  void update(double rate, double residence, double cycle, double visitors) {
    line.update(++threads, rate, residence, cycle);
    costs = model->costs(threads,
                         {.awayNs = std::max(0.0, cycle - residence),
                          .residenceNs = residence,
                          .sleptNs = (residence - held) / costs.saturated.wakeups,
                          .visitors = visitors,
                          .elsewhere = line.elsewhere()},
                         costs.saturated);
    held = costs.saturated.holdNs + overhead;
  }

private:
  LinePlace line;
  double overhead, held;
  std::unique_ptr<SleepingModel> model;
  SleepingModel::Costs costs;
  int threads = 1;
};

template <typename Lock> class GroupOf : public StationGroup {
public:
  /// `lockOf` makes one of a StationLoad.
  template <typename LockOf> GroupOf(std::span<const LockStation> stations, const LockOf &lockOf) {
    members.reserve(stations.size());
    for (const LockStation &at : stations)
      members.push_back({lockOf(at.load), at.visits, 1 / at.visits});
  }
  std::size_t size() const override { return members.size(); }
  bool sleeps() const override { return Lock::sleeps; }
  void residenceNs(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.residenceNs();
  }
  void occupancyNs(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.occupancyNs();
  }
  void contention(double cycle, double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.contention(cycle * at.betweenVisits);
  }
  void elsewhere(double *result) const override {
    for (const Member &at : members)
      *result++ = at.lock.elsewhere();
  }
  void changes(double cycle, std::optional<double> *result) const override {
    if constexpr (Lock::sleeps)
      for (const Member &at : members)
        *result++ = at.lock.changes(cycle * at.betweenVisits);
  }
  void update(double rate, double cycle, const double *residence, const double *visitors) override {
    for (Member &at : members)
      at.lock.update(rate * at.visits, *residence++, cycle * at.betweenVisits, *visitors++);
  }

private:
  struct Member {
    Lock lock;
    double visits;        ///< per cycle
    double betweenVisits; ///< times the cycle's mean time: the time from visit to visit
  };
  std::vector<Member> members;
};

template <typename LockOf>
std::unique_ptr<StationGroup> groupOf(std::span<const LockStation> stations, const LockOf &lockOf) {
  return std::make_unique<GroupOf<decltype(lockOf(StationLoad()))>>(stations, lockOf);
}

SleepingStation sleepingStation(const std::string &kind, const StationLoad &load,
                                double lockOverheadNs, const Machine &machine) {
  const double hold = load.holdNs * load.stretch, overhead = lockOverheadNs * load.stretch;
  const Variation variation{load.cv2, load.awayCv2};
  const LinePlace line(load, machine.lineTransfer());
  if (kind == "pthread_mutex") {
    const MovementTimes moved{load.moved.free * load.stretch, load.moved.handed * load.stretch,
                              load.moved.same * load.stretch};
    return {hold, overhead, line,
            std::make_unique<MutexModel>(hold, overhead, machine, moved, variation, load.mixing)};
  }
  const double moved = load.movedNs() * load.stretch;
  const Readers readers{load.readers.share,
                        (load.readers.holdNs + load.movedToReaderNs) * load.stretch};
  return {hold + moved, overhead, line,
          std::make_unique<RwlockModel>(hold + moved, readers, overhead, machine, variation)};
}

} // namespace

Expected<std::unique_ptr<StationGroup>> makeStations(const std::string &kind,
                                                     std::span<const LockStation> stations,
                                                     const Machine &machine) {
  if (kind == "ideal")
    return std::make_unique<FcfsGroup>(stations);
  const auto overhead = machine.require(kind, "lock_overhead_ns");
  if (!overhead)
    return tl::unexpected(overhead.error());
  if (kind == "pthread_mutex" || kind == "pthread_rwlock") {
    if (const auto wakeup = machine.requireScheduler("wakeup_ns"); !wakeup)
      return tl::unexpected(wakeup.error());
    return groupOf(stations, [&](const StationLoad &load) {
      return sleepingStation(kind, load, *overhead, machine);
    });
  }
  if (kind == "qd" || kind == "mrqd") {
    if (const auto delegation = machine.require(kind, "delegation_overhead_ns"); !delegation)
      return tl::unexpected(delegation.error());
    const KindCosts &costs = machine.kinds.at(kind);
    return groupOf(stations, [&](const StationLoad &load) {
      return QdStation(load, kind == "mrqd" ? load.readers : Readers(), *overhead, costs, machine);
    });
  }
  const auto costs = machine.requireHandover(kind);
  if (!costs)
    return tl::unexpected(costs.error());
  return groupOf(stations, [&](const StationLoad &load) {
    return HandoverStation(kind, load, *costs, machine);
  });
}

} // namespace qdadvise
