// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/StayingThreads.h"

#include "advisor/model/decomposition/Convolution.h"
#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/mva/Mva.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace qdadvise {

namespace {

/// Where this many threads and two more always stay, both approximations count alike.
constexpr double threadsHalfway = 20;
/// With more threads the product form would count for a 25th at most, and take long.
constexpr int mostThreads = 500;

/// A lock by itself, by the number of threads that stay there.
struct StayingPlace {
  std::size_t station = 0;
  double stays = 0; ///< as `staying` says
  std::vector<double> perNs, residenceNs, contention, foundTaken;
};

/// Numbers of threads up to `most`: all small ones, and larger ones in steps of an eighth.
std::vector<int> numbersUpTo(int most) {
  constexpr int part = 8;
  std::vector<int> result;
  for (int n = 1; n < most; n += std::max(1, n / part))
    result.push_back(n);
  result.push_back(most);
  return result;
}

/// `rows` are of these numbers of threads. Linear between them; 0 threads have `none`.
std::vector<double> filled(const std::vector<int> &numbers, const std::vector<double> &rows,
                           double none) {
  std::vector<double> result{none};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double before = result.back();
    const int from = static_cast<int>(result.size()) - 1;
    for (int n = from + 1; n <= numbers[i]; ++n)
      result.push_back(before + (rows[i] - before) * (n - from) / (numbers[i] - from));
  }
  return result;
}

/// The lock, to which each of its threads comes again after the local computation in between.
Expected<StayingPlace> placeAt(const ClosedNetwork &network, std::size_t at, double stays,
                               int most) {
  LockStation lock = network.stations[at];
  const double awayNs = lock.load.revisit.againNs;
  // A thread that comes from another lock finds the data where the last thread had them.
  const double comes = 1 - lock.load.revisit.again * lock.load.share;
  const MovementTimes &miss = lock.load.coherenceMiss;
  const double fetchNs = lock.load.stretch * (miss.handed - miss.same);
  lock.visits = lock.directVisits = lock.count = lock.load.share = 1;
  lock.load.revisit = {.visits = 1, .again = 1, .againNs = awayNs, .awayNs = awayNs};
  lock.load.reacquisitions = {1, awayNs};
  lock.load.mixing = 1;
  const std::vector<int> numbers = numbersUpTo(most);
  const auto states = TRY(solveMva({network.machine, 0, awayNs, {lock}}, numbers));
  std::vector<double> perNs, residenceNs, contention, foundTaken;
  for (const NetworkState &state : states) {
    const StationState &one = state.stations.front();
    const double lateNs = comes * (1 - one.changes.value_or(0)) * fetchNs;
    perNs.push_back(state.threads / (state.threads / state.cyclesPerNs + lateNs));
    residenceNs.push_back(one.residenceNs + lateNs);
    contention.push_back(one.contention);
    foundTaken.push_back(one.foundTaken.value_or(one.contention));
  }
  return StayingPlace{at,
                      stays,
                      filled(numbers, perNs, 0),
                      filled(numbers, residenceNs, residenceNs.front()),
                      filled(numbers, contention, 0),
                      filled(numbers, foundTaken, 0)};
}

/// The locks of sleepers that threads stay at.
Expected<std::vector<StayingPlace>> placesOf(const ClosedNetwork &network, int most) {
  double locks = 0;
  bool nested = false;
  for (const LockStation &lock : network.stations) {
    locks += lock.count;
    nested = nested || lock.directVisits < lock.visits;
  }
  std::vector<StayingPlace> result;
  if (locks < 2 || !network.alike || nested || network.strides || most < 2)
    return result;
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const LockStation &lock = network.stations[i];
    const double stays = staying(network, lock);
    if (stays > 0 && algorithmOf(lock.kind).sleeps())
      result.push_back(TRY(placeAt(network, i, stays, most)));
  }
  return result;
}

/// Time per cycle that a thread is at none of these.
double elsewhereNs(const ClosedNetwork &network, const std::vector<StayingPlace> &places,
                   const NetworkState &state) {
  double ns = network.delayNs + network.computeNs;
  for (std::size_t i = 0; i < network.stations.size(); ++i)
    ns += network.stations[i].directNs(state.stations[i].residenceNs);
  for (const StayingPlace &place : places) {
    const LockStation &lock = network.stations[place.station];
    ns -= lock.directNs(state.stations[place.station].residenceNs + lock.load.revisit.againNs);
  }
  return std::max(0.0, ns);
}

/// Moves a solution of mean value analysis towards the product form.
void decompose(const ClosedNetwork &network, const std::vector<StayingPlace> &places,
               NetworkState &state) {
  const auto threads = static_cast<std::size_t>(state.threads);
  std::vector<LogConstants> constants;
  std::vector<double> counts;
  for (const StayingPlace &place : places) {
    const LockStation &lock = network.stations[place.station];
    const auto end = place.perNs.begin() + state.threads + 1;
    constants.push_back(lockConstants(lock, {place.perNs.begin(), end}));
    counts.push_back(lock.count);
  }
  const std::vector<LogConstants> others = complements(
      delayConstants(elsewhereNs(network, places, state), state.threads), constants, counts);
  const double all = convolve(others.front(), constants.front())[threads];
  double cycleNs = state.threads / state.cyclesPerNs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StayingPlace &place = places[i];
    double perNs = 0, residenceNs = 0, contention = 0, foundTaken = 0;
    for (std::size_t n = 1; n <= threads; ++n) {
      const double rate = place.perNs[n] * std::exp(constants[i][n] + others[i][threads - n] - all);
      perNs += rate;
      residenceNs += rate * place.residenceNs[n];
      contention += rate * place.contention[n];
      foundTaken += rate * place.foundTaken[n];
    }
    if (!(perNs > 0))
      continue;
    const double weight = place.stays / (1 + (state.threads - 2) / threadsHalfway);
    const auto moved = [&](double from, double to) { return from + weight * (to / perNs - from); };
    StationState &station = state.stations[place.station];
    const LockStation &lock = network.stations[place.station];
    cycleNs -= lock.directNs(station.residenceNs);
    station.residenceNs = moved(station.residenceNs, residenceNs);
    cycleNs += lock.directNs(station.residenceNs);
    if (station.foundTaken)
      station.foundTaken = moved(*station.foundTaken, foundTaken);
    station.contention = moved(station.contention, contention);
  }
  state.cyclesPerNs = state.threads / cycleNs;
}

} // namespace

Expected<std::vector<NetworkState>> solveStaying(const ClosedNetwork &network,
                                                 const std::vector<int> &threads) {
  auto states = TRY(solveMva(network, threads));
  const auto end = std::upper_bound(threads.begin(), threads.end(), mostThreads);
  const std::vector<StayingPlace> places =
      TRY(placesOf(network, end == threads.begin() ? 0 : *std::prev(end)));
  if (!places.empty())
    for (NetworkState &state : states)
      if (state.threads > 1 && state.threads <= mostThreads)
        decompose(network, places, state);
  return states;
}

} // namespace qdadvise
