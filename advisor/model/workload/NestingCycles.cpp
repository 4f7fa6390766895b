// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/NestingCycles.h"

#include "advisor/model/workload/Nesting.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace qdadvise {

namespace {

/// A lock is taken while another one is held.
struct Edge {
  std::size_t from, to;
  std::set<std::size_t> around; ///< locks that are held outside of `from`, of which there is one
};

std::vector<Edge> edgesOf(const Network &network, const std::vector<Traffic> &traffic) {
  const Nesting nesting(network);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < network.sections.size(); ++i) {
    const Section &inner = network.sections[i];
    const bool visited = std::any_of(traffic.begin(), traffic.end(),
                                     [i](const Traffic &one) { return one.visits[i] > 0; });
    if (!inner.inside || !visited || nesting.reentrant(i) || network.locks[inner.lock].perThread)
      continue;
    for (auto outer = inner.inside; outer; outer = network.sections[*outer].inside) {
      Edge edge{network.sections[*outer].lock, inner.lock, {}};
      if (edge.from == edge.to || network.locks[edge.from].perThread)
        continue;
      for (auto around = network.sections[*outer].inside; around;
           around = network.sections[*around].inside) {
        const Section &section = network.sections[*around];
        if (network.locks[section.lock].instances == 1 && !section.shared)
          edge.around.insert(section.lock);
      }
      edges.push_back(std::move(edge));
    }
  }
  return edges;
}

/// By lock, the locks that follow it, directly or not. There are few edges.
std::vector<std::set<std::size_t>> reachable(std::size_t locks, const std::vector<Edge> &edges) {
  std::vector<std::set<std::size_t>> direct(locks), result(locks);
  for (const Edge &edge : edges)
    direct[edge.from].insert(edge.to);
  for (std::size_t start = 0; start < locks; ++start) {
    std::vector<std::size_t> next(direct[start].begin(), direct[start].end());
    while (!next.empty()) {
      const std::size_t at = next.back();
      next.pop_back();
      if (result[start].insert(at).second)
        next.insert(next.end(), direct[at].begin(), direct[at].end());
    }
  }
  return result;
}

/// Whether one lock is held around all sections of the cycle.
bool isGuarded(const NestingCycle &cycle, const std::vector<Edge> &edges) {
  std::optional<std::set<std::size_t>> common;
  const auto isIn = [&](std::size_t lock) {
    return std::binary_search(cycle.locks.begin(), cycle.locks.end(), lock);
  };
  for (const Edge &edge : edges) {
    if (!isIn(edge.from) || !isIn(edge.to))
      continue;
    std::set<std::size_t> both;
    if (common)
      std::set_intersection(common->begin(), common->end(), edge.around.begin(), edge.around.end(),
                            std::inserter(both, both.end()));
    else
      both = edge.around;
    common = both;
  }
  return common &&
         std::any_of(common->begin(), common->end(), [&](std::size_t lock) { return !isIn(lock); });
}

} // namespace

std::vector<NestingCycle> nestingCycles(const Network &network,
                                        const std::vector<Traffic> &traffic) {
  const std::vector<Edge> edges = edgesOf(network, traffic);
  const std::vector<std::set<std::size_t>> after = reachable(network.locks.size(), edges);
  std::vector<NestingCycle> result;
  std::set<std::size_t> known;
  for (std::size_t i = 0; i < after.size(); ++i) {
    NestingCycle cycle{{i}, network.locks[i].instances == 1};
    for (const std::size_t other : after[i])
      if (other != i && after[other].count(i) > 0) {
        cycle.locks.push_back(other);
        cycle.alwaysMeets = cycle.alwaysMeets && network.locks[other].instances == 1;
      }
    std::sort(cycle.locks.begin(), cycle.locks.end());
    if (cycle.locks.size() < 2 || !known.insert(cycle.locks.front()).second ||
        isGuarded(cycle, edges))
      continue;
    result.push_back(std::move(cycle));
  }
  return result;
}

Network withCyclesAsOneLock(const Network &network, const std::vector<NestingCycle> &cycles,
                            const std::vector<LockKind> &kinds, const Machine &machine) {
  Network result = network;
  for (const NestingCycle &cycle : cycles) {
    const std::size_t one = cycle.locks.front();
    result.locks[one].instances = 1;
    result.locks[one].shares.clear();
    for (Section &section : result.sections)
      if (std::binary_search(cycle.locks.begin(), cycle.locks.end(), section.lock))
        section.lock = one;
  }
  const Nesting before(network), after(result);
  for (std::size_t i = 0; i < result.sections.size(); ++i) {
    const LockKind kind = kinds[network.sections[i].lock];
    const auto costs = machine.kinds.find(kind);
    if (before.reentrant(i) || !after.reentrant(i) || kind == LockKind::ideal ||
        costs == machine.kinds.end())
      continue;
    Duration &hold = result.sections[i].hold;
    hold.skewness = skewnessOf(hold);
    hold.dist = Distribution::unspecified;
    const double longerNs = hold.mean + costs->second.handoffCurve()(1);
    hold.cv *= longerNs > 0 ? hold.mean / longerNs : 1; // what is added does not vary
    hold.mean = longerNs;
  }
  return result;
}

std::string namesOf(const NestingCycle &cycle, const Network &network) {
  std::vector<std::string> names;
  for (const std::size_t lock : cycle.locks)
    names.push_back(network.locks[lock].name);
  return enumerated(names);
}

} // namespace qdadvise
