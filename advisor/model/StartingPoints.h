// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the iterations of one network came to rest: those of networks that hardly differ from it
// begin there. A gradient needs hundreds of them.
#pragma once

#include "advisor/model/Unknowns.h"

#include <cstdint>
#include <map>
#include <utility>

namespace qdadvise {

/// Of networks with the same locks, algorithms and thread classes. The first solution is kept, so
/// that the others do not depend on their order.
class StartingPoints {
public:
  /// `instances` tells apart what the solver makes of one network, `population` as there.
  using Key = std::pair<std::uint32_t, int>;

  /// Null where there is none.
  const Unknowns *find(Key key) const {
    const auto found = points.find(key);
    return found == points.end() ? nullptr : &found->second;
  }
  void keep(Key key, const Unknowns &rest) {
    Unknowns &point = points.emplace(key, rest).first->second;
    point.beginAnew();
  }

  /// Whether the first solution was one of locks taken inside themselves for which no bound had to
  /// stand in: then it stands in for none of the others.
  bool needsNoBound = false;

private:
  std::map<Key, Unknowns> points;
};

} // namespace qdadvise
