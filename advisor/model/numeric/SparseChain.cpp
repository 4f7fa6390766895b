// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/SparseChain.h"

#include "advisor/model/numeric/Gth.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace qdadvise {

namespace {

constexpr double mostSteps = 2e7; ///< of the iteration; a sweep has one for each flow
constexpr double mostSweeps = 5000;
constexpr int sweepsBetween = 10; ///< aggregations
/// The largest change of a sweep, at the end. Large chains are approximations by their phases.
constexpr double tolerance = 1e-12, toleranceOfLarge = 1e-8;
constexpr std::size_t large = 1000; ///< states
/// Rates that are farther apart have the iteration rest long before it is there.
constexpr double farApart = 1e4;

/// Gives each group the probability that it has if the probabilities within the groups are right
/// (Koury, McAllister and Stewart 1984).
void weighGroups(std::vector<double> &probability, const SparseChain &chain,
                 const std::vector<std::size_t> &group) {
  const std::size_t count = *std::max_element(group.begin(), group.end()) + 1;
  std::vector<double> weight(count, 0);
  for (std::size_t i = 0; i < group.size(); ++i)
    weight[group[i]] += probability[i];
  Matrix rates(count, std::vector<double>(count, 0));
  for (const auto &[from, to, rate] : chain.flows)
    if (group[from] != group[to])
      rates[group[from]][group[to]] += probability[from] / weight[group[from]] * rate;
  const std::vector<double> right = stationaryMultiples(std::move(rates));
  for (std::size_t i = 0; i < group.size(); ++i)
    probability[i] *= right[group[i]] / weight[group[i]];
  const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double &p : probability)
    p /= sum;
}

} // namespace

bool isStiff(const SparseChain &chain) {
  if (chain.flows.empty())
    return false;
  const double fastest = *std::max_element(chain.outflow.begin(), chain.outflow.end());
  const auto slowest = std::min_element(
      chain.flows.begin(), chain.flows.end(),
      [](const SparseChain::Flow &a, const SparseChain::Flow &b) { return a.rate < b.rate; });
  return fastest > farApart * slowest->rate;
}

std::vector<double> stationaryOf(const SparseChain &chain, const std::vector<std::size_t> &group) {
  const std::vector<SparseChain::Flow> &flows = chain.flows;
  const std::size_t states = chain.outflow.size();
  std::vector<double> probability(states, 1.0 / static_cast<double>(states));
  if (states == 1)
    return probability;
  const double mostChange = states > large ? toleranceOfLarge : tolerance;
  const double sweeps = std::min(mostSweeps, mostSteps / static_cast<double>(flows.size()));
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
    if (change <= mostChange * sum)
      break;
  }
  return probability;
}

} // namespace qdadvise
