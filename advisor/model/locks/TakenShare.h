// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

namespace qdadvise {

/// P, the share of the time in which a lock of sleepers is taken by other threads, which come
/// `perNs` times per nanosecond (MX13). One that finds it free takes it for `aloneNs`, and any
/// other one for `saturatedNs`, of which it is free for a while.
inline double takenShare(double perNs, double aloneNs, double saturatedNs) {
  const double inSections = std::min(1.0, perNs * aloneNs);
  const double rest = 1 - perNs * std::max(0.0, saturatedNs - aloneNs);
  return std::sqrt(inSections * (rest > inSections ? inSections / rest : 1));
}

} // namespace qdadvise
