// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// The share of the time in which other threads, which come `perNs` times per nanosecond, have a
/// lock of sleepers or are about to have it: u' of (MX13). One that finds it free takes it for
/// `aloneNs`, and any other one for `saturatedNs`.
inline double wantedShare(double perNs, double aloneNs, double saturatedNs) {
  const double rest = 1 - perNs * std::max(0.0, saturatedNs - aloneNs);
  return rest > perNs * aloneNs ? perNs * aloneNs / rest : 1;
}

/// P, the share in which the lock is taken, of which it is free for a while (MX13).
inline double takenShare(double perNs, double aloneNs, double saturatedNs) {
  return std::sqrt(std::min(1.0, perNs * aloneNs) * wantedShare(perNs, aloneNs, saturatedNs));
}

} // namespace qdadvise
