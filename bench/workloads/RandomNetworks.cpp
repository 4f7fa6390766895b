// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the draws is part of the meaning of a seed. If it changes, the networks change, and
// older results are no longer comparable.
#include "bench/workloads/Draw.h"
#include "bench/workloads/Parts.h"
#include "bench/workloads/Workloads.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace qdadvise::workloads {

namespace {

/// A time around `mean`, of any shape that networks can have.
Duration randomTime(Draw &draw, double mean) {
  const double wholeMean = std::max(1.0, rounded(mean, 0));
  // One in eight does not vary, one in six is exponential.
  switch (draw.pick({3, 4, 17})) {
  case 0:
    return deterministic(wholeMean);
  case 1:
    return exponential(wholeMean);
  default:
    break;
  }
  const double cv = std::max(0.05, rounded(draw.between(0, 2.5), 2));
  if (cv < 0.57 && draw.chance(0.4))
    return uniform(wholeMean, cv);
  // The lognormal distribution has the heavier tail.
  return {wholeMean, cv, draw.chance(0.7) ? Distribution::lognormal : Distribution::gamma};
}

class Generator {
public:
  Generator(std::uint64_t seed, std::size_t index) : draw(seed, index) {}

  Workload make(std::string name) {
    const int locks = draw.whole(1, 6);
    readers = draw.chance(0.25);
    for (int i = 0; i < locks; ++i)
      addLock();
    if (locks > 1 && draw.chance(0.25))
      for (int i = draw.whole(1, 2); i > 0; --i)
        addNested();
    const int threads = static_cast<int>(rounded(draw.logBetween(2, 64), 0));
    const int scaling = addClasses(threads);
    return {std::move(name), builder.take(), {scaling}};
  }

private:
  void addLock() {
    std::uint32_t instances = 1;
    std::vector<double> shares;
    if (draw.chance(0.2)) {
      instances = static_cast<std::uint32_t>(draw.whole(2, 12));
      if (draw.chance(0.7)) {
        // The first ones have more than an even share of the rest.
        double left = 1;
        for (std::uint32_t i = 0, hot = instances > 2 && draw.chance(0.4) ? 2 : 1; i < hot; ++i) {
          const double even = left / (instances - i);
          shares.push_back(rounded(draw.between(even, 0.8 * left), 3));
          left -= shares.back();
        }
      }
    }
    const std::size_t lock =
        builder.addLock(fmt::format("lock{}", builder.built().locks.size()), instances, shares);
    const double holdNs = draw.logBetween(100, 20'000);
    const int sections = 1 + static_cast<int>(draw.pick({6, 3, 1}));
    for (int i = 0; i < sections; ++i) {
      const double factor = i == 0 ? 1 : draw.logBetween(0.25, 4);
      const std::size_t section = builder.addSection(fmt::format("lock{}.section{}", lock, i), lock,
                                                     randomTime(draw, factor * holdNs));
      builder.section(section).shared = readers && draw.chance(0.6);
      outermost.push_back(section);
    }
  }

  /// Inner locks stand behind their outer ones. This order prevents deadlock.
  void addNested() {
    const auto locks = static_cast<int>(builder.built().locks.size());
    std::vector<std::size_t> outer;
    for (const std::size_t section : outermost)
      if (builder.section(section).lock + 1 < static_cast<std::size_t>(locks))
        outer.push_back(section);
    const std::size_t inside = outer[draw.pick(std::vector<double>(outer.size(), 1))];
    const auto lock = static_cast<std::size_t>(
        draw.whole(static_cast<int>(builder.section(inside).lock) + 1, locks - 1));
    const std::size_t section = builder.addSection(fmt::format("nested{}", nested++), lock,
                                                   randomTime(draw, draw.logBetween(50, 5000)));
    builder.section(section).inside = inside;
    builder.section(section).visits = rounded(draw.logBetween(0.1, 2), 2);
  }

  /// Returns how many of the threads scale. Weights are numbers of threads, so that no thread has
  /// to be divided.
  int addClasses(int threads) {
    const int classes = std::min(threads, 1 + static_cast<int>(draw.pick({6, 3, 1})));
    int left = threads, scaling = 0;
    for (int i = 0; i < classes; ++i) {
      const int others = classes - 1 - i;
      const int own = others == 0 ? left : draw.whole(1, left - others);
      left -= own;
      const std::string name = fmt::format("class{}", i);
      if (i > 0 && draw.chance(0.3)) {
        addRouting(builder.addFixedClass(name, own));
      } else {
        addRouting(builder.addClass(name, own));
        scaling += own;
      }
    }
    return scaling;
  }

  /// The first class visits every section, the others some.
  void addRouting(std::size_t threadClass) {
    std::vector<std::size_t> visited;
    for (const std::size_t section : outermost)
      if (threadClass == 0 || draw.chance(0.6))
        visited.push_back(section);
    if (visited.empty())
      visited.push_back(outermost[draw.pick(std::vector<double>(outermost.size(), 1))]);

    // The next section is independent of the last one, depends on it, or is mostly the same.
    const std::size_t manner = draw.pick({5, 3, 2});
    const double localNs = draw.logBetween(100, 30'000);
    const double sticky = manner == 2 ? draw.between(0.5, 0.9) : 0;
    std::vector<double> weights = randomWeights(visited.size());
    for (std::size_t from = 0; from < visited.size(); ++from) {
      if (manner == 1)
        weights = randomWeights(visited.size());
      std::vector<NetworkBuilder::Step> row;
      double left = 1;
      for (std::size_t to = 0; to < visited.size(); ++to) {
        const double share = (1 - sticky) * weights[to] + (to == from ? sticky : 0);
        const double probability =
            to + 1 == visited.size() ? left : std::min(left, rounded(share, 4));
        left = rounded(left - probability, 4);
        if (probability > 0)
          row.push_back(
              {visited[to], probability, randomTime(draw, localNs * draw.logBetween(0.5, 2))});
      }
      builder.addRow(threadClass, visited[from], row);
    }
  }

  std::vector<double> randomWeights(std::size_t count) {
    std::vector<double> weights(count);
    double sum = 0;
    for (double &weight : weights)
      sum += weight = draw.between(0.1, 1.1);
    for (double &weight : weights)
      weight /= sum;
    return weights;
  }

  Draw draw;
  NetworkBuilder builder;
  std::vector<std::size_t> outermost; ///< sections that are not nested
  bool readers = false;
  int nested = 0;
};

} // namespace

const char *nameOf(Part part) { return part == Part::develop ? "develop" : "score"; }

Workload randomNetwork(Part part, std::size_t index) {
  return Generator(part == Part::develop ? developSeed : scoreSeed, index)
      .make(fmt::format("random.{}.{:03}", nameOf(part), index));
}

} // namespace qdadvise::workloads
