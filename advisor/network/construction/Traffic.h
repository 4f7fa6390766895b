// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the traffic of a lock class spreads over its locks.
#pragma once

#include "advisor/profile/Profile.h"

#include <cstdint>
#include <vector>

namespace qdadvise {

struct TrafficShares {
  std::uint32_t instances = 1;
  /// The shares of the busiest; the others divide the rest evenly. Empty where all are alike.
  std::vector<double> shares;
  /// Whether there are locks beyond max_locks, which were not told apart. Their number follows from
  /// their traffic.
  bool guessed = false;
};

/// Locks whose counts differ by no more than chance count as equal, so that a model computes them
/// once.
TrafficShares trafficShares(const Profile &profile, std::size_t lockClass);

} // namespace qdadvise
