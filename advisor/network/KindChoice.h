// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which algorithms a prediction has at the locks of a network.
#pragma once

#include "advisor/network/Network.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// One algorithm at every lock, or at each lock the one that the program has today.
struct KindChoice {
  KindChoice() = default; ///< today's
  KindChoice(LockKind everywhere) : everywhere(everywhere) {}

  friend bool operator==(const KindChoice &, const KindChoice &) = default;

  const char *name() const { return everywhere ? nameOf(*everywhere) : "recorded"; }
  const char *label() const { return everywhere ? algorithmOf(*everywhere).label : "as recorded"; }

  /// The algorithm of each lock. It is LockKind::unknown where nobody knows today's.
  std::vector<LockKind> at(const Network &network) const {
    std::vector<LockKind> kinds;
    for (const Lock &lock : network.locks)
      kinds.push_back(everywhere.value_or(lock.kind.kind));
    return kinds;
  }

  std::optional<LockKind> everywhere; ///< none: today's
};

} // namespace qdadvise
