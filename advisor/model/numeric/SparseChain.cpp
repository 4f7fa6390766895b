// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/SparseChain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace qdadvise {

namespace {

constexpr double mostSteps = 2e7; ///< of the iteration, one a flow

/// The stationary distribution of an irreducible chain with these rates, by state reduction
/// (Grassmann, Taksar and Heyman 1985), in proportion.
std::vector<double> reduce(std::vector<std::vector<double>> rates) {
  for (std::size_t k = rates.size(); k-- > 1;) {
    double leaving = 0;
    for (std::size_t to = 0; to < k; ++to)
      leaving += rates[k][to];
    for (std::size_t from = 0; from < k; ++from) {
      if (rates[from][k] <= 0)
        continue;
      rates[from][k] /= leaving;
      for (std::size_t to = 0; to < k; ++to)
        rates[from][to] += rates[from][k] * rates[k][to];
    }
  }
  std::vector<double> result(rates.size(), 1);
  for (std::size_t k = 1; k < rates.size(); ++k) {
    result[k] = 0;
    for (std::size_t from = 0; from < k; ++from)
      result[k] += result[from] * rates[from][k];
  }
  return result;
}

/// Gives each group the probability that it has if all is right within the groups
/// (Koury, McAllister and Stewart 1984).
void weighGroups(std::vector<double> &probability, const SparseChain &chain,
                 const std::vector<std::size_t> &group) {
  const std::size_t count = *std::max_element(group.begin(), group.end()) + 1;
  std::vector<double> weight(count, 0);
  for (std::size_t i = 0; i < group.size(); ++i)
    weight[group[i]] += probability[i];
  std::vector<std::vector<double>> rates(count, std::vector<double>(count, 0));
  for (const auto &[from, to, rate] : chain.flows)
    if (group[from] != group[to])
      rates[group[from]][group[to]] += probability[from] / weight[group[from]] * rate;
  const std::vector<double> right = reduce(std::move(rates));
  for (std::size_t i = 0; i < group.size(); ++i)
    probability[i] *= right[group[i]] / weight[group[i]];
  const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double &p : probability)
    p /= sum;
}

} // namespace

std::vector<double> stationaryOf(const SparseChain &chain, const std::vector<std::size_t> &group) {
  const std::vector<SparseChain::Flow> &flows = chain.flows;
  const std::size_t states = chain.outflow.size();
  std::vector<double> probability(states, 1.0 / static_cast<double>(states));
  if (states == 1)
    return probability;
  // Large chains are approximations by their phases already.
  const double tolerance = states > 1000 ? 1e-8 : 1e-12;
  constexpr int sweepsBetween = 10;
  const double sweeps = std::min(5000.0, mostSteps / static_cast<double>(flows.size()));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (!group.empty() && sweep % sweepsBetween == 0)
      weighGroups(probability, chain, group);
    double change = 0, sum = 0;
    auto flow = flows.begin();
    for (std::size_t i = 0; i < states; ++i) {
      double in = 0;
      for (; flow != flows.end() && flow->to == i; ++flow)
        in += probability[flow->from] * flow->rate;
      in /= chain.outflow[i];
      change += std::abs(in - probability[i]);
      sum += probability[i] = in;
    }
    for (double &p : probability)
      p /= sum;
    if (change <= tolerance * sum)
      break;
  }
  return probability;
}

} // namespace qdadvise
