// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Linearizer.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// By class and station.
using PerClass = std::vector<std::vector<double>>;

class Linearizer {
public:
  explicit Linearizer(const ClassNetwork &network)
      : network(network), classes(network.classes.size()), stations(network.stations.size()),
        none(classes, std::vector<double>(stations, 0)), corrections(classes, none) {
    for (const ClassLoad &load : network.classes)
      all.threads.push_back(load.threads);
    all.work = none;
  }

  std::vector<ClassState> solve(int sweeps) {
    std::vector<Population> less(sweeps > 0 ? classes : 0, all);
    for (std::size_t c = 0; c < less.size(); ++c)
      less[c].threads[c] = std::max(0.0, all.threads[c] - 1);
    settle(all);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (Population &population : less)
        settle(population);
      for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t k = 0; k < classes; ++k)
          for (std::size_t i = 0; i < stations; ++i)
            corrections[c][k][i] = share(less[c], k, i) - share(all, k, i);
      settle(all);
    }
    return all.states;
  }

private:
  static constexpr int mostRounds = 10'000;
  static constexpr double tolerance = 1e-12; ///< of throughputs, relative

  struct Population {
    std::vector<double> threads; ///< N, by class
    PerClass work;               ///< B(N)
    std::vector<ClassState> states;
  };

  static double share(const Population &population, std::size_t k, std::size_t i) {
    return population.threads[k] > 0 ? population.work[k][i] / population.threads[k] : 0;
  }

  /// A thread of class c waits for so long at a station (CL2): for each class within its bound
  /// (CL11).
  double waitForOthersNs(const Population &population, std::size_t c, std::size_t i) const {
    const ClassStation &station = network.stations[i];
    const double own = std::min(1.0, 1 / population.threads[c]) * population.states[c].cyclesPerNs *
                       network.classes[c].at[i].visits;
    double waitNs = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double threads = std::max(0.0, population.threads[k] - (k == c ? 1 : 0));
      if (threads <= 0)
        continue;
      const double work = threads * (share(population, k, i) + corrections[c][k][i]);
      const double each = network.classes[k].at[i].holdNs + station.overheadNs;
      const double held = threads / population.threads[k] * population.states[k].cyclesPerNs *
                          network.classes[k].at[i].visits * each;
      waitNs += own > 0
                    ? std::min(station.factor * work, std::max(1.0, station.factor) * held / own)
                    : station.factor * work;
    }
    return std::max(0.0, waitNs);
  }

  /// Finds waiting, throughput and work of a population, which depend on each other.
  void settle(Population &population) const {
    population.states.assign(classes, {0, std::vector<double>(stations, 0)});
    std::vector<double> visits(stations);
    for (int round = 0; round < mostRounds; ++round) {
      std::fill(visits.begin(), visits.end(), 0);
      for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t i = 0; i < stations; ++i)
          visits[i] += population.states[c].cyclesPerNs * network.classes[c].at[i].visits;
      double change = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        const double threads = population.threads[c];
        if (threads <= 0)
          continue;
        const ClassLoad &load = network.classes[c];
        ClassState &state = population.states[c];
        for (std::size_t i = 0; i < stations; ++i) {
          const ClassStation &station = network.stations[i];
          const double each = std::min(1.0, 1 / threads);
          const double moves = byAnother(each * state.cyclesPerNs * load.at[i].visits, visits[i]);
          state.waitNs[i] =
              station.overheadNs + moves * station.transferNs + waitForOthersNs(population, c, i);
        }
        const double rate = cyclesPerNs(network, load, threads, state.waitNs);
        change = std::max(change, std::abs(state.cyclesPerNs / rate - 1));
        state.cyclesPerNs = rate;
        for (std::size_t i = 0; i < stations; ++i)
          population.work[c][i] =
              workNs(network.stations[i], load.at[i], threads, rate, state.waitNs[i]);
      }
      if (change <= tolerance)
        break;
    }
  }

  const ClassNetwork &network;
  std::size_t classes, stations;
  PerClass none;
  std::vector<PerClass> corrections; ///< D, by c, k and station
  Population all;
};

} // namespace

std::vector<ClassState> solveLinearizer(const ClassNetwork &network) {
  constexpr int sweeps = 3; // as in the paper
  return Linearizer(network).solve(sweeps);
}

std::vector<ClassState> solveSchweitzer(const ClassNetwork &network) {
  return Linearizer(network).solve(0);
}

} // namespace qdadvise
