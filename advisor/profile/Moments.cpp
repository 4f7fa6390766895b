// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"

#include <algorithm>

namespace qdadvise {

void Moments::merge(const Moments &other) {
  if (other.count == 0)
    return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double n = static_cast<double>(count);
  const double m = static_cast<double>(other.count);
  const double delta = other.mean - mean;
  mean += delta * (m / (n + m));
  m2 += other.m2 + delta * delta * (n / (n + m)) * m;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  count += other.count;
}

void ProfiledReaders::merge(const ProfiledReaders &other) {
  most = std::max(most, other.most);
  heldNs += other.heldNs;
  busy.merge(other.busy);
}

} // namespace qdadvise
