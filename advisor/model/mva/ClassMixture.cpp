// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/ClassMixture.h"

#include "advisor/model/locks/LockTimes.h"
#include "advisor/model/locks/MutexModel.h"
#include "advisor/model/mva/Capacity.h"
#include "advisor/model/mva/Linearizer.h"
#include "advisor/model/mva/Mva.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace qdadvise {

namespace {

/// Threads that find the lock free wait so long for its lines (HO6), on the mean over all visits.
/// Methods that follow single threads do not say where the lines are.
double movedNs(const LockStation &lock, const LineTransfer &transfer, int threads,
               const StationState &at) {
  const double elsewhere = at.elsewhere > 0 ? at.elsewhere : transfer.elsewhere(threads);
  return (1 - at.contention) * elsewhere * algorithmOf(lock.kind).accesses.alone *
         transfer.fromOther(threads);
}

/// The squared coefficient of variation of sections at a station, but for what classes differ by.
double cv2WithinClasses(const std::vector<ClassLoad> &classes, const std::vector<double> &rates,
                        std::size_t station, double holdNs) {
  double visits = 0, variance = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ClassVisits &at = classes[c].at[station];
    visits += rates[c] * at.visits;
    variance += rates[c] * at.visits * at.cv2 * at.holdNs * at.holdNs;
  }
  return visits > 0 && holdNs > 0 ? variance / (visits * holdNs * holdNs) : 1;
}

/// One thread of the mean class alone at a station, and how its sections vary without what classes
/// differ by.
struct MeanAlone {
  double residenceNs, cv2;
};

/// The work that a thread of the mean class finds, after so long a time away (CL7). Where its
/// method has threads come at random, what classes differ by is found in full, up to one section of
/// each other thread.
double foundNs(const ClassStation &station, ClassVisits visits, const NetworkState &state,
               double waitNs, double awayNs, double cv2Within, bool atRandom) {
  const auto workWith = [&](double cv2) {
    visits.cv2 = cv2;
    return workOf(station, visits, state.threads, state.cyclesPerNs, waitNs);
  };
  const double others = static_cast<double>(state.threads - 1) / state.threads;
  const ClassWork all = workWith(visits.cv2);
  if (!atRandom)
    return others * all.nsAfter(awayNs);
  const ClassWork within = workWith(std::min(cv2Within, visits.cv2));
  const double least = others * within.nsAfter(awayNs);
  return std::max(
      least, std::min(least + others * (all.ns - within.ns), (state.threads - 1) * all.eachNs));
}

/// Threads that keep a lock from each other wait at most so many times as long, on the mean, as the
/// mean class. They hardly wait longer than it but at second fixpoints, at one 19 times.
constexpr double mostTimes = 1.25;

/// The load of a class at a station.
StationLoad loadOf(const ClassVisits &visits, const StationLoad &mean) {
  StationLoad load = mean;
  load.holdNs = visits.holdNs / mean.stretch;
  load.cv2 = visits.cv2;
  load.revisit.again = visits.reacquisitions.share / mean.share;
  load.revisit.againNs = visits.reacquisitions.localNs;
  load.reacquisitions = visits.reacquisitions;
  return load;
}

/// How threads with a load keep a mutex (MX37). The last answer does for those who hardly differ:
/// the rounds that come to rest need no other.
class KeepsMutex {
public:
  KeepsMutex(const StationLoad &load, double overheadNs, const Machine &machine, double waitNs)
      : model(std::make_shared<const MutexModel>(mutexOf(load, overheadNs, machine))),
        waitNs(waitNs) {}

  KeptLock operator()(const Keeper &keeper) {
    if (!isAlike(keeper.awayNs, last.awayNs) || !isAlike(keeper.waiters, last.waiters) ||
        !isAlike(keeper.othersPerNs, last.othersPerNs)) {
      last = keeper;
      kept = model->keptBy(keeper, waitNs);
    }
    return kept;
  }

private:
  static bool isAlike(double one, double other) {
    constexpr double tolerance = 1e-6;
    return std::abs(one - other) <= tolerance * other;
  }

  std::shared_ptr<const MutexModel> model;
  double waitNs;
  Keeper last{-1, -1, -1};
  KeptLock kept;
};

/// How one of so many threads takes a spinlock back before any waiter has it (HO18).
class KeepsSpinlock {
public:
  KeepsSpinlock(const StationLoad &load, double overheadNs, int threads, const HandoffTime &handoff)
      : load(load), overheadNs(overheadNs), threads(threads), handoff(handoff) {}

  KeptLock operator()(const Keeper &keeper) const {
    const double queueLength = load.onCores(1 + std::max(1.0, keeper.waiters));
    const double handedNs = handoff.near(queueLength, load.holdNs) * handoff.spread(threads) +
                            handoff.spreadNs(threads);
    const double backNs = load.reacquisitions.localNs + overheadNs;
    const double first = handedNs > 0 ? handedNs / (handedNs + backNs) : 0;
    const double again = load.reacquisitions.share * first, sections = again / (1 - again);
    return {sections * (load.holdNs + first * backNs) * load.stretch, sections};
  }

private:
  StationLoad load;
  double overheadNs;
  int threads;
  HandoffTime handoff;
};

/// How one of so many threads with a load keeps a lock from others, who sleep for so long if they
/// find it taken. None where the next in line has it, nor where its sections wait for other locks.
KeepsLock keepsLock(LockKind kind, const StationLoad &load, double overheadNs, int threads,
                    const Machine &machine, double sleptNs) {
  if (load.inner.meanNs > 0)
    return {};
  if (kind == LockKind::pthreadMutex)
    return KeepsMutex(load, overheadNs, machine, sleptNs);
  if (barges(algorithmOf(kind)))
    return KeepsSpinlock(load, overheadNs, threads, {kind, *machine.requireHandoff(kind), machine});
  return {};
}

/// The station with the factor for which the mean class waits as long as its method says (CL7).
ClassStation stationOf(const LockStation &lock, const Machine &machine, std::size_t index,
                       const std::vector<ClassLoad> &classes, const NetworkState &state,
                       const StationState &at, const MeanAlone &alone, bool atRandom) {
  const LineTransfer transfer = machine.lineTransfer();
  const ClassVisits visits{lock.visits, lock.directVisits, heldNs(lock.kind, lock.load),
                           lock.load.cv2};
  ClassStation station{lock.count, alone.residenceNs - visits.holdNs};
  if (state.threads == 1) { // parts of one thread, which do not meet
    station.factor = 0;
    return station;
  }
  const double others = static_cast<double>(state.threads - 1) / state.threads;
  const double longerNs = std::max(0.0, at.residenceNs - alone.residenceNs);
  const double moved = std::clamp(movedNs(lock, transfer, state.threads, at), 0.0, longerNs);
  station.transferNs = moved / others;
  const double sinceNs = state.threads / (state.cyclesPerNs * lock.visits);
  const double waitNs = at.residenceNs - visits.holdNs;
  double found = foundNs(station, visits, state, waitNs, std::max(0.0, sinceNs - at.residenceNs),
                         alone.cv2, atRandom);
  const double present = workOf(station, visits, state.threads, state.cyclesPerNs, waitNs).present;
  const double moreNs = longerNs - moved;
  const double sleptNs = at.contention > 0 ? moreNs / at.contention : 0;
  const auto keepsWith = [&](const StationLoad &load) {
    return keepsLock(lock.kind, load, station.overheadNs / lock.load.stretch, state.threads,
                     machine, sleptNs);
  };
  Keeping keeping;
  if (const KeepsLock keeps = keepsWith(lock.load)) {
    for (const ClassLoad &one : classes)
      station.keeps.push_back(keepsWith(loadOf(one.at[index], lock.load)));
    const AlikeThreads all{static_cast<double>(state.threads), present, state.threads / sinceNs,
                           std::max(0.0, sinceNs - at.residenceNs), alone.residenceNs};
    station.mostWaitNs = mostTimes * waitNs;
    keeping = keepingOf({keeps}, {all}).front();
  }
  found += others * present * keeping.keptNs;
  station.met =
      OthersThere{state.threads - 1.0, others * present, found, moreNs / keeping.waiting}.met(
          sinceNs / keeping.waiting, alone.residenceNs);
  if (found > 0)
    station.factor = moreNs / (found * keeping.waiting);
  return station;
}

/// Puts the mean over all classes in place of the mean class.
void average(NetworkState &state, const NetworkState &alone, const ClassNetwork &network,
             const std::vector<ClassState> &classes) {
  state.cyclesPerNs = 0;
  for (const ClassState &one : classes)
    state.cyclesPerNs += one.cyclesPerNs;
  for (std::size_t i = 0; i < state.stations.size(); ++i) {
    double rate = 0, residence = 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const ClassVisits &at = network.classes[c].at[i];
      rate += classes[c].cyclesPerNs * at.visits;
      residence += classes[c].cyclesPerNs * at.visits * (at.holdNs + classes[c].waitNs[i]);
    }
    // Threads find a lock taken as much more often as they wait longer.
    StationState &at = state.stations[i];
    const double before = at.residenceNs - alone.stations[i].residenceNs;
    at.residenceNs = residence / rate;
    const double now = at.residenceNs - alone.stations[i].residenceNs;
    if (before > 0)
      at.contention = std::clamp(at.contention * now / before, 0.0, 1.0);
  }
}

} // namespace

Expected<MixtureState> solveMixture(const ClosedNetwork &mean, int threads,
                                    const std::vector<ClassLoad> &classes,
                                    const std::vector<double> &rates, NetworkMethod method,
                                    ClassMethod classMethod) {
  const auto states =
      TRY(method(mean, threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}));
  const NetworkState &alone = states.front();
  MixtureState result{states.back(), {}};
  ClassNetwork apart{{}, classes};
  for (std::size_t i = 0; i < mean.stations.size(); ++i) {
    const LockStation &lock = mean.stations[i];
    const MeanAlone one{alone.stations[i].residenceNs,
                        cv2WithinClasses(classes, rates, i, heldNs(lock.kind, lock.load))};
    ClassStation &station = apart.stations.emplace_back(
        stationOf(lock, mean.machine, i, classes, result.mean, result.mean.stations[i], one,
                  method == solveMva || algorithmOf(lock.kind).sleeps()));
    if (classMethod)
      station = {station.count, station.overheadNs, 1, 0, station.met};
  }
  result.classes = classMethod ? classMethod(apart) : solveSchweitzer(apart);
  boundByCapacity(mean, apart, result.classes);
  average(result.mean, alone, apart, result.classes);
  return result;
}

} // namespace qdadvise
