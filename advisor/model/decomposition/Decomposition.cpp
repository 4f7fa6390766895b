// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/Decomposition.h"

#include "advisor/model/decomposition/Convolution.h"
#include "advisor/model/decomposition/InStep.h"
#include "advisor/model/decomposition/Sessions.h"
#include "advisor/model/locks/LockTimes.h"
#include "advisor/model/numeric/Bracket.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {

namespace {

/// The factor on all rates of arrival, with which the threads add up (DEC7).
constexpr double firstStep = 1.1, largestFactor = 1e9;
constexpr int mostSteps = 50;
constexpr double tolerance = 1e-7; ///< of the number of threads, relative
/// Holders of outer locks that may be at the inner lock on the mean, at most.
constexpr double largestShareHeld = 0.95;
constexpr int mostVisitorSteps = 50;
constexpr double visitorsTolerance = 1e-5; ///< of the holders that are not at the inner lock
constexpr double leastProbability = 1e-9;  ///< of a free lock
/// Threads that come back (DEC11) are looked at if that changes the wait by so much, about twice.
constexpr double leastVariation = 0.02;
constexpr double leastLeaving =
    1e-6; ///< probability that a thread goes to another lock, else it is alone

PhaseType phasesOf(double meanNs, double variance, double skewness, const PhaseFit &fit) {
  const double mean = std::max(meanNs, leastNs);
  return fit(mean, variance / (mean * mean), skewness);
}

/// How fast operations of these lengths are, relative to the first.
std::vector<double> speeds(const std::vector<double> &serviceNs) {
  std::vector<double> result;
  for (const double each : serviceNs)
    result.push_back(std::max(serviceNs.front(), leastNs) / std::max(each, leastNs));
  return result;
}

/// The lock as its Station has it: first come, first served, at a speed that depends on the number
/// of threads.
IsolatedStation firstComeFirstServed(const std::vector<double> &serviceNs, const StationLoad &load,
                                     const PhaseFit &fit) {
  const double alone = serviceNs.front();
  return {phasesOf(alone, load.cv2 * alone * alone, load.skewness, fit), speeds(serviceNs), {}};
}

} // namespace

PhaseType fitAll(double meanNs, double cv2, double skewness) {
  return fitPhases(meanNs, cv2, skewness);
}

PhaseType fitTwo(double meanNs, double cv2, double /*skewness*/) {
  return fitTwoMoments(meanNs, std::clamp(cv2, 0.5, 1.0), 2);
}

PhaseType fitExponential(double meanNs, double /*cv2*/, double /*skewness*/) {
  return fitAll(meanNs, 1, 2);
}

std::optional<IsolatedStation> isolatedStation(const LockStation &lock, const Machine &machine,
                                               int threads, const PhaseFit &fit) {
  const StationLoad &load = lock.load;
  const auto holdWithNs = [&](int queueLength) {
    return load.holdWithNs(queueLength) * (lock.kind == LockKind::ideal ? 1 : load.stretch);
  };
  std::vector<double> serviceNs;
  if (lock.kind == LockKind::ideal) {
    for (int queueLength = 1; queueLength <= (load.inner.meanNs > 0 ? threads : 1); ++queueLength)
      serviceNs.push_back(holdWithNs(queueLength));
    return firstComeFirstServed(serviceNs, load, fit);
  }
  const LockAlgorithm &algorithm = algorithmOf(lock.kind);
  if (!algorithm.spins || (algorithm.sharesReads && load.readers.share > 0))
    return std::nullopt;
  const KindCosts &costs = machine.kinds.at(lock.kind);
  const HandoffTime handoffNs(lock.kind, costs, machine);
  const double elsewhere = load.elsewhere.value_or(machine.lineTransfer().elsewhere(threads));
  const double alone = handoffNs.alone(threads, elsewhere), least = handoffNs.least(threads),
               spread = handoffNs.spread(threads), spreadNs = handoffNs.spreadNs(threads);
  // Service is the time from one section to the next. Another thread is, or was, at the lock.
  const DelegatedTime delegatedNs(costs, machine);
  std::vector<double> ownNs;
  const double handedNs = handoffNs.handedNs(load.coherenceMiss, load.reacquisitions);
  double nearNs = 0;
  for (int queueLength = 1; queueLength <= threads; ++queueLength) {
    const double hold = holdWithNs(queueLength);
    const int among = std::max(2, queueLength);
    if (!algorithm.delegates)
      nearNs = std::max(
          load.reacquisitions.share > 0 ? nearNs : 0,
          handoffNs.near(load.onCores(among), hold / load.stretch + handedNs, load.reacquisitions));
    ownNs.push_back(hold + (alone + load.coherenceMiss.free) * load.stretch);
    serviceNs.push_back(algorithm.delegates
                            ? load.stretch * delegatedNs(hold / load.stretch, among - 1, threads)
                            : hold + load.absenceNs +
                                  load.stretch *
                                      (std::max(least, nearNs * spread + spreadNs) + handedNs));
  }
  const double late = load.stretch * handoffNs.lateNs(ownNs.front() / load.stretch, threads);
  serviceNs.front() += late;
  const double hold = load.holdNs * load.stretch, variance = load.cv2 * hold * hold;
  return IsolatedStation{phasesOf(serviceNs.front(), variance, load.skewness, fit),
                         speeds(serviceNs),
                         phasesOf(ownNs.front(), variance, load.skewness, fit),
                         speeds(ownNs),
                         algorithm.delegates,
                         load.stretch * handoffNs.releaseNs(threads) + late};
}

double valueAt(const std::vector<double> &values, double position) {
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= values.size())
    return values.back();
  const double share = position - static_cast<double>(below);
  return values[below] + share * (values[below + 1] - values[below]);
}

namespace {

/// Rate at which threads leave a lock in a burst, relative to the mean (DEC9). A helper of a QD
/// lock executes the operations that are there, one after the other. If it is faster than the
/// lock's word, it then waits for more, and no thread leaves. Threads that compute for longer than
/// a burst spread out.
double burstOf(const LockStation &lock, const StationState &state, const Machine &machine,
               int threads) {
  if (!algorithmOf(lock.kind).delegates)
    return 1;
  const DelegatedTime delegatedNs(machine.kinds.at(lock.kind), machine);
  const double waiting = std::max(1.0, state.queueLengthWhenBusy - 1), holdNs = lock.load.holdNs;
  const double pace = delegatedNs.paceNs(holdNs, waiting, threads);
  const double lengthNs = lock.load.stretch * pace * waiting;
  const double closer = delegatedNs(holdNs, waiting, threads) / pace - 1;
  return 1 + state.contention * closer * lengthNs / (lengthNs + lock.load.revisit.leavingNs);
}

/// The same for arrivals at each lock, which come from all others alike. The queue of a taken lock
/// evens out bursts.
std::vector<double> burstsFromOthers(const ClosedNetwork &network, const NetworkState &state,
                                     const std::vector<std::size_t> &locks) {
  std::vector<double> own;
  double all = 0, weighted = 0;
  for (const std::size_t i : locks) {
    const LockStation &lock = network.stations[i];
    own.push_back(burstOf(lock, state.stations[i], network.machine, state.threads));
    all += lock.count * lock.visits;
    weighted += lock.count * lock.visits * own.back();
  }
  std::vector<double> result;
  for (std::size_t k = 0; k < locks.size(); ++k) {
    const double visits = network.stations[locks[k]].visits, others = all - visits;
    const double burst = others > 0 ? (weighted - visits * own[k]) / others : 1;
    result.push_back(1 + (1 - state.stations[locks[k]].contention) * std::max(0.0, burst - 1));
  }
  return result;
}

} // namespace

Decomposition::Decomposition(const ClosedNetwork &network, NetworkState byMva)
    : network(network), mva(std::move(byMva)), fixedNs(network.delayNs) {
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const LockStation &lock = network.stations[i];
    if (isolated(i, fitTwo))
      apart.push_back(i);
    else
      fixedNs += lock.directNs(mva.stations[i].residenceNs);
  }
  bursts = burstsFromOthers(network, mva, apart);
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const LockStation &lock = network.stations[i];
    const double residenceNs = mva.stations[i].residenceNs;
    const double here =
        mva.cyclesPerNs * (lock.visits * residenceNs - lock.directNs(residenceNs) / lock.count);
    holdersElsewhere.push_back(lock.holders -
                               std::clamp(here, 0.0, largestShareHeld * lock.holders));
  }
}

std::optional<IsolatedStation> Decomposition::isolated(std::size_t lock,
                                                       const PhaseFit &fit) const {
  LockStation station = network.stations[lock];
  station.load.elsewhere = mva.stations[lock].elsewhere;
  return isolatedStation(station, network.machine, threads(), fit);
}

LogConstants Decomposition::rest() const {
  return delayConstants(std::max(leastNs, fixedNs + network.computeNs), threads());
}

/// The visits to a lock per cycle, by themselves and from inside outer sections (DEC10).
struct Decomposition::Visitors {
  double direct, nested;
  double directNs, nestedNs; ///< holding times
  double holders;            ///< the most threads that can be inside outer sections
  double elsewhere;          ///< of these, so many are not there, on the mean where threads come
  double free;               ///< share of the visits that find nobody

  Visitors(const LockStation &lock, double elsewhere, double free)
      : direct(lock.directVisits), nested(lock.visits - lock.directVisits), holders(lock.holders),
        elsewhere(elsewhere), free(free) {
    const double holdNs = heldNs(lock.kind, lock.load);
    directNs = std::max(leastNs, holdNs + lock.directExtraNs);
    nestedNs = std::max(leastNs, (lock.visits * holdNs - direct * directNs) /
                                     std::max(nested, leastNs * lock.visits));
  }

  /// Visits with so many threads there from inside. They make no other visit, and are missing in
  /// the mean already.
  double fromInside(double inside) const {
    return nested > 0 ? nested * (holders - inside) / elsewhere : 0;
  }
  double all(double inside) const {
    return std::max(direct + fromInside(inside), leastNs * (direct + nested));
  }

  /// How many of n threads there are from inside, if the next thread comes at such a rate. The one
  /// in service counts by its time alone there, which ends with its section or with the next
  /// thread. It came as often from inside as holders were elsewhere: all of them if it found the
  /// lock free. So did those that wait.
  double inside(int n, double perNs) const {
    if (n == 0 || nested <= 0)
      return 0;
    const double foundFree = n == 1 ? 1 : free;
    const double fromInside = nested * (1 + foundFree * (holders / elsewhere - 1));
    const double nestedTime = fromInside / (1 / nestedNs + perNs),
                 directTime = direct / (1 / directNs + perNs);
    const double served = std::min(holders, nestedTime / (nestedTime + directTime));
    // Those inside and outside are in the ratio of nested * (left - inside) / elsewhere to direct.
    const double left = holders - served, waiting = n - 1;
    const double all = left + waiting + elsewhere * direct / nested;
    const double root = std::sqrt(std::max(0.0, all * all - 4 * left * waiting));
    return std::min(holders, served + 2 * left * waiting / (all + root));
  }
};

Decomposition::Visitors Decomposition::visitorsOf(std::size_t lock) const {
  return {network.stations[lock], holdersElsewhere[lock], 1 - mva.stations[lock].contention};
}

std::vector<double> Decomposition::arrivals(std::size_t lock, const IsolatedStation &station,
                                            const std::vector<double> &without) {
  const double holders = network.stations[lock].holders;
  std::vector<double> rates(static_cast<std::size_t>(threads()));
  for (int step = 0; step < mostVisitorSteps; ++step) {
    const Visitors visitors = visitorsOf(lock);
    const auto cyclesWith = [&](int n, double inside) {
      return valueAt(without, threads() - (n - inside));
    };
    const auto rateWith = [&](int n, double inside) {
      return visitors.all(inside) * cyclesWith(n, inside);
    };
    for (int n = 0; n < threads(); ++n)
      rates[static_cast<std::size_t>(n)] =
          rateWith(n, visitors.inside(n, rateWith(n, visitors.inside(n, 0))));
    if (visitors.nested <= 0)
      break;
    const IsolatedState state = solveIsolated(station, rates);
    double cycles = 0, elsewhere = 0;
    for (int n = 0; n < threads(); ++n) {
      const auto at = static_cast<std::size_t>(n);
      const double inside = visitors.inside(n, rates[at]);
      const double perNs = state.probability[at] * cyclesWith(n, inside);
      cycles += perNs;
      elsewhere += perNs * (holders - inside);
    }
    holdersElsewhere[lock] = std::max(elsewhere / cycles, (1 - largestShareHeld) * holders);
    if (std::abs(holdersElsewhere[lock] - visitors.elsewhere) <= visitorsTolerance * holders)
      break;
  }
  return rates;
}

/// The threads that a visit from inside outer sections finds there, relative to those that any
/// visit finds (DEC13). One in service counts as far as it has to go.
double Decomposition::foundFromInside(std::size_t lock, const IsolatedStation &station,
                                      const IsolatedState &state,
                                      const std::vector<double> &arrivals) const {
  const Visitors visitors = visitorsOf(lock);
  const double toGo = (1 + cv2Of(station.service)) / 2;
  double all = 0, allFind = 0, nested = 0, nestedFind = 0;
  for (std::size_t n = 0; n < arrivals.size(); ++n) {
    const double inside = visitors.inside(static_cast<int>(n), arrivals[n]);
    const double perNs = arrivals[n] * state.probability[n];
    const double fromInside = perNs * visitors.fromInside(inside) / visitors.all(inside);
    const double there = n == 0 ? 0 : static_cast<double>(n) - 1 + toGo;
    all += perNs;
    allFind += perNs * there;
    nested += fromInside;
    nestedFind += fromInside * there;
  }
  return nested > 0 && allFind > 0 ? nestedFind / nested / (allFind / all) : 1;
}

/// Corrects the arrivals at a QD lock for pairs (DEC8). The helper leaves together with the last
/// thread that it helped. At other locks, a thread that comes back soon finds the next one there.
/// Here both find the lock free, or one finds the other. But first the helper has to close its
/// queue and to release the lock, which takes two transfers. `arrivals` already contains the
/// threads that are on their way back to the lock. If there is no other lock, these are all
/// threads.
std::vector<double> Decomposition::withReturns(std::size_t lock, const IsolatedStation &station,
                                               std::vector<double> arrivals) const {
  const StationLoad &load = network.stations[lock].load;
  const double again = load.revisit.again * load.share, awayNs = load.revisit.againNs;
  if (!station.delegates || arrivals.size() < 2 || again <= 0 || awayNs <= 0)
    return arrivals;
  const IsolatedState state = solveIsolated(station, arrivals);
  const double holdNs = load.holdNs * load.stretch;
  const double releasingNs = 2 * load.stretch * network.machine.lineTransfer().fromOther(threads());
  const double soon = holdNs / (holdNs + awayNs) * std::exp(-releasingNs / awayNs);
  const double visitsPerNs = mva.cyclesPerNs * network.stations[lock].visits;
  const double away = threads() - visitsPerNs * mva.stations[lock].residenceNs;
  const double elsewhere = std::max(0.0, 1 - visitsPerNs * again * awayNs / away);
  const double moved = again * (1 - again / 2) * soon * elsewhere * arrivals[1];
  if (state.probability[0] > leastProbability) { // else the lock is never free
    arrivals[1] -= moved;
    arrivals[0] += moved * state.probability[1] / state.probability[0];
  }
  return arrivals;
}

double staying(const ClosedNetwork &network, const LockStation &lock) {
  double all = 0;
  for (const LockStation &one : network.stations)
    all += one.count * one.visits;
  const double others = all - lock.visits;
  const double again = lock.load.revisit.again * lock.load.share;
  return others > 0 ? std::max(0.0, (again * all - lock.visits) / others) : 1;
}

/// How much of a lock's c2 - 1 the waits at it see, relative (DEC11).
double Decomposition::seenByWaits(std::size_t lock, const IsolatedStation &station,
                                  const std::vector<double> &arrivals) const {
  const LockStation &at = network.stations[lock];
  const double stays = staying(network, at), awayNs = at.load.revisit.againNs;
  const double cv2 = cv2Of(station.service);
  // The helper of a QD lock comes back together with a thread that it helped (DEC8), and how long
  // the next in line is without a core varies, too.
  if (arrivals.size() < 2 || awayNs <= 0 || 1 - stays < leastLeaving ||
      stays * std::abs(cv2 - 1) < leastVariation || station.delegates || at.load.absenceNs > 0 ||
      at.directVisits < at.visits)
    return 1;
  const IsolatedState varied = solveIsolated(station, arrivals),
                      alike = solveIsolated(*isolated(lock, fitExponential), arrivals);
  const double perNs = alike.arrivalRate(arrivals), residenceNs = alike.present() / perNs,
               serviceNs = (1 - alike.probability[0]) / perNs;
  const double longerNs = varied.present() / varied.arrivalRate(arrivals) - residenceNs;
  const double inSessionsNs =
      (relativeWaitInSessions({serviceNs, cv2, awayNs}, arrivals, perNs) - 1) *
      (residenceNs - serviceNs);
  // Where the lock is always taken, neither changes.
  const double ratio = longerNs != 0 ? std::clamp(inSessionsNs / longerNs, 0.0, 1.0) : 0;
  return 1 - stays * (1 - ratio);
}

namespace {

/// Mean number of threads at the lock over the work in its operations, each of which counts alike
/// however long it takes (NST6).
double presentByWork(const IsolatedStation &station, const IsolatedState &state) {
  double all = 0, present = 0;
  for (std::size_t n = 1; n < state.probability.size(); ++n) {
    const double work = state.probability[n] * station.speed[std::min(n, station.speed.size()) - 1];
    all += work;
    present += static_cast<double>(n) * work;
  }
  return all > 0 ? present / all : 1;
}

} // namespace

struct Decomposition::Visit {
  double perNs, serviceNs, waitNs;
  double taken;         ///< probability that it finds the lock taken
  double presentByWork; ///< mean number of threads there while somebody is (NST6)

  Visit(const IsolatedStation &station, const IsolatedState &state,
        const std::vector<double> &arrivals)
      : perNs(state.arrivalRate(arrivals)), serviceNs((1 - state.probability[0]) / perNs),
        waitNs(state.present() / perNs - serviceNs),
        taken(1 - arrivals[0] * state.probability[0] / perNs),
        presentByWork(qdadvise::presentByWork(station, state)) {}
  double residenceNs() const { return serviceNs + waitNs; }
  void waitFor(double ns) {
    taken *= waitNs > 0 ? std::min(1.0, ns / waitNs) : 1;
    waitNs = ns;
  }
};

/// By `apart`, how long threads wait, relative to those that come at random (DEC12).
std::vector<double>
Decomposition::waitsInStep(const std::vector<IsolatedStation> &stations,
                           const std::vector<std::vector<double>> &arrivals) const {
  if (network.routing.empty())
    return std::vector<double>(apart.size(), 1);
  std::vector<ServiceTime> services;
  std::vector<WaysTo> ways;
  for (std::size_t k = 0; k < apart.size(); ++k) {
    const LockStation &to = network.stations[apart[k]];
    const ThinkTime &think = network.thinkTimes[apart[k]];
    const IsolatedState state = solveIsolated(stations[k], arrivals[k]);
    const double ns = Visit(stations[k], state, arrivals[k]).serviceNs;
    const double holdNs = to.load.holdNs * to.load.stretch;
    services.push_back({ns, to.load.cv2 * holdNs * holdNs / (ns * ns)});
    ways.push_back({{}, think.meanNs, think.cv2});
    for (const std::size_t i : apart) {
      const LockStation &from = network.stations[i];
      const double share =
          from.count * from.visits * network.routing[i][apart[k]] / (to.count * to.visits);
      // Threads leave a QD lock in pairs (DEC8).
      const bool apartBySections = !stations[k].delegates && !algorithmOf(from.kind).delegates;
      ways.back().together.push_back(apartBySections ? share * share / from.count : 0);
    }
  }
  return relativeWaitsInStep(services, ways);
}

/// Takes out what threads in step do not wait for (DEC12), where a thread is away from these locks
/// for `restNs` a cycle. Threads that are too many wait, however regularly they come.
void Decomposition::keepInStep(const std::vector<double> &inStep, double restNs,
                               std::vector<Visit> &visits) const {
  const auto demandNs = [&](std::size_t k) {
    return network.stations[apart[k]].visits * visits[k].serviceNs;
  };
  double mostNs = leastNs;
  for (std::size_t k = 0; k < apart.size(); ++k)
    mostNs = std::max(mostNs, demandNs(k));
  double tooManyNs = threads() * mostNs - restNs, allSlowest = 0;
  std::vector<double> slowest(apart.size());
  for (std::size_t k = 0; k < apart.size(); ++k) {
    const LockStation &lock = network.stations[apart[k]];
    slowest[k] = std::pow(demandNs(k) / mostNs, threads());
    allSlowest += lock.count * slowest[k];
    tooManyNs -=
        lock.directNs(visits[k].serviceNs + (1 - slowest[k]) * inStep[k] * visits[k].waitNs);
  }
  for (std::size_t k = 0; k < apart.size(); ++k) {
    const double atLeastNs =
        std::max(0.0, tooManyNs) * slowest[k] / (allSlowest * network.stations[apart[k]].visits);
    visits[k].waitFor(inStep[k] * visits[k].waitNs + (1 - inStep[k]) * atLeastNs);
  }
}

NetworkState Decomposition::assemble(const std::vector<std::vector<double>> &fromOthers) const {
  NetworkState result = mva;
  if (apart.empty())
    return result;
  double restNs = mva.threads / mva.cyclesPerNs; // of a cycle, away from these locks
  double directVisits = 0;
  for (const std::size_t i : apart) {
    const LockStation &lock = network.stations[i];
    restNs -= lock.directNs(mva.stations[i].residenceNs);
    directVisits += lock.count * lock.directVisits;
  }
  restNs = std::max(restNs, leastNs);
  std::vector<IsolatedStation> stations;
  std::vector<std::vector<double>> arrivals;
  for (std::size_t k = 0; k < apart.size(); ++k) {
    stations.push_back(*isolated(apart[k], fitAll));
    const double seen = seenByWaits(apart[k], stations[k], fromOthers[k]);
    if (seen < 1)
      stations[k] = *isolated(apart[k], [seen](double meanNs, double cv2, double skewness) {
        return fitAll(meanNs, 1 + seen * (cv2 - 1), 2 + seen * (skewness - 2));
      });
    arrivals.push_back(withReturns(apart[k], stations[k], fromOthers[k]));
  }
  const std::vector<double> inStep = waitsInStep(stations, arrivals);
  // How many threads are too many, with all rates times `factor`.
  const auto excess = [&](double factor) {
    std::vector<Visit> visits;
    for (std::size_t k = 0; k < apart.size(); ++k) {
      // These are the rates in a burst. In between nobody comes.
      std::vector<double> rates = arrivals[k];
      for (double &rate : rates)
        rate *= factor * bursts[k];
      const IsolatedState state = solveIsolated(stations[k], rates);
      visits.emplace_back(stations[k], state, rates);
      if (const LockStation &lock = network.stations[apart[k]]; lock.directVisits < lock.visits)
        result.stations[apart[k]].fromInside = foundFromInside(apart[k], stations[k], state, rates);
    }
    keepInStep(inStep, restNs, visits);
    double present = 0, cycles = 0;
    for (std::size_t k = 0; k < apart.size(); ++k) {
      const LockStation &lock = network.stations[apart[k]];
      const Visit &visit = visits[k];
      const double direct = lock.count * lock.directVisits / lock.visits / bursts[k];
      const double residenceNs = visit.residenceNs() + visit.taken * stations[k].releaseNs;
      present += direct * visit.perNs * (residenceNs + lock.directExtraNs);
      cycles += direct * visit.perNs / directVisits;
      StationState &at = result.stations[apart[k]];
      at.residenceNs = residenceNs;
      at.contention = visit.taken;
      at.queueLengthWhenBusy = visit.presentByWork;
    }
    return present + cycles * restNs - threads();
  };
  Bracket factor{1, excess(1), 1, 0};
  for (double step = firstStep; factor.errorAtLow > 0; step *= step) {
    factor.high = factor.low;
    factor.errorAtHigh = factor.errorAtLow;
    factor.errorAtLow = excess(factor.low /= step);
  }
  // There may be too few threads at any rate if some are inside other sections. Then the locks are
  // busy.
  for (double step = firstStep; factor.errorAtHigh <= 0 && factor.high < largestFactor;
       step *= step)
    factor.errorAtHigh = excess(factor.high *= step);
  for (int step = 0; step < mostSteps && factor.errorAtHigh > 0 && factor.isWide(); ++step) {
    const double tried = factor.next();
    const double error = excess(tried);
    if (std::abs(error) <= tolerance * threads())
      break;
    factor.narrow(tried, error);
  }
  double cycleNs = restNs;
  for (const std::size_t i : apart)
    cycleNs += network.stations[i].directNs(result.stations[i].residenceNs);
  result.cyclesPerNs = threads() / cycleNs;
  return result;
}

} // namespace qdadvise
