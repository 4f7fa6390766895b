// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random times with the mean, the variation and the shape that a network gives them.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/sim/EventQueue.h"

#include <random>
#include <vector>

namespace qdadvise::sim {

using Random = std::mt19937_64;

/// In [0, 1).
inline double uniform(Random &random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Draws times of a duration. Without a `dist`, a time is deterministic (cv 0), exponential (cv 1)
/// or lognormal.
class TimeSampler {
public:
  explicit TimeSampler(const Duration &duration = {});
  Time draw(Random &random) const;
  double meanNs() const { return mean; }

private:
  Distribution shape = Distribution::deterministic;
  double mean = 0;
  double first = 0, second = 0; ///< the distribution's own parameters
};

/// Draws an index, by weights.
class ChoiceSampler {
public:
  explicit ChoiceSampler(const std::vector<double> &weights = {});
  std::size_t draw(Random &random) const { return sums.size() < 2 ? 0 : at(uniform(random)); }
  /// The index at this place, from 0 to 1.
  std::size_t at(double place) const;

private:
  std::vector<double> sums;
};

} // namespace qdadvise::sim
