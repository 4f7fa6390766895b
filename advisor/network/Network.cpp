// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Network.h"

#include <algorithm>

namespace qdadvise {

double skewnessOf(const Duration &duration) {
  const double cv = duration.cv;
  if (duration.skewness)
    return *duration.skewness;
  switch (duration.dist) {
  case Distribution::exponential:
    return 2;
  case Distribution::deterministic:
  case Distribution::uniform:
    return 0;
  case Distribution::gamma:
    return 2 * cv;
  case Distribution::unspecified:
    if (cv == 1)
      return 2;
    break;
  case Distribution::lognormal:
    break;
  }
  return cv * (3 + cv * cv);
}

double Duration::independentSamples() const {
  return samples == 0 ? 0 : std::max(1.0, static_cast<double>(samples) / inefficiency);
}

double leastSkewness(double cv) { return cv > 0 ? cv - 1 / cv : 0; }

} // namespace qdadvise
