// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Isolated locks against their Markov chains.
#include "advisor/model/decomposition/IsolatedStation.h"

#include "Chain.h"

#include <gtest/gtest.h>
#include <tuple>

namespace qdadvise {

namespace {

using namespace test;

/// Threads present, whether the one in service runs its own operation, and its phase.
using State = std::tuple<std::size_t, bool, std::size_t>;

Flows<State> flowsOf(const IsolatedStation &station, const std::vector<double> &arrivals,
                     const State &from) {
  const auto [n, own, phase] = from;
  const bool delegates = station.delegates;
  Flows<State> flows;
  // An operation begins in one of its phases.
  const auto begin = [&](std::size_t there, bool itsOwn, double rate) {
    const std::vector<double> &begins = (itsOwn ? station.own : station.service).begin;
    for (std::size_t j = 0; j < begins.size(); ++j)
      if (begins[j] > 0)
        flows.emplace_back(State{there, itsOwn, j}, rate * begins[j]);
  };
  if (n == 0) {
    begin(1, !station.own.rates.empty(), arrivals[0]);
    return flows;
  }
  if (n < arrivals.size())
    flows.emplace_back(State{n + 1, own, phase}, arrivals[n]);
  const PhaseType &phases = own ? station.own : station.service;
  const double speed = own ? 1 : station.speed[std::min(n, station.speed.size()) - 1];
  const double rate = speed * phases.rates[phase], onward = phases.onward[phase];
  if (onward > 0)
    flows.emplace_back(State{n, own, phase + 1}, rate * onward);
  if (onward == 1)
    return flows;
  if (n == 1 || (delegates && !own && n == 2))
    flows.emplace_back(State{0, false, 0}, rate * (1 - onward));
  else // after its own operation the holder helps
    begin(own && delegates ? n : n - 1, false, rate * (1 - onward));
  return flows;
}

void expectTheChain(const IsolatedStation &station, const std::vector<double> &arrivals) {
  std::vector<double> probability(arrivals.size() + 1, 0), completions(probability);
  const auto chain = stationary<State>(
      {0, false, 0}, [&](const State &at) { return flowsOf(station, arrivals, at); });
  for (const auto &[state, p] : chain) {
    const std::size_t n = std::get<0>(state);
    probability[n] += p;
    for (const auto &[to, rate] : flowsOf(station, arrivals, state))
      if (std::get<0>(to) < n)
        completions[n] += p * rate * static_cast<double>(n - std::get<0>(to));
  }
  const IsolatedState state = solveIsolated(station, arrivals);
  for (std::size_t n = 0; n <= arrivals.size(); ++n) {
    EXPECT_NEAR(state.probability[n] / probability[n], 1, 1e-9) << n << " threads";
    if (n > 0) {
      EXPECT_NEAR(state.throughput[n] * probability[n] / completions[n], 1, 1e-9)
          << n << " threads, delegates " << station.delegates;
    }
  }
}

std::vector<std::vector<double>> someArrivals() {
  std::vector<std::vector<double>> result;
  for (const double scale : {1e-5, 1e-3, 0.1})
    result.push_back({5 * scale, 4 * scale, 4 * scale, 2 * scale, 0.3 * scale});
  result.push_back({1e-3}); // one thread
  return result;
}

TEST(IsolatedStation, ServesOneAfterTheOther) {
  for (const auto &arrivals : someArrivals())
    for (const double cv2 : {0.2, 0.7, 1.0, 3.0}) {
      expectTheChain({fitTwoMoments(500, cv2), {1}, {}}, arrivals);
      expectTheChain({fitTwoMoments(500, cv2), {1, 0.8, 0.5}, {}}, arrivals);
    }
  for (const auto &arrivals : someArrivals())
    expectTheChain({fitPhases(500, 2.25, 7), {1, 0.8}, {}}, arrivals);
}

TEST(IsolatedStation, KnowsWhoFoundTheLockFree) {
  // Who helps those who delegate, or has those who come later wait for a handoff.
  for (const bool delegates : {true, false})
    for (const auto &arrivals : someArrivals()) {
      for (const double cv2 : {0.2, 0.7, 1.0, 3.0})
        expectTheChain({fitTwoMoments(500, cv2),
                        {1, 1, 1.2, 1.3},
                        fitTwoMoments(800, 0.6 * cv2),
                        {1},
                        delegates},
                       arrivals);
      expectTheChain({fitPhases(500, 2.25, 3), {1, 1, 1.2}, fitPhases(800, 1.5, 9), {1}, delegates},
                     arrivals);
    }
}

TEST(IsolatedStation, LosesNoDigitsAtTheEndsOfTheRange) {
  // Exponential service: p(n) is a product, its logarithms are a sum.
  const std::size_t threads = 4096;
  for (const double ratio : {1e-6, 1.0, 1e6}) {
    std::vector<double> arrivals(threads), logs(threads + 1, 0);
    for (std::size_t n = 0; n < threads; ++n) {
      arrivals[n] = static_cast<double>(threads - n) * ratio / 1e5;
      logs[n + 1] = logs[n] + std::log(arrivals[n] * 100);
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (double &log : logs)
      sum += log = std::exp(log - largest);
    const IsolatedState state = solveIsolated({fitTwoMoments(100, 1), {1}, {}}, arrivals);
    for (std::size_t n = 0; n <= threads; ++n)
      if (logs[n] > 1e-200)
        EXPECT_NEAR(state.probability[n] / (logs[n] / sum), 1, 1e-8) << n;
  }
}

} // namespace

} // namespace qdadvise
