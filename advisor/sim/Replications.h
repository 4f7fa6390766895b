// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several independent runs of a simulation say together (docs/theory/simulation.md, equations
// (SIM12) and (SIM13)). Threads may stay in one part of their routing for longer than a run:
// batches of one run do not show that, other runs do.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/sim/Estimates.h"
#include "advisor/sim/Workload.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace qdadvise::sim {

class Replications {
public:
  Replications(const Network &network, const std::vector<ThreadPlan> &plan)
      : network(network), plan(plan) {}

  void add(const Workload &run);
  std::size_t size() const { return runs.size(); }

  /// As BatchMeans has them. The wider of the intervals from single runs and from the differences
  /// between runs.
  Estimate ratio(std::size_t quantity, std::size_t over) const;
  Estimate ratio(std::size_t quantity, std::size_t less, std::size_t over) const;

  std::uint64_t completions() const { return sections; }
  std::uint64_t accesses() const { return allAccesses; }
  std::size_t starving() const { return mostStarving; }

  /// The completions per nanosecond that follow from the visits that the routing has, where the
  /// runs had other ones: too short for it. None where they had these.
  std::optional<double> throughputByRouting() const;

private:
  Estimate ratioOf(std::size_t quantity, std::optional<std::size_t> less, std::size_t over) const;

  const Network &network;
  const std::vector<ThreadPlan> &plan;
  std::vector<BatchMeans> runs;
  std::vector<std::vector<Workload::Steps>> steps; ///< by part of the routing, by section
  std::uint64_t sections = 0, allAccesses = 0;
  std::size_t mostStarving = 0;
};

} // namespace qdadvise::sim
