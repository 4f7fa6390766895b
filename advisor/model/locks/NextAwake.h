// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who goes on when a thread leaves a lock while others sleep there (MX39, docs/theory/mutex.md).
// Times in nanoseconds.
#pragma once

#include <cmath>

namespace qdadvise {

struct NextAwake {
  double alone = 0;   ///< probability that nobody else is awake
  double isWoken = 1; ///< probability that this release wakes somebody, not an earlier one
  double gapNs = 0;   ///< from the end of the call that wakes it until it is awake
  double callNs = 0;  ///< the call, which it makes itself after its section
  double awayNs = 1;  ///< mean time until the thread that leaves comes back

  /// For this share of its time away, which is exponential, the thread meets nobody from the lock,
  /// only because the next one had to be woken.
  double late() const { return alone * (1 - inTime(awayNs)); }
  /// This is late() where the time away varies without bound: half of it is in sections that are
  /// half as long, the other half in sections without an end, as in (MX36).
  double lateIfVarying() const { return alone * (1 - inTime(awayNs / 2)) / 2; }

private:
  double inTime(double ns) const {
    const double gap = gapNs / ns;
    // After an earlier call some of the gap is over.
    const double ofEarlier = gap > 0 ? -std::expm1(-gap) / gap : 1;
    return std::exp(-callNs / ns) * (isWoken * std::exp(-gap) + (1 - isWoken) * ofEarlier);
  }
};

} // namespace qdadvise
