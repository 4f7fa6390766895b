// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Mva.h"

#include "advisor/model/locks/Station.h"
#include "advisor/model/mva/Strides.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

namespace qdadvise {

namespace {

/// The stations of a network, in its order, with what the recursion asks of them most.
struct Stations {
  std::vector<std::unique_ptr<StationGroup>> groups;
  bool anySleeps = false;
  bool anyPassesNearby = false; ///< from thread to thread
  // By station.
  std::vector<double> visits;        ///< per cycle
  std::vector<double> direct;        ///< direct visits at all that are alike
  std::vector<double> directExtraNs; ///< LockStation's
  std::vector<bool> sleeps;

  bool mayPassOver(const ClosedNetwork &network) const {
    return std::all_of(groups.begin(), groups.end(), [&](const auto &group) {
      return network.strides ? group->canPassOver() : group->forgets();
    });
  }

  /// Calls `ask` with every group and its place in an array of a number for each station.
  template <typename Numbers, typename Ask> void each(Numbers &&numbers, const Ask &ask) const {
    auto *at = numbers.data();
    for (const auto &group : groups) {
      ask(*group, at);
      at += group->size();
    }
  }
};

/// Whether waiters in the socket of the thread that leaves it take the lock before others.
bool passesNearby(const LockStation &lock, const Machine &machine) {
  return machine.lineTransfer().sockets > 1 && barges(algorithmOf(lock.kind));
}

Expected<Stations> stationsOf(const ClosedNetwork &network) {
  Stations result;
  const std::span<const LockStation> all(network.stations);
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    while (end < all.size() && all[end].kind == all[first].kind)
      ++end;
    auto group =
        TRY(makeStations(all[first].kind, all.subspan(first, end - first), network.machine));
    result.anySleeps = result.anySleeps || group->sleeps();
    result.sleeps.insert(result.sleeps.end(), group->size(), group->sleeps());
    result.groups.push_back(std::move(group));
    result.anyPassesNearby = result.anyPassesNearby || passesNearby(all[first], network.machine);
  }
  for (const LockStation &at : all) {
    result.visits.push_back(at.visits);
    result.direct.push_back(at.count * at.directVisits);
    result.directExtraNs.push_back(at.directExtraNs);
  }
  return result;
}

/// The mean time of a cycle (MV1).
double sumNs(const Stations &stations, double delayNs, std::span<const double> residence) {
  double sum = delayNs;
  for (std::size_t i = 0; i < residence.size(); ++i)
    sum += stations.direct[i] * (residence[i] + stations.directExtraNs[i]);
  return sum;
}

/// The same, and the residence time at every station.
double cycleNs(const Stations &stations, double delayNs, std::span<double> residence) {
  stations.each(residence, [](const StationGroup &group, double *at) { group.residenceNs(at); });
  return sumNs(stations, delayNs, residence);
}

/// StationState::queueLengthWhenBusy (MV8), without overheads: n threads make `rate` visits per
/// nanosecond.
double presentWhileAny(const LockStation &lock, bool sleeps, int n, double rate,
                       double residenceNs) {
  const double present = rate * residenceNs;
  double any = rate * heldNs(lock.kind, lock.load);
  // Sleepers are at the lock while nobody holds it, too, independently of each other.
  if (sleeps)
    any = std::max(any, 1 - std::pow(1 - std::min(1.0, present / n), n));
  return any > 0 ? std::max(1.0, present / any) : 1;
}

/// Two threads that meet at one lock do not meet at another one meanwhile (MX29). What each lock
/// costs if it is the only one is known; of what they lose together, each has its part. Returns the
/// mean time of a cycle.
double meetOnce(const Stations &stations, double cycle, std::span<double> residence) {
  std::vector<PairMeetings> found(residence.size());
  stations.each(found, [](const StationGroup &group, PairMeetings *at) { group.meetings(at); });
  struct Lock {
    std::size_t station;
    double count;
    double lost;  ///< per cycle, as long as it takes without meetings
    double ratio; ///< of the times with and without a meeting
    double share = 0;
  };
  std::vector<Lock> locks;
  double freeNs = cycle, met = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto &[lostNs, meeting] = found[i];
    if (meeting <= 0 || lostNs <= 0)
      continue;
    const double count = stations.direct[i] / stations.visits[i];
    locks.push_back({i, count, stations.visits[i] * lostNs, meeting / (1 - meeting)});
    freeNs -= count * locks.back().lost;
    met += count * locks.back().ratio;
  }
  if (freeNs <= 0)
    return cycle;
  // Shares of the threads' time that is lost at a lock. No more than both stand still in a meeting.
  double lost = 0;
  for (Lock &lock : locks) {
    const double alone = lock.lost / (freeNs + lock.lost) * (1 + lock.ratio);
    lock.share = std::min(alone, lock.ratio) / (1 + met);
    lost += lock.count * lock.share;
  }
  for (const Lock &lock : locks)
    residence[lock.station] +=
        (lock.share * freeNs / (1 - lost) - lock.lost) / stations.visits[lock.station];
  return freeNs / (1 - lost);
}

/// The mean time of a cycle with n threads. Residual service is an approximation that may let a
/// lock serve more than it can. Then its queue, which is too short, becomes as long as it takes
/// (MV6).
double settle(const Stations &stations, double delayNs, int n, std::span<double> residence,
              std::span<double> occupancy) {
  double cycle = cycleNs(stations, delayNs, residence);
  if (n == 2 && stations.anySleeps)
    cycle = meetOnce(stations, cycle, residence);
  stations.each(occupancy, [](const StationGroup &group, double *at) { group.occupancyNs(at); });
  double least = cycle;
  std::size_t slowest = occupancy.size();
  for (std::size_t i = 0; i < occupancy.size(); ++i) {
    const double needed = n * stations.visits[i] * occupancy[i];
    if (needed > least && stations.direct[i] > 0) {
      least = needed;
      slowest = i;
    }
  }
  if (slowest < occupancy.size())
    residence[slowest] += (least - cycle) / stations.direct[slowest];
  return least;
}

/// The effective visitors of each station with n + 1 threads (MX25): so many threads that come at
/// random would be next after themselves as often. A thread that slept elsewhere since its last
/// visit is never next after itself. Any other is one of those that do not sleep elsewhere.
void visitorsOf(const ClosedNetwork &network, const Stations &stations, int n, double cycle,
                std::span<const double> asleepNs, std::span<const double> contention,
                std::span<double> visitors) {
  std::fill(visitors.begin(), visitors.end(), n + 1);
  if (!stations.anySleeps)
    return;
  const auto sleeps = [&](std::size_t i) { return stations.sleeps[i] ? contention[i] : 0; };
  // Per cycle. Who sleeps inside a section does so for as long as its holder waits.
  double allAsleepNs = network.sleepInside.ns, allSleeps = network.sleepInside.times;
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    const LockStation &lock = network.stations[i];
    allAsleepNs += lock.count * lock.directVisits * asleepNs[i];
    allSleeps += lock.count * lock.directVisits * sleeps(i);
  }
  for (std::size_t i = 0; i < visitors.size(); ++i) {
    const LockStation &lock = network.stations[i];
    const SleepInside &here = lock.load.sleepInside;
    const double elsewhereNs =
        allAsleepNs - lock.directVisits * asleepNs[i] - lock.visits * here.ns;
    // Since the last visit.
    const double slept =
        std::max(0.0, (allSleeps - lock.directVisits * sleeps(i)) / lock.visits - here.times);
    visitors[i] *= std::clamp((1 - elsewhereNs / cycle) * (1 + slept), 1.0 / (n + 1), 1.0);
  }
}

/// The share of the others' visits to each lock that a thread may meet (MX39), with n + 1 threads.
/// Who comes from a lock where others sleep leaves it to one that has to be woken first.
void meetsOf(const ClosedNetwork &network, const Stations &stations, int n, double cycle,
             std::span<const double> residence, std::span<double> meets) {
  std::fill(meets.begin(), meets.end(), 1.0);
  if (!stations.anySleeps)
    return;
  std::vector<NextAwake> next(meets.size());
  stations.each(next, [&](const StationGroup &group, NextAwake *at) {
    group.nextAwake(cycle, residence.data() + (at - next.data()), at);
  });
  // Where threads leave sleepers: the share of the others that sleep there and come too late, if
  // what the one that left does is exponential, and if that varies most.
  struct Left {
    std::size_t station;
    double late, lateIfVarying;
  };
  std::vector<Left> left;
  const auto there = [&](std::size_t i) {
    return std::min(1.0, network.stations[i].directVisits * residence[i] / cycle);
  };
  for (std::size_t i = 0; i < meets.size(); ++i)
    if (next[i].alone > 0)
      left.push_back({i, there(i) * next[i].late(), there(i) * next[i].lateIfVarying()});
  for (std::size_t i = 0; i < meets.size(); ++i) {
    const LockStation &lock = network.stations[i];
    const double cv2 = std::max(1.0, lock.load.cv2), varying = (cv2 - 1) / (cv2 + 1);
    double onTime = 1;
    for (const auto &[from, late, lateIfVarying] : left) {
      const double share = 1 - std::lerp(late, lateIfVarying, varying);
      const double count = network.stations[from].count - (from == i ? 1 : 0);
      onTime *= count == 1 ? share : std::pow(share, count);
    }
    // Where somebody waits at this lock, too, threads do not come from the others.
    const double nobodyHere = std::pow(1 - there(i), n);
    meets[i] -= lock.directVisits / lock.visits * nobodyHere * (1 - onTime);
  }
}

/// Finds how much more often than by chance the thread before at each lock is of the same socket,
/// with n + 1 threads (LN6). Where a lock is always taken, threads leave it in an order that keeps
/// within a socket, and come to the others in that order.
void nearbyOf(const ClosedNetwork &network, const Stations &stations,
              std::span<const double> contention, std::span<double> nearby) {
  constexpr double passedNearby = 0.9, isAlwaysTaken = 8;
  std::fill(nearby.begin(), nearby.end(), 0.0);
  if (!stations.anyPassesNearby)
    return;
  std::optional<std::size_t> from; // where threads find others most often
  for (std::size_t i = 0; i < nearby.size(); ++i)
    if (network.stations[i].count == 1 && passesNearby(network.stations[i], network.machine) &&
        (!from || contention[i] > contention[*from]))
      from = i;
  if (!from)
    return;
  const double inOrder = std::pow(contention[*from], isAlwaysTaken);
  for (std::size_t i = 0; i < nearby.size(); ++i)
    if (i != *from)
      nearby[i] = inOrder * std::pow(passedNearby,
                                     std::max(1.0, stations.visits[*from] / stations.visits[i]));
}

/// Strides over populations: residence times count by what they add to a cycle, and all else counts
/// for nothing.
Strides stridesOf(const ClosedNetwork &network, const Stations &stations) {
  std::vector<double> weights = stations.direct;
  weights.resize(3 * weights.size() + 1, 0);
  return Strides(weights, network.strides);
}

/// Takes the stations over `count` populations, of which the first has `threads` threads.
void passOver(const Stations &stations, const Strides &strides, int threads, int count) {
  const std::size_t all = stations.visits.size();
  const auto many = static_cast<std::size_t>(count);
  std::vector<double> rates(many), contention(all * many);
  strides.along(3 * all, threads, rates);
  for (std::size_t i = 0; i < many; ++i)
    rates[i] = (threads + static_cast<double>(i)) / rates[i];
  for (std::size_t i = 0; i < all; ++i)
    strides.along(all + i, threads + 1, std::span(contention).subspan(i * many, many));
  const double *at = contention.data();
  for (const auto &group : stations.groups) {
    group->passOver({threads, rates, at});
    at += many * group->size();
  }
}

} // namespace

Expected<std::vector<NetworkState>> solveMva(const ClosedNetwork &network,
                                             const std::vector<int> &threads) {
  const auto stations = TRY(stationsOf(network));
  std::vector<NetworkState> result;
  const std::size_t count = network.stations.size();
  // The next population depends on these, and the cycle.
  std::vector<double> values(3 * count + 1);
  const std::span residence(values.data(), count), contention(values.data() + count, count),
      slept(values.data() + 2 * count, count);
  std::vector<double> occupancy(count), elsewhere(count), asleep(count), visitors(count),
      nearby(count), means(count), meets(count);
  std::vector<std::optional<double>> changes(count), foundTaken(count);
  Strides strides = stridesOf(network, stations);
  auto next = threads.begin();
  for (int n = 1; next != threads.end(); ++n) {
    double cycle = settle(stations, network.delayNs + network.computeNs, n, residence, occupancy);
    const double rate = n / cycle;
    if (*next == n || stations.anySleeps || stations.anyPassesNearby || network.strides)
      stations.each(contention,
                    [&](const StationGroup &group, double *at) { group.contention(cycle, at); });
    if (*next == n) {
      stations.each(changes, [cycle](const StationGroup &group, std::optional<double> *at) {
        group.changes(cycle, at);
      });
      stations.each(foundTaken, [](const StationGroup &group, std::optional<double> *at) {
        group.foundTaken(at);
      });
      stations.each(elsewhere, [](const StationGroup &group, double *at) { group.elsewhere(at); });
      NetworkState state{n, rate, std::vector<StationState>(count)};
      for (std::size_t i = 0; i < count; ++i)
        state.stations[i] = {residence[i],
                             contention[i],
                             presentWhileAny(network.stations[i], stations.sleeps[i], n,
                                             rate * stations.visits[i], residence[i]),
                             elsewhere[i],
                             changes[i],
                             foundTaken[i]};
      result.push_back(std::move(state));
      ++next;
    }
    if (next == threads.end())
      break;
    if (stations.anySleeps || network.strides) {
      stations.each(slept, [&](const StationGroup &group, double *at) {
        group.sleptNs(residence.data() + (at - slept.data()), at);
      });
      values.back() = cycle;
      const int leaves =
          stations.mayPassOver(network) ? strides.afterPopulation(n, values, cycle, *next) : 0;
      if (leaves > 0) {
        if (network.strides)
          passOver(stations, strides, n, leaves);
        n += leaves;
        std::copy(strides.at().begin(), strides.at().end(), values.begin());
        cycle = sumNs(stations, network.delayNs + network.computeNs, residence);
      }
    }
    if (stations.anySleeps)
      stations.each(asleep, [&](const StationGroup &group, double *at) {
        group.asleepNs(residence.data() + (at - asleep.data()), at);
      });
    visitorsOf(network, stations, n, cycle, asleep, contention, visitors);
    nearbyOf(network, stations, contention, nearby);
    meetsOf(network, stations, n, cycle, residence, meets);
    for (std::size_t i = 0; i < count; ++i)
      means[i] = network.stations[i].meanNs(residence[i]);
    stations.each(residence, [&](StationGroup &group, const double *at) {
      const auto first = at - residence.data();
      group.update({n, n / cycle, cycle, at, slept.data() + first, visitors.data() + first,
                    nearby.data() + first, means.data() + first, meets.data() + first});
    });
  }
  return result;
}

} // namespace qdadvise
