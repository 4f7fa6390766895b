// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/Replications.h"

#include "bench/accuracy/Scores.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise::accuracy {

namespace {

/// The quantile of Student's t at 97.5 %.
double quantile(std::size_t freedom) {
  static constexpr std::array few{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  const auto n = static_cast<double>(freedom);
  return freedom <= few.size() ? few[freedom - 1] : 1.96 + 2.4 / n + 2.8 / (n * n);
}

template <typename Of> Estimate meanOf(const std::vector<Simulated> &all, Of of) {
  const auto count = static_cast<double>(all.size());
  double sum = 0, within = 0, between = 0;
  for (const Simulated &one : all) {
    sum += of(one).value;
    within += of(one).half * of(one).half;
  }
  const double mean = sum / count;
  for (const Simulated &one : all)
    between += (of(one).value - mean) * (of(one).value - mean);
  return {mean, std::max(std::sqrt(within) / count,
                         quantile(all.size() - 1) * std::sqrt(between / (count - 1) / count))};
}

} // namespace

Simulated combine(const std::vector<Simulated> &replications) {
  Simulated result = replications.front();
  if (replications.size() == 1)
    return result;
  result.throughputPerS =
      meanOf(replications, [](const Simulated &one) { return one.throughputPerS; });
  for (std::size_t i = 0; i < result.locks.size(); ++i) {
    Simulated::Lock &lock = result.locks[i];
    lock.waitNs = meanOf(replications, [i](const Simulated &one) { return one.locks[i].waitNs; });
    lock.residenceNs = meanOf(replications, [i](const Simulated &one) {
                         return Estimate{one.locks[i].residenceNs, 0};
                       }).value;
    lock.chance = waitIsScored(lock) && lock.waitNs.half > knownWaitShare * lock.waitNs.value;
  }
  return result;
}

} // namespace qdadvise::accuracy
