// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the iterations of one network came to rest: those of networks that hardly differ from it
// begin there. A gradient needs hundreds of them.
#pragma once

#include "advisor/model/solver/Unknowns.h"

#include <cstdint>
#include <map>
#include <utility>

namespace qdadvise {

/// Of networks with the same locks, algorithms and thread classes. The first prediction fills them;
/// all others only read, so that they depend neither on their order nor on each other.
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
    if (filled)
      return;
    Unknowns &point = points.emplace(key, rest).first->second;
    point.beginAnew();
  }

  /// Whether, of locks taken inside themselves, none needed a bound: then none of the others does.
  bool needsNoBound() const { return unbounded; }
  void noteBound(bool needed) { unbounded = filled ? unbounded : !needed; }
  void close() { filled = true; }

private:
  bool filled = false, unbounded = false;
  std::map<Key, Unknowns> points;
};

} // namespace qdadvise
