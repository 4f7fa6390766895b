// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/markov/PhaseChain.h"

#include "advisor/model/decomposition/Decomposition.h"
#include "advisor/model/markov/ThreadChain.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// The most phases of an operation in service and of a computation. The first row whose chain is
/// affordable is taken.
struct Fineness {
  int service, computation;
};
constexpr Fineness finenesses[] = {{24, 24}, {12, 12}, {8, 8}, {5, 5}, {10, 3}, {5, 3}};

/// Times are series of exponential phases.
class PhaseChain : public ThreadChain {
public:
  PhaseChain(const ClosedNetwork &network, int threads, const PhaseFit &serviceFit,
             const PhaseFit &computationFit)
      : ThreadChain(network, threads) {
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      const ThinkTime &thinkTime = network.thinkTimes[i];
      stations.push_back(
          *isolatedStation(network.stations[i], network.machine, threads, serviceFit));
      computations.push_back(
          computationFit(std::max(thinkTime.meanNs, leastNs), thinkTime.cv2, thinkTime.skewness));
      const IsolatedStation &station = stations.back();
      addStation(i, beginningOf(computations.back()),
                 {i, station.delegates, beginningOf(station.own), {beginningOf(station.service)}});
    }
  }

  /// How many states there are.
  double size() const {
    double places = 0;
    for (const PhaseType &phases : computations)
      places += static_cast<double>(phases.rates.size());
    // By the number of threads: these are coefficients of a product of polynomials.
    std::vector<double> ways(threads + 1, 0);
    ways[0] = 1;
    for (std::size_t n = 1; n <= threads; ++n)
      ways[n] = ways[n - 1] * (places + static_cast<double>(n) - 1) / static_cast<double>(n);
    for (const ChainLock &lock : locks) {
      const IsolatedStation &station = stations[lock.station];
      const auto served = static_cast<double>(station.service.rates.size());
      const auto own = static_cast<double>(station.own.rates.size());
      for (std::size_t n = threads; n > 0; --n)
        for (std::size_t queueLength = 1; queueLength <= n; ++queueLength)
          ways[n] +=
              ways[n - queueLength] * (own + (lock.delegates && queueLength == 1 ? 0 : served));
    }
    return ways[threads];
  }

private:
  static Beginning beginningOf(const PhaseType &phases) {
    Beginning result;
    for (std::size_t j = 0; j < phases.begin.size(); ++j)
      if (phases.begin[j] > 0)
        result.emplace_back(j, phases.begin[j]);
    return result;
  }

  void proceed(const State &state) override {
    for (std::size_t i = 0; i < threads; ++i) {
      const Task &old = state[i];
      if (!isActive(old) || (i > 0 && state[i - 1] == old))
        continue;
      const bool computes = old.kind == Task::computes;
      const IsolatedStation &station = stations[computes ? old.at : locks[old.at].station];
      const bool own = old.kind == Task::served && !locks[old.at].own.empty();
      const PhaseType &phases = computes ? computations[old.at]
                                : own    ? station.own
                                         : station.service;
      double rate = phases.rates[old.phase] *
                    static_cast<double>(std::count(state.begin(), state.end(), old));
      if (!computes && !own)
        rate *= station.speed[std::min(present(state, old.at), station.speed.size()) - 1];
      const double onward = phases.onward[old.phase];
      if (onward > 0) {
        State after = state;
        replace(after, old, task(old.kind, old.at, old.phase + 1u));
        follows({{after, rate * onward}});
      }
      if (onward < 1 && computes)
        arrive(state, old, rate * (1 - onward));
      else if (onward < 1)
        finish(state, old, rate * (1 - onward));
    }
  }

  std::vector<IsolatedStation> stations; ///< by station of the network
  std::vector<PhaseType> computations;
};

} // namespace

std::vector<StationState> solveByPhases(const ClosedNetwork &network, int threads) {
  for (const auto &[service, computation] : finenesses) {
    bool raised = false;
    // A squared coefficient of variation that the phases cannot have becomes `times` as far off.
    const auto fit = [&raised](int phases, double times) {
      const double least = 1.0 / std::min(phases, 20);
      return [&raised, least, phases, times](double meanNs, double cv2, double skewness) {
        raised = raised || cv2 < least;
        return fitPhases(meanNs, cv2 < least ? cv2 + times * (least - cv2) : cv2, skewness, phases);
      };
    };
    PhaseChain chain(network, threads, fit(service, 1), fit(computation, 1));
    if (chain.size() > ThreadChain::mostStates)
      continue;
    std::vector<StationState> stations = chain.solve();
    if (stations.empty())
      continue; // fewer phases may do
    if (!raised)
      return stations;
    const std::vector<StationState> farther =
        PhaseChain(network, threads, fit(service, 2), fit(computation, 2)).solve();
    if (farther.empty())
      continue;
    for (std::size_t i = 0; i < stations.size(); ++i) {
      StationState &state = stations[i];
      // Nobody is at a lock for less time than alone.
      state.residenceNs =
          std::max(2 * state.residenceNs - farther[i].residenceNs, network.stations[i].load.holdNs);
      state.contention = std::clamp(2 * state.contention - farther[i].contention, 0.0, 1.0);
    }
    return stations;
  }
  return {};
}

} // namespace qdadvise
