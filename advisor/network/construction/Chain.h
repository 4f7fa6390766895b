// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of one class went from section to section: counts and times, and
// what it takes to make a closed chain of them.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace qdadvise {

/// What happened between two nodes, over all times that it did. Counts may be
/// fractions: closing the chain divides what was counted whole.
struct Flow {
  double count = 0;
  double localMean = 0, localVariance = 0; ///< ns, ns^2
  double blockedMean = 0;                  ///< ns

  static Flow of(const Moments &local, const Moments &blocked);
  /// Pools the observations of another flow between the same nodes.
  void merge(const Flow &other);
  /// This and then `next`, `times` times in all.
  Flow then(const Flow &next, double times) const;
};

/// A directed graph of flows. Its nodes are any indices; `outside` stands for where
/// threads come from and go to.
class Chain {
public:
  static constexpr std::size_t outside = static_cast<std::size_t>(-1);

  void add(std::size_t from, std::size_t to, const Flow &flow);

  /// Sends what ends in a node, without having left it when recording stopped, outside,
  /// and lets what begins there come from outside: then as much enters as leaves.
  void balance();

  /// Takes a node out. What went through it goes on from its sources to its
  /// destinations, having spent `within` there as well.
  void eliminate(std::size_t node, const Flow &within = {});

  /// A node that is entered from outside only, or left to outside only, if there is one besides
  /// those that go on: each thread passes it once, at its beginning or end.
  std::optional<std::size_t> beginningOrEnd() const;

  /// The times on the ways through `outside` are those of beginnings and ends. Where they
  /// are no part of the cycle, this sets them to the mean of the other flows first.
  void forgetOutsideTimes();

  /// Sum over flows that touch `outside` of count times (local + blocked), in ns.
  double outsideNs() const;
  /// The same over all other flows.
  double insideNs() const;
  /// How often these were taken.
  double insideCount() const;

  const std::map<std::pair<std::size_t, std::size_t>, Flow> &flows() const { return edges; }

private:
  std::map<std::pair<std::size_t, std::size_t>, Flow> edges;
};

} // namespace qdadvise
