// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the iterations of a network came to rest. Those of networks that hardly differ from it
// start there. A gradient needs hundreds of such networks.
#pragma once

#include "advisor/model/mva/Strides.h"
#include "advisor/model/solver/Unknowns.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

namespace qdadvise {

/// The starting points of networks with the same locks, algorithms and thread classes. The first
/// prediction fills them. All others only read them, and so do not depend on their order.
class StartingPoints {
public:
  /// The independent part, instances as in solveWithInstances, and population of the mean class.
  using Key = std::tuple<std::size_t, std::uint32_t, int>;

  /// Null if there is none.
  const Unknowns *find(Key key) const {
    const auto found = points.find(key);
    return found == points.end() ? nullptr : &found->second;
  }
  void keep(Key key, const Unknowns &rest) {
    if (filled)
      return;
    Unknowns &point = points.emplace(key, rest).first->second;
    point.beginAnew();
  }

  /// Whether the first prediction needed no bound (InstanceBounds.h). Then the others need none.
  bool needsNoBound() const { return filled && !bounded; }
  void noteBound(bool needed) { bounded = bounded || (needed && !filled); }
  void close() {
    filled = true;
    for (auto &[key, plan] : plans)
      plan.made = true;
  }

  /// The populations that solutions leave out, by the largest one that is asked for. Null where the
  /// first prediction had none.
  StridePlan *strides(Key key) {
    if (!filled)
      return &plans[key];
    const auto found = plans.find(key);
    return found == plans.end() ? nullptr : &found->second;
  }

private:
  bool filled = false, bounded = false;
  std::map<Key, Unknowns> points;
  std::map<Key, StridePlan> plans;
};

} // namespace qdadvise
