// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/MeasuredDuration.h"

#include <cmath>

namespace qdadvise {

Duration durationOf(double mean, double variance, std::uint64_t samples) {
  Duration duration;
  duration.mean = mean;
  duration.samples = samples;
  // A single observation says nothing of the spread, which is then that of an exponential.
  if (samples > 1)
    duration.cv = mean > 0 ? std::sqrt(variance) / mean : 0;
  return duration;
}

double releaseNs(const Machine &machine, LockKind kind) {
  const auto costs = machine.kinds.find(kind);
  if (costs == machine.kinds.end())
    return 0;
  const auto overhead = costs->second.figures.find("lock_overhead_ns");
  return overhead == costs->second.figures.end() ? 0 : overhead->second.value / 2;
}

} // namespace qdadvise
