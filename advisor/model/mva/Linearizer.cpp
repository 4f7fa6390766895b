// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Linearizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace qdadvise {

namespace {

/// By class and station.
template <typename Value> using PerClass = std::vector<std::vector<Value>>;

class Linearizer {
public:
  explicit Linearizer(const ClassNetwork &network)
      : network(network), classes(network.classes.size()), stations(network.stations.size()),
        none(classes, std::vector<double>(stations, 0)), corrections(classes, none) {
    for (const ClassLoad &load : network.classes)
      all.threads.push_back(load.threads);
    all.work.assign(classes, std::vector<ClassWork>(stations));
    all.waitNs.assign(stations, PerClass<double>(classes, std::vector<double>(classes, 0)));
    all.others.resize(classes);
    all.quicker.resize(classes);
    for (std::size_t i = 0; i < stations; ++i) {
      std::vector<std::size_t> &order = byHold.emplace_back();
      for (std::size_t c = 0; c < classes; ++c)
        if (network.classes[c].at[i].visits > 0)
          order.push_back(c);
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return network.classes[a].at[i].holdNs < network.classes[b].at[i].holdNs;
      });
    }
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
  static constexpr int roundsOfKeeping = 60; ///< most settle in fewer
  static constexpr double tolerance = 1e-12; ///< of throughputs, relative

  struct Population {
    std::vector<double> threads; ///< N, by class
    PerClass<ClassWork> work;    ///< B(N)
    std::vector<ClassState> states;
    /// The wait of a class for another one, by station and the two.
    std::vector<PerClass<double>> waitNs;
    std::vector<OthersThere> others, quicker;  ///< what one class meets at one station
    std::vector<std::vector<Keeping>> keeping; ///< by station and class
    std::vector<double> shorter;               ///< factor on waits, by station
  };

  static double share(const Population &population, std::size_t k, std::size_t i) {
    return population.threads[k] > 0 ? population.work[k][i].ns / population.threads[k] : 0;
  }

  /// A thread of class c may meet this of class k at a station after so long a time away.
  OthersThere othersOf(const Population &population, std::size_t c, std::size_t k, std::size_t i,
                       double awayNs) const {
    const double before = population.threads[k];
    const double threads = std::max(0.0, before - (k == c ? 1 : 0));
    if (threads <= 0)
      return {};
    const ClassWork &work = population.work[k][i];
    const double present = threads / before * work.present;
    const double ns = threads * (work.nsAfter(awayNs) / before + corrections[c][k][i]);
    return {threads, present, std::max(0.0, ns) + present * population.keeping[i][k].keptNs,
            population.waitNs[i][c][k] / population.keeping[i][c].waiting};
  }

  /// A thread of class c waits for so long at a station for all others (CL2). With the threads of a
  /// class count those with longer sections in full, others as far as theirs are as long (CL11).
  double waitForOthersNs(Population &population, std::size_t c, std::size_t i) const {
    const ClassStation &station = network.stations[i];
    const double rate =
        population.states[c].cyclesPerNs / population.threads[c] * network.classes[c].at[i].visits;
    const bool atRandom = station.met <= 0 || rate <= 0;
    std::vector<double> &waits = population.waitNs[i][c];
    const double sinceNs = atRandom ? std::numeric_limits<double>::infinity() : 1 / rate;
    const double awayNs = std::max(0.0, sinceNs - std::accumulate(waits.begin(), waits.end(), 0.0) -
                                            population.work[c][i].eachNs);
    const Keeping &own = population.keeping[i][c];
    OthersThere quicker, slower;
    for (const std::size_t k : byHold[i]) {
      population.quicker[k] = quicker;
      population.others[k] = othersOf(population, c, k, i, awayNs);
      quicker.add(population.others[k], population.work[k][i].eachNs);
    }
    double waitNs = 0;
    for (auto k = byHold[i].rbegin(); k != byHold[i].rend(); ++k) {
      const OthersThere &here = population.others[*k];
      slower.add(here);
      double met = 1;
      if (!atRandom && here.workNs > 0) {
        OthersThere alike = slower;
        alike.add(population.quicker[*k], 1 / population.work[*k][i].eachNs);
        met = alike.met(sinceNs / own.waiting, population.work[*k][i].eachNs) / station.met;
      }
      // While the lock is kept, no section is one that it has met.
      const double keptNs = here.present * population.keeping[i][*k].keptNs;
      const double workNs = met * (here.workNs - keptNs) + keptNs;
      waits[*k] = population.shorter[i] * station.factor * workNs * own.waiting;
      if (!station.keeps.empty()) // it waits for the class only while one of it is there
        waits[*k] = std::min(waits[*k], sinceNs * std::min(1.0, here.present));
      waitNs += waits[*k];
    }
    return waitNs;
  }

  /// Threads keep a lock from those that wait. The population goes a part of the way to what that
  /// makes of waits.
  void keepLock(Population &population, std::size_t i, double part) const {
    std::vector<AlikeThreads> threads;
    for (std::size_t c = 0; c < classes; ++c) {
      const ClassLoad &load = network.classes[c];
      const ClassWork &work = population.work[c][i];
      const ClassState &state = population.states[c];
      threads.push_back({population.threads[c], work.present, state.cyclesPerNs * load.at[i].visits,
                         load.at[i].visits > 0 ? awayNs(network, load, i, state.waitNs) : 0,
                         work.eachNs});
    }
    const std::vector<Keeping> now = keepingOf(network.stations[i].keeps, threads);
    for (std::size_t c = 0; c < classes; ++c) {
      Keeping &keeping = population.keeping[i][c];
      keeping.keptNs += part * (now[c].keptNs - keeping.keptNs);
      keeping.waiting += part * (now[c].waiting - keeping.waiting);
    }
  }

  /// Threads that keep the lock from each other wait no longer, on the mean, than `mostWaitNs`.
  void shortenWaits(Population &population, std::size_t i, double part) const {
    double visits = 0, waitNs = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      const ClassState &state = population.states[c];
      visits += state.cyclesPerNs * network.classes[c].at[i].visits;
      waitNs += state.cyclesPerNs * network.classes[c].at[i].visits * state.waitNs[i];
    }
    double &shorter = population.shorter[i];
    if (visits > 0 && waitNs > 0)
      shorter =
          std::min(1.0, shorter * std::pow(network.stations[i].mostWaitNs * visits / waitNs, part));
  }

  /// Finds waiting, throughput and work of a population, which depend on each other.
  void settle(Population &population) const {
    population.states.assign(classes, {0, std::vector<double>(stations, 0)});
    std::vector<double> visits(stations);
    population.keeping.assign(stations, std::vector<Keeping>(classes));
    population.shorter.assign(stations, 1);
    double part = 0.5;
    for (int round = 0; round < mostRounds; ++round) {
      // Where threads that keep locks from each other go round and round, they come to rest.
      if (round > roundsOfKeeping)
        part *= 0.8;
      for (std::size_t i = 0; i < stations; ++i)
        if (!network.stations[i].keeps.empty()) {
          keepLock(population, i, part);
          shortenWaits(population, i, part);
        }
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
          if (load.at[i].visits <= 0)
            continue;
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
          if (load.at[i].visits > 0)
            population.work[c][i] =
                workOf(network.stations[i], load.at[i], threads, rate, state.waitNs[i]);
      }
      if (change <= tolerance)
        break;
    }
  }

  const ClassNetwork &network;
  std::size_t classes, stations;
  PerClass<double> none;
  std::vector<PerClass<double>> corrections; ///< D, by c, k and station
  PerClass<std::size_t> byHold;              ///< the classes that come to a station, by station
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
