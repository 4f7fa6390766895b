// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/markov/ClockChain.h"

#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/markov/ThreadChain.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// A chain in which no time varies: only the routing is random. A state lasts until the first
/// thread is due. The chain leaves it at random times of that mean, which changes no share of time.
class ClockChain : public ThreadChain {
public:
  /// The longest time has `units` units.
  ClockChain(const ClosedNetwork &network, int threads, int units) : ThreadChain(network, threads) {
    irreducible = false;
    struct Times {
      bool delegates = false;
      double ownNs = 0;
      std::vector<double> serviceNs;
    };
    std::vector<Times> times;
    double longestNs = leastNs;
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      const auto station = *isolatedStation(network.stations[i], network.machine, threads, fitTwo);
      Times &each = times.emplace_back();
      each.delegates = station.delegates;
      each.ownNs = station.own.rates.empty() ? 0 : meanNs(station.own);
      for (const double speed : station.speed)
        each.serviceNs.push_back(meanNs(station.service) / speed);
      longestNs = std::max({longestNs, each.ownNs, network.thinkTimes[i].meanNs,
                            *std::max_element(each.serviceNs.begin(), each.serviceNs.end())});
    }
    unitNs = longestNs / units;
    for (std::size_t i = 0; i < times.size(); ++i) {
      ChainLock lock{i, times[i].delegates, {}, {}};
      if (times[i].ownNs > 0)
        lock.own = after(times[i].ownNs);
      for (const double each : times[i].serviceNs)
        lock.service.push_back(after(each));
      addStation(i, after(network.thinkTimes[i].meanNs), lock);
    }
  }

  double unitNs = 0;
  bool isFine = true; ///< no time is short in these units

private:
  Beginning after(double ns) {
    constexpr double least = 10; // units
    isFine = isFine && (ns <= leastNs || ns >= least * unitNs);
    return {{static_cast<std::size_t>(std::lround(ns / unitNs)), 1}};
  }

  void proceed(const State &state) override {
    State then = state;
    std::uint16_t passed = UINT16_MAX;
    for (const Task &task : then)
      if (isActive(task))
        passed = std::min(passed, task.phase);
    for (Task &task : then)
      if (isActive(task))
        task.phase = static_cast<std::uint16_t>(task.phase - passed);
    std::sort(then.begin(), then.end());
    // A thread that leaves a lock goes before one that comes.
    const Task due = *std::find_if(then.rbegin(), then.rend(), [](const Task &task) {
      return isActive(task) && task.phase == 0;
    });
    const double rate = 1 / std::max(1e-6, static_cast<double>(passed));
    if (due.kind == Task::computes)
      arrive(then, due, rate);
    else
      finish(then, due, rate);
  }
};

} // namespace

bool goesByClock(const ClosedNetwork &network) {
  for (std::size_t i = 0; i < network.stations.size(); ++i)
    if (network.stations[i].load.cv2 > 0 || network.thinkTimes[i].cv2 > 0)
      return false;
  return true;
}

std::vector<StationState> solveByClock(const ClosedNetwork &network, int threads) {
  for (const int units : {60'000, 1000, 200, 50, 20}) {
    ClockChain chain(network, threads, units);
    if (!chain.isFine)
      break;
    std::vector<StationState> stations = chain.solve();
    for (StationState &state : stations)
      state.residenceNs *= chain.unitNs;
    if (!stations.empty())
      return stations;
  }
  return {};
}

} // namespace qdadvise
