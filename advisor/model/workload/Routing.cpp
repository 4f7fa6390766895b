// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Routing.h"

#include "advisor/model/numeric/Gth.h"

#include <algorithm>

namespace qdadvise {

namespace {

/// Strongly connected components (Tarjan 1972, without recursion): the component of
/// every state. A component has a higher number than those it leads to.
std::vector<std::size_t> components(const std::vector<std::vector<std::size_t>> &edges) {
  constexpr auto none = static_cast<std::size_t>(-1);
  const std::size_t count = edges.size();
  std::vector<std::size_t> order(count, none), low(count, 0), component(count, none), stack;
  std::size_t next = 0, found = 0;
  struct Frame {
    std::size_t state, edge;
  };
  for (std::size_t root = 0; root < count; ++root) {
    if (order[root] != none)
      continue;
    std::vector<Frame> path{{root, 0}};
    order[root] = low[root] = next++;
    stack.push_back(root);
    while (!path.empty()) {
      const std::size_t state = path.back().state;
      if (path.back().edge < edges[state].size()) {
        const std::size_t to = edges[state][path.back().edge++];
        if (order[to] == none) {
          order[to] = low[to] = next++;
          stack.push_back(to);
          path.push_back({to, 0});
        } else if (component[to] == none) {
          low[state] = std::min(low[state], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty())
        low[path.back().state] = std::min(low[path.back().state], low[state]);
      if (low[state] != order[state])
        continue;
      std::size_t member = none;
      do {
        member = stack.back();
        stack.pop_back();
        component[member] = found;
      } while (member != state);
      ++found;
    }
  }
  return component;
}

} // namespace

std::vector<RoutingPart> recurrentParts(const Network &network, std::size_t threadClass) {
  // Only sections with transitions of the class take part. In a valid network these are closed.
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> stateOf(network.sections.size(), none), sectionOf;
  for (const Transition &transition : network.transitions)
    if (transition.threadClass == threadClass && stateOf[transition.from] == none) {
      stateOf[transition.from] = sectionOf.size();
      sectionOf.push_back(transition.from);
    }
  const std::size_t count = sectionOf.size();
  Matrix chain(count, std::vector<double>(count, 0));
  std::vector<std::vector<std::size_t>> edges(count);
  for (const Transition &transition : network.transitions)
    if (transition.threadClass == threadClass && transition.probability > 0) {
      chain[stateOf[transition.from]][stateOf[transition.to]] += transition.probability;
      edges[stateOf[transition.from]].push_back(stateOf[transition.to]);
    }

  const auto component = components(edges);
  const std::size_t parts = count ? *std::max_element(component.begin(), component.end()) + 1 : 0;
  std::vector<bool> closed(parts, true);
  for (std::size_t from = 0; from < count; ++from)
    for (const auto to : edges[from])
      if (component[to] != component[from])
        closed[component[from]] = false;

  // A thread may start anywhere. Transient states are eliminated one by one, and each hands on its
  // share of the starts.
  std::vector<double> start(count, count ? 1.0 / static_cast<double>(count) : 0);
  std::vector<std::size_t> rest(count);
  for (std::size_t i = 0; i < count; ++i)
    rest[i] = i;
  Matrix reduced = chain;
  for (std::size_t state = 0; state < count; ++state) {
    if (closed[component[state]])
      continue;
    rest.erase(std::find(rest.begin(), rest.end(), state));
    const double leaving = eliminate(reduced, state, rest);
    for (const auto to : rest)
      start[to] += start[state] * reduced[state][to] / leaving;
    start[state] = 0;
  }

  std::vector<RoutingPart> result;
  for (std::size_t part = 0; part < parts; ++part) {
    if (!closed[part])
      continue;
    std::vector<std::size_t> states;
    RoutingPart routing;
    for (std::size_t state = 0; state < count; ++state)
      if (component[state] == part) {
        states.push_back(state);
        routing.share += start[state];
      }
    const auto visits = stationary(chain, states);
    routing.visits.assign(network.sections.size(), 0);
    for (std::size_t i = 0; i < states.size(); ++i)
      routing.visits[sectionOf[states[i]]] = visits[i];
    result.push_back(std::move(routing));
  }
  return result;
}

} // namespace qdadvise
