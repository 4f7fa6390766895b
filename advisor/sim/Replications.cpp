// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Replications.h"

#include <algorithm>
#include <cmath>

namespace qdadvise::sim {

namespace {

/// Visits that differ from the routing's by this share, beyond what chance explains, are others.
constexpr double otherVisits = 0.02;

} // namespace

void Replications::add(const Workload &run) {
  runs.push_back(run.counted());
  sections += run.counted().completions();
  allAccesses += run.accesses();
  mostStarving = std::max(mostStarving, run.starving());
  const auto &seen = run.steps();
  steps.resize(seen.size());
  for (std::size_t part = 0; part < seen.size(); ++part) {
    steps[part].resize(seen[part].size());
    for (std::size_t i = 0; i < seen[part].size(); ++i) {
      steps[part][i].count += seen[part][i].count;
      steps[part][i].ns += seen[part][i].ns;
    }
  }
}

Estimate Replications::ratioOf(std::size_t quantity, std::optional<std::size_t> less,
                               std::size_t over) const {
  const auto within = [&](const BatchMeans &run) {
    return less ? run.ratio(quantity, *less, over) : run.ratio(quantity, over);
  };
  if (runs.size() == 1)
    return within(runs.front());
  // Each run counts as if it had lasted as long as the others.
  std::vector<double> numerators, denominators;
  double numerator = 0, denominator = 0, squares = 0;
  for (const BatchMeans &run : runs) {
    const double lasted = run.sum(Workload::elapsed);
    const double each = lasted > 0 ? run.sum(over) / lasted : 0;
    denominators.push_back(each);
    numerators.push_back(lasted > 0 ? (run.sum(quantity) - (less ? run.sum(*less) : 0)) / lasted
                                    : 0);
    numerator += numerators.back();
    denominator += each;
    const double half = within(run).halfWidth * each;
    squares += half * half;
  }
  Estimate estimate;
  if (denominator <= 0)
    return estimate;
  estimate.value = numerator / denominator;
  double between = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double residual = numerators[i] - estimate.value * denominators[i];
    between += residual * residual;
  }
  const auto count = static_cast<double>(runs.size());
  estimate.halfWidth = std::max(std::sqrt(squares),
                                quantile95(count - 1) * std::sqrt(between * count / (count - 1))) /
                       denominator;
  return estimate;
}

Estimate Replications::ratio(std::size_t quantity, std::size_t over) const {
  return ratioOf(quantity, std::nullopt, over);
}

Estimate Replications::ratio(std::size_t quantity, std::size_t less, std::size_t over) const {
  return ratioOf(quantity, less, over);
}

std::optional<double> Replications::throughputByRouting() const {
  const std::vector<RoutingSteps> parts = routingSteps(network);
  double throughput = 0;
  bool others = false;
  for (std::size_t part = 0; part < steps.size(); ++part) {
    const auto threads = std::count_if(
        plan.begin(), plan.end(), [part](const ThreadPlan &thread) { return thread.part == part; });
    const RoutingSteps &routing = parts[part];
    double seen = 0;
    for (const Workload::Steps &each : steps[part])
      seen += static_cast<double>(each.count);
    if (threads == 0 || seen == 0)
      continue;
    double difference = 0, chance = 0, stepNs = 0;
    for (std::size_t i = 0; i < steps[part].size(); ++i) {
      const double share = routing.shares[i];
      const auto count = static_cast<double>(steps[part][i].count);
      difference += std::abs(count / seen - share) / 2;
      chance += std::sqrt(share / seen);
      stepNs += share * (count > 0 ? steps[part][i].ns / count : routing.stepNs[i]);
    }
    others = others || difference > otherVisits + chance;
    throughput += static_cast<double>(threads) * routing.sectionsPerStep / stepNs;
  }
  return others ? std::optional(throughput) : std::nullopt;
}

} // namespace qdadvise::sim
