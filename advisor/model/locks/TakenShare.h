// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// Shares of the time, by other threads, which come to a lock of sleepers `perNs` times per
/// nanosecond. One that finds it free takes it for `aloneNs`, and any other one for `saturatedNs`,
/// of which it is free for a while.
struct TakenShare {
  double wanted; ///< they have the lock or are about to have it: u' of (MX13)
  double taken;  ///< P of (MX13)

  TakenShare(double perNs, double aloneNs, double saturatedNs) {
    const double inSections = perNs * aloneNs;
    const double rest = 1 - perNs * std::max(0.0, saturatedNs - aloneNs);
    wanted = rest > inSections ? inSections / rest : 1;
    taken = std::sqrt(std::min(1.0, inSections) * wanted);
  }
};

} // namespace qdadvise
