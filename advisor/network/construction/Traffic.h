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
  /// Of the busiest; the rest share what is left evenly. Empty: all alike.
  std::vector<double> shares;
  /// Locks beyond max_locks were not told apart; their number follows from their traffic.
  bool guessed = false;
};

/// Locks whose counts differ by no more than chance are made equal, so that a model
/// computes them once.
TrafficShares trafficShares(const Profile &profile, std::size_t lockClass);

/// The same for counts alone.
TrafficShares trafficShares(std::vector<std::uint64_t> acquisitions);

} // namespace qdadvise
