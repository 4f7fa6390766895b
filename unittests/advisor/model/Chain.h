// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Markov chain, state by state: an oracle that knows nothing of queueing theory beyond
// the definition.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace qdadvise::test {

/// A transition to a state, with its rate.
template <typename State> using Flows = std::vector<std::pair<State, double>>;

/// The stationary probability of every state that can be reached from `first`.
template <typename State>
std::map<State, double> stationary(const State &first,
                                   const std::function<Flows<State>(const State &)> &flows) {
  std::map<State, std::size_t> index{{first, 0}};
  std::vector<State> states{first};
  std::vector<std::vector<std::pair<std::size_t, double>>> rates;
  for (std::size_t from = 0; from < states.size(); ++from) {
    rates.emplace_back();
    for (const auto &[to, rate] : flows(states[from])) {
      const auto [place, isNew] = index.emplace(to, states.size());
      if (isNew)
        states.push_back(to);
      rates.back().emplace_back(place->second, rate);
    }
  }
  // State reduction (Grassmann, Taksar and Heyman 1985): no subtraction, no digit lost.
  const std::size_t count = states.size();
  std::vector<std::vector<double>> q(count, std::vector<double>(count, 0));
  for (std::size_t from = 0; from < count; ++from)
    for (const auto &[to, rate] : rates[from])
      q[from][to] += rate;
  for (std::size_t k = count; k-- > 1;) {
    double leaving = 0;
    for (std::size_t to = 0; to < k; ++to)
      leaving += q[k][to];
    for (std::size_t from = 0; from < k; ++from) {
      if (q[from][k] == 0)
        continue;
      q[from][k] /= leaving;
      for (std::size_t to = 0; to < k; ++to)
        q[from][to] += q[from][k] * q[k][to];
    }
  }
  std::vector<double> p(count, 1);
  double sum = 1;
  for (std::size_t k = 1; k < count; ++k) {
    p[k] = 0;
    for (std::size_t from = 0; from < k; ++from)
      p[k] += p[from] * q[from][k];
    sum += p[k];
  }
  std::map<State, double> result;
  for (std::size_t i = 0; i < count; ++i)
    result[states[i]] = p[i] / sum;
  return result;
}

} // namespace qdadvise::test
