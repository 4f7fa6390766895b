// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Mascots2015.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise {

namespace {

enum Class { helper, others };

/// One class: mean time and number of threads at each station.
struct ClassState {
  double cyclesPerNs = 0;
  std::vector<double> residenceNs, present;
};
/// The state with one population of helpers (0 or 1) and of others.
using Population = std::array<ClassState, 2>;

class TwoClasses {
public:
  TwoClasses(const ClosedNetwork &network, double lockOverheadNs)
      : network(network), costs(network.machine.kinds.at(LockKind::qd)),
        lockOverheadNs(lockOverheadNs), contending(network.stations.size(), 0),
        none(network.stations.size(), 0) {}

  NetworkState solve(int threads) {
    Population state;
    for (int round = 0; round < mostRounds; ++round) {
      state = meanValues(threads - 1);
      double change = 0;
      for (std::size_t i = 0; i < contending.size(); ++i) {
        const double error = state[others].present[i] - contending[i];
        change = std::max(change, std::abs(error));
        contending[i] += damping * error;
      }
      if (change <= tolerance * threads)
        break;
    }
    return combine(threads, state);
  }

private:
  static constexpr int mostRounds = 1000;
  static constexpr double tolerance = 1e-10, damping = 0.5; ///< of k

  double serviceNs(Class of, std::size_t i) const {
    const StationLoad &load = network.stations[i].load;
    const double k = std::max(1.0, contending[i]); // DO(k)/k is DO(1) for less
    const double overhead = of == helper ? lockOverheadNs : costs.delegationOverhead(k) / k;
    return load.stretch * (load.holdNs + overhead);
  }
  double helpingNs(std::size_t i) const {
    const StationLoad &load = network.stations[i].load;
    return contending[i] * load.holdNs * load.stretch;
  }

  /// `count` threads of a class, which find `found` threads at the stations.
  ClassState around(Class of, int count, const std::vector<double> &found) const {
    ClassState state{0, none, none};
    double cycleNs = network.delayNs + network.computeNs;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const LockStation &lock = network.stations[i];
      state.residenceNs[i] = serviceNs(of, i) * (1 + found[i]);
      cycleNs += lock.directNs(state.residenceNs[i] + (of == helper ? helpingNs(i) : 0));
    }
    if (count == 0)
      return {0, none, none};
    state.cyclesPerNs = count / cycleNs;
    for (std::size_t i = 0; i < found.size(); ++i)
      state.present[i] = state.cyclesPerNs * network.stations[i].visits * state.residenceNs[i];
    return state;
  }

  /// The helper and n others, by recursion.
  Population meanValues(int n) const {
    std::vector<double> alone = none; // threads at the stations: the others without the helper
    std::vector<double> both = none;  // with it, and one other less
    Population state;
    for (int count = 0; count <= n; ++count) {
      const ClassState withoutHelper = around(others, count, alone);
      alone = withoutHelper.present;
      state = {around(helper, 1, alone), around(others, count, both)};
      for (std::size_t i = 0; i < both.size(); ++i)
        both[i] = state[helper].present[i] + state[others].present[i];
    }
    return state;
  }

  NetworkState combine(int threads, const Population &state) const {
    NetworkState result;
    result.threads = threads;
    result.cyclesPerNs = state[helper].cyclesPerNs + state[others].cyclesPerNs;
    for (std::size_t i = 0; i < contending.size(); ++i) {
      const double byHelper = state[helper].cyclesPerNs / result.cyclesPerNs;
      const double residenceNs = byHelper * (state[helper].residenceNs[i] + helpingNs(i)) +
                                 (1 - byHelper) * state[others].residenceNs[i];
      const double busy =
          network.stations[i].visits * (state[helper].cyclesPerNs * serviceNs(helper, i) +
                                        state[others].cyclesPerNs * serviceNs(others, i));
      result.stations.push_back({residenceNs, threads > 1 ? std::min(1.0, busy) : 0});
    }
    return result;
  }

  const ClosedNetwork &network;
  const KindCosts &costs;
  double lockOverheadNs;
  std::vector<double> contending; ///< k
  std::vector<double> none;
};

} // namespace

Expected<std::vector<NetworkState>> solveMascots2015(const ClosedNetwork &network,
                                                     const std::vector<int> &threads) {
  const auto lockOverhead = TRY(network.machine.require(LockKind::qd, "lock_overhead_ns"));
  if (const auto delegation = network.machine.require(LockKind::qd, "delegation_overhead_ns");
      !delegation)
    return Unexpected(delegation.error());
  std::vector<NetworkState> result;
  for (const int population : threads)
    result.push_back(TwoClasses(network, lockOverhead).solve(population));
  return result;
}

} // namespace qdadvise
