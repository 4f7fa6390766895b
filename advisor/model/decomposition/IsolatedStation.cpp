// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/IsolatedStation.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

double sum(const std::vector<double> &values) {
  double total = 0;
  for (const double value : values)
    total += value;
  return total;
}

/// Rate at which operations in these phases end.
double ending(const PhaseType &phases, const std::vector<double> &state) {
  double total = 0;
  for (std::size_t j = 0; j < state.size(); ++j)
    total += state[j] * phases.rates[j] * (1 - phases.onward[j]);
  return total;
}

double at(const std::vector<double> &speed, std::size_t n) {
  return speed[std::min(n, speed.size()) - 1];
}

/// Goes through the levels. Each is scaled to a sum of 1.
class Levels {
public:
  explicit Levels(const IsolatedStation &station)
      : station(station), own(station.own.rates.size(), 0), served(station.service.rates.size(), 0),
        offset(served), slope(served) {}

  /// From n - 1 to n threads, at these rates of arrival. Returns the probability of n relative to
  /// that of n - 1.
  double advance(std::size_t n, double before, double arrival) {
    const double entering = n == 1 ? before : 0; // threads that find nobody
    const double ownSpeed = at(station.ownSpeed, n);
    advanceOwn(before, arrival, own.empty() ? 0 : entering, ownSpeed);
    const double ownEnding = ending(station.own, own) * ownSpeed;
    double finished = station.delegates && n > 1 ? 0 : ownEnding;
    if (!station.delegates || n > 1) {
      const double speed = at(station.speed, n);
      const double beginning = own.empty() ? entering : station.delegates ? ownEnding : 0;
      advanceServed(before, arrival, beginning, speed);
      finished += ending(station.service, served) * speed * (station.delegates && n == 2 ? 2 : 1);
    }
    const double total = sum(own) + sum(served);
    for (double &one : own)
      one /= total;
    for (double &one : served)
      one /= total;
    throughput = finished / total;
    return total;
  }
  double throughput = 0;

private:
  void advanceOwn(double before, double arrival, double entering, double speed) {
    double inflow = 0;
    for (std::size_t j = 0; j < own.size(); ++j) {
      const double rate = station.own.rates[j] * speed;
      inflow += entering * station.own.begin[j];
      own[j] = (before * own[j] + inflow) / (arrival + rate);
      inflow = rate * station.own.onward[j] * own[j];
    }
  }
  void advanceServed(double before, double arrival, double beginning, double speed) {
    const PhaseType &phases = station.service;
    double offsetBefore = 0, slopeBefore = 0;
    for (std::size_t j = 0; j < served.size(); ++j) {
      const double outflow = arrival + speed * phases.rates[j];
      offset[j] = (before * served[j] + offsetBefore) / outflow;
      slope[j] = (phases.begin[j] + slopeBefore) / outflow;
      const double onward = speed * phases.rates[j] * phases.onward[j];
      offsetBefore = onward * offset[j];
      slopeBefore = onward * slope[j];
    }
    // Arrivals take `arrival` sum(slope) of the beginning operations to the next level. The rest
    // ends on this one.
    const double all =
        (beginning + arrival * (sum(own) + sum(offset))) / (speed * ending(phases, slope));
    for (std::size_t j = 0; j < served.size(); ++j)
      served[j] = offset[j] + slope[j] * all;
  }

  const IsolatedStation &station;
  std::vector<double> own, served; ///< A and B of the level
  std::vector<double> offset, slope;
};

} // namespace

double IsolatedState::present() const {
  double mean = 0;
  for (std::size_t n = 1; n < probability.size(); ++n)
    mean += static_cast<double>(n) * probability[n];
  return mean;
}

double IsolatedState::arrivalRate(const std::vector<double> &arrivals) const {
  double mean = 0;
  for (std::size_t n = 0; n < arrivals.size(); ++n)
    mean += arrivals[n] * probability[n];
  return mean;
}

IsolatedState solveIsolated(const IsolatedStation &station, const std::vector<double> &arrivals) {
  const std::size_t threads = arrivals.size();
  // Logarithms until the largest is known: with 4096 threads the range is too large for doubles.
  IsolatedState state{std::vector<double>(threads + 1, 0), std::vector<double>(threads + 1, 0)};
  Levels levels(station);
  for (std::size_t n = 1; n <= threads; ++n) {
    const double factor = levels.advance(n, arrivals[n - 1], n < threads ? arrivals[n] : 0);
    state.probability[n] = state.probability[n - 1] + std::log(factor);
    state.throughput[n] = levels.throughput;
  }
  const double largest = *std::max_element(state.probability.begin(), state.probability.end());
  double total = 0;
  for (double &p : state.probability)
    total += p = std::exp(p - largest);
  for (double &p : state.probability)
    p /= total;
  return state;
}

std::vector<double> exponentialThroughput(const IsolatedStation &station, int threads) {
  std::vector<double> result(static_cast<std::size_t>(threads) + 1, 0);
  const double rate = 1 / meanNs(station.service);
  for (std::size_t n = 1; n < result.size(); ++n)
    result[n] = rate * at(station.speed, n);
  if (!station.own.rates.empty() && threads > 0)
    result[1] = 1 / meanNs(station.own);
  return result;
}

} // namespace qdadvise
