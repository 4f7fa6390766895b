// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Ticks.h"

namespace qdadvise {

double nsPerTick() {
  static const double value = [] {
    const double start = nowNs();
    const std::uint64_t first = readTicks();
    double end = start;
    while ((end = nowNs()) - start < 20e6) {
    }
    return (end - start) / static_cast<double>(readTicks() - first);
  }();
  return value;
}

} // namespace qdadvise
