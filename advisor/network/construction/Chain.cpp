// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Chain.h"

#include <algorithm>

namespace qdadvise {

Flow Flow::of(const Moments &local, const Moments &blocked) {
  return {static_cast<double>(local.count), std::max(local.mean, 0.0), local.variance(),
          std::max(blocked.mean, 0.0)};
}

void Flow::merge(const Flow &other) {
  const double total = count + other.count;
  if (total <= 0)
    return;
  const double share = other.count / total;
  const double delta = other.localMean - localMean;
  localVariance +=
      share * (other.localVariance - localVariance) + share * (1 - share) * delta * delta;
  localMean += share * delta;
  blockedMean += share * (other.blockedMean - blockedMean);
  count = total;
}

Flow Flow::then(const Flow &next, double times) const {
  return {times, localMean + next.localMean, localVariance + next.localVariance,
          blockedMean + next.blockedMean};
}

void Chain::add(std::size_t from, std::size_t to, const Flow &flow) {
  if (flow.count > 0)
    edges[{from, to}].merge(flow);
}

void Chain::balance() {
  std::map<std::size_t, double> surplus; // how much more entered than left
  for (const auto &[ends, flow] : edges) {
    surplus[ends.second] += flow.count;
    surplus[ends.first] -= flow.count;
  }
  for (const auto &[node, count] : surplus) {
    if (node == outside)
      continue;
    const bool stays = count > 0;
    Flow &flow = edges[stays ? std::pair(node, outside) : std::pair(outside, node)];
    // Flows that were not seen have the times of those that were, or none.
    if (count != 0)
      flow.count += stays ? count : -count;
  }
  std::erase_if(edges, [](const auto &edge) { return edge.second.count <= 0; });
}

void Chain::eliminate(std::size_t node, const Flow &within) {
  std::vector<std::pair<std::size_t, Flow>> in, out;
  Flow loop;
  double leaving = 0;
  for (auto edge = edges.begin(); edge != edges.end();) {
    const auto [from, to] = edge->first;
    if (from != node && to != node) {
      ++edge;
      continue;
    }
    if (from == node && to == node)
      loop = edge->second;
    else if (to == node)
      in.emplace_back(from, edge->second);
    else
      out.emplace_back(to, edge->second);
    leaving += from == node && to != node ? edge->second.count : 0;
    edge = edges.erase(edge);
  }
  if (leaving <= 0)
    return;
  // A visit takes the loop so many times on average before it leaves.
  const double rounds = loop.count / leaving;
  Flow stay = within;
  stay.localMean += rounds * (loop.localMean + within.localMean);
  stay.localVariance += rounds * (loop.localVariance + within.localVariance);
  stay.blockedMean += rounds * (loop.blockedMean + within.blockedMean);
  for (const auto &[from, before] : in)
    for (const auto &[to, after] : out)
      add(from, to, before.then(stay, 0).then(after, before.count * (after.count / leaving)));
}

std::optional<std::size_t> Chain::beginningOrEnd() const {
  std::map<std::size_t, bool> entered, left; // whether from, or to, other nodes
  for (const auto &[ends, flow] : edges) {
    if (ends.second != outside)
      entered[ends.second] |= ends.first != outside;
    if (ends.first != outside)
      left[ends.first] |= ends.second != outside;
  }
  for (const auto &[node, fromOthers] : entered)
    if (fromOthers != left[node])
      return node;
  return std::nullopt;
}

void Chain::forgetOutsideTimes() {
  Flow mean;
  for (const auto &[ends, flow] : edges)
    if (ends.first != outside && ends.second != outside)
      mean.merge(flow);
  for (auto &[ends, flow] : edges) {
    // Two flows make one way through outside; the one that comes from there carries the time.
    const bool enters = ends.first == outside;
    if (enters || ends.second == outside)
      flow = {flow.count, enters ? mean.localMean : 0, enters ? mean.localVariance : 0,
              enters ? mean.blockedMean : 0};
  }
}

void Chain::thinOut(double most, double share) {
  for (auto &[ends, flow] : edges)
    if (flow.count <= most)
      flow.count *= share;
}

void Chain::blockOutside(double ns) {
  const double times = visitsTo(outside);
  for (auto &[ends, flow] : edges)
    if (ends.second == outside)
      flow.blockedMean += ns / times;
}

double Chain::visitsTo(std::size_t node) const {
  double visits = 0;
  for (const auto &[ends, flow] : edges)
    visits += ends.second == node ? flow.count : 0;
  return visits;
}

namespace {

double sumOf(const std::map<std::pair<std::size_t, std::size_t>, Flow> &edges, bool outside,
             double (*value)(const Flow &flow)) {
  double sum = 0;
  for (const auto &[ends, flow] : edges)
    if ((ends.first == Chain::outside || ends.second == Chain::outside) == outside)
      sum += value(flow);
  return sum;
}

double timeOf(const Flow &flow) { return flow.count * (flow.localMean + flow.blockedMean); }

} // namespace

double Chain::outsideNs() const { return sumOf(edges, true, timeOf); }
double Chain::insideNs() const { return sumOf(edges, false, timeOf); }
double Chain::insideCount() const {
  return sumOf(edges, false, [](const Flow &flow) { return flow.count; });
}

} // namespace qdadvise
