// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/Fixes.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

double varianceOf(const Duration &time) { return std::pow(time.cv * time.mean, 2); }

/// The sum of a time and of another, independent one that occurs `times` times on average.
Duration sum(const Duration &first, const Duration &then, double times = 1) {
  if (then.mean * times == 0)
    return first;
  if (first.mean == 0 && times == 1)
    return then;
  const double variance = varianceOf(first) + times * varianceOf(then);
  Duration result;
  result.mean = first.mean + times * then.mean;
  result.cv = std::sqrt(variance) / result.mean;
  if (variance > 0) {
    const double third = skewnessOf(first) * std::pow(varianceOf(first), 1.5) +
                         times * skewnessOf(then) * std::pow(varianceOf(then), 1.5);
    result.skewness = std::max(third / std::pow(variance, 1.5), leastSkewness(result.cv));
  }
  // The number of observations that gives the error of both means together.
  const auto error = [](const Duration &time) {
    return time.samples > 0 ? varianceOf(time) / time.independentSamples() : 0;
  };
  const double errors = error(first) + times * times * error(then);
  if (errors > 0)
    result.samples = static_cast<std::uint64_t>(std::max(1.0, std::round(variance / errors)));
  return result;
}

Duration part(Duration time, double share) {
  time.mean *= share;
  return time;
}

/// The sum of independent runs until one succeeds, `runs` on average.
Duration repeated(Duration once, double runs) {
  if (once.mean == 0 || runs == 1)
    return once;
  const double variance =
      runs * varianceOf(once) + runs * (runs - 1) * once.mean * once.mean; // geometric
  Duration result = part(once, runs);
  result.cv = std::sqrt(variance) / result.mean;
  result.dist = Distribution::unspecified;
  result.skewness.reset();
  return result;
}

/// Adds time that a thread runs between the section's release and whatever comes next.
void runAfter(Network &network, std::size_t section, const Duration &time) {
  const Section &released = network.sections[section];
  const auto inPhase = [&](std::size_t phase) {
    return released.phases.empty() ? SectionInPhase() : released.phases[phase];
  };
  // The figure of a phase is relative to the mean, of which so much is `time` now.
  const auto addTo = [](double &figure, double meanNs, double addedNs, double ofPhase) {
    if (meanNs > 0)
      figure = ((meanNs - addedNs) * figure + addedNs * ofPhase) / meanNs;
  };
  if (released.inside) {
    Section &outer = network.sections[*released.inside];
    outer.hold = sum(outer.hold, time, released.visits);
    outer.phases.resize(network.phases.size());
    for (std::size_t phase = 0; phase < network.phases.size(); ++phase)
      addTo(outer.phases[phase].hold, outer.hold.mean, time.mean * released.visits,
            inPhase(phase).hold * inPhase(phase).visits);
    return;
  }
  for (Transition &transition : network.transitions) {
    if (transition.from != section)
      continue;
    transition.local = sum(transition.local, time);
    if (transition.phases.empty())
      transition.phases.assign(network.phases.size(), {transition.probability});
    for (std::size_t phase = 0; phase < network.phases.size(); ++phase)
      addTo(transition.phases[phase].local, transition.local.mean, time.mean, inPhase(phase).hold);
  }
}

} // namespace

Network shrunk(Network network, std::size_t section, double share) {
  Duration &hold = network.sections[section].hold;
  const Duration moved = part(hold, share);
  hold = part(hold, 1 - share);
  runAfter(network, section, moved);
  return network;
}

Network split(Network network, std::size_t lock, std::uint32_t ways) {
  Lock &whole = network.locks[lock];
  whole.instances *= ways;
  std::vector<double> shares;
  for (const double share : whole.shares)
    shares.insert(shares.end(), ways, share / ways);
  whole.shares = std::move(shares);
  return network;
}

/// One instance for each part, as busy as that: waiting depends most on how busy a lock is.
Network separated(Network network, std::size_t lock, std::vector<double> heldShares) {
  network.locks[lock].instances = static_cast<std::uint32_t>(heldShares.size());
  network.locks[lock].shares = std::move(heldShares);
  return network;
}

Network sharing(Network network, const std::vector<std::size_t> &sections) {
  for (const std::size_t section : sections)
    network.sections[section].shared = true;
  return network;
}

Network asUpdates(Network network, std::size_t lock, double transferNs) {
  for (Section &section : network.sections)
    if (section.lock == lock) {
      section.hold = {transferNs, 0, Distribution::deterministic};
      section.footprint.reset();
    }
  return network;
}

Network asRuns(Network network, std::size_t lock, const std::vector<double> &runs) {
  for (std::size_t i = 0; i != network.sections.size(); ++i)
    if (network.sections[i].lock == lock) {
      const Duration time = repeated(network.sections[i].hold, runs[i]);
      network.sections[i].hold = part(network.sections[i].hold, 0);
      runAfter(network, i, time);
    }
  return network;
}

} // namespace qdadvise
