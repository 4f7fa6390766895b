// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of one class went from section to section, with counts and times, and the
// operations that make a closed chain of that.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace qdadvise {

/// All observations of the way from one node to another. Counts may be fractions, since closing the
/// chain divides flows.
struct Flow {
  double count = 0;
  double localMean = 0, localVariance = 0; ///< ns, ns^2
  double blockedMean = 0;                  ///< ns

  static Flow of(const Moments &local, const Moments &blocked);
  /// Adds the observations of another flow between the same nodes.
  void merge(const Flow &other);
  /// A flow of `times` observations that goes this way and then `next`.
  Flow then(const Flow &next, double times) const;
};

/// A directed graph of flows. Its nodes are any indices; `outside` is the node that threads come
/// from and go to.
class Chain {
public:
  static constexpr std::size_t outside = static_cast<std::size_t>(-1);

  void add(std::size_t from, std::size_t to, const Flow &flow);

  /// Makes as much enter each node as leaves it: visits that had not left a node when recording
  /// stopped go outside, and visits that nothing led to come from outside.
  void balance();

  /// Takes a node out. Its flows go on from their sources to their destinations, and take `within`
  /// besides.
  void eliminate(std::size_t node, const Flow &within = {});

  /// A node that is entered from outside only, or left to outside only, but not both. Each thread
  /// passes it once, at its beginning or end.
  std::optional<std::size_t> beginningOrEnd() const;

  /// Sets the times on the ways through `outside` to the mean of the other flows, for a chain in
  /// which how threads began and ended is no part of the cycle.
  void forgetOutsideTimes();

  /// Has flows that were taken no more than `most` times taken `share` times as often.
  void thinOut(double most, double share);

  /// Has threads blocked for so long in all, in ns, on their ways to outside. Nothing happens where
  /// no flow leads there.
  void blockOutside(double ns);

  /// How often a node was entered.
  double visitsTo(std::size_t node) const;

  /// The sum of count times (local + blocked) over flows that touch `outside`, in ns.
  double outsideNs() const;
  /// The same over all other flows.
  double insideNs() const;
  /// How often the other flows were taken.
  double insideCount() const;

  const std::map<std::pair<std::size_t, std::size_t>, Flow> &flows() const { return edges; }

private:
  std::map<std::pair<std::size_t, std::size_t>, Flow> edges;
};

} // namespace qdadvise
