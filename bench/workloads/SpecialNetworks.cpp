// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random networks of which the usual ones hardly have any: threads that stay at a lock, and
// computation between sections that takes the same time each time.
#include "bench/workloads/Draw.h"
#include "bench/workloads/Parts.h"
#include "bench/workloads/Workloads.h"

#include <cmath>
#include <fmt/format.h>

namespace qdadvise::workloads {

namespace {

/// Set apart from the streams of the usual networks.
constexpr std::uint64_t streamOf(Special special, std::size_t index) {
  return (static_cast<std::uint64_t>(special) + 1) * 1'000'000 + index;
}

Duration holdingTime(Draw &draw, double mean) {
  switch (draw.pick({1, 2, 2})) {
  case 0:
    return deterministic(mean);
  case 1:
    return exponential(mean);
  default:
    return {mean, std::max(0.05, rounded(draw.between(0, 1.5), 2)), Distribution::gamma};
  }
}

/// To every lock alike, or mostly to the last one again.
std::vector<NetworkBuilder::Step> rowOf(std::size_t from, std::size_t locks, double again,
                                        const Duration &local) {
  std::vector<NetworkBuilder::Step> row;
  double left = 1;
  for (std::size_t to = 0; to < locks; ++to) {
    const double share = (1 - again) / static_cast<double>(locks) + (to == from ? again : 0);
    const double probability = to + 1 == locks ? left : rounded(share, 4);
    left = rounded(left - probability, 4);
    row.push_back({to, probability, local});
  }
  return row;
}

} // namespace

const char *nameOf(Special special) {
  return special == Special::sticky ? "sticky" : "constant-local";
}

Workload specialNetwork(Part part, Special special, std::size_t index) {
  Draw draw(part == Part::develop ? developSeed : scoreSeed, streamOf(special, index));
  NetworkBuilder builder;
  const bool sticky = special == Special::sticky;
  const auto locks = static_cast<std::size_t>(draw.whole(sticky ? 2 : 1, 6));
  for (std::size_t i = 0; i < locks; ++i)
    builder.addSection(fmt::format("section{}", i), builder.addLock(fmt::format("lock{}", i)),
                       holdingTime(draw, rounded(draw.logBetween(100, 20'000), 0)));
  const int threads = static_cast<int>(rounded(draw.logBetween(2, 64), 0));
  const std::size_t threadClass = builder.addClass("class0", threads);
  const double again = sticky ? draw.between(0.5, 0.95) : 0;
  const double localNs = rounded(draw.logBetween(100, 30'000), 0);
  const Duration local = sticky ? exponential(localNs) : deterministic(localNs);
  for (std::size_t from = 0; from < locks; ++from)
    builder.addRow(threadClass, from, rowOf(from, locks, again, local));
  return {
      fmt::format("{}.{}.{:03}", nameOf(special), nameOf(part), index), builder.take(), {threads}};
}

} // namespace qdadvise::workloads
