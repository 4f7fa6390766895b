// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Cumulants.h"

#include <cmath>

namespace qdadvise {

Cumulants Cumulants::of(const Duration &duration) {
  const double deviation = duration.cv * duration.mean, variance = deviation * deviation;
  return {duration.mean, variance, skewnessOf(duration) * variance * deviation};
}

void Cumulants::add(const Cumulants &other, double times) {
  mean += times * other.mean;
  variance += times * other.variance;
  third += times * other.third;
}

double Cumulants::cv2() const { return mean > 0 ? variance / (mean * mean) : 1; }

double Cumulants::skewness() const {
  if (mean <= 0)
    return 2;
  return variance > 0 ? third / (variance * std::sqrt(variance)) : 0;
}

Cumulants mixture(const std::vector<std::pair<double, Cumulants>> &times) {
  double weights = 0;
  for (const auto &[weight, time] : times)
    weights += weight;
  Cumulants all;
  for (const auto &[weight, time] : times)
    all.mean += weight / weights * time.mean;
  for (const auto &[weight, time] : times) {
    const double share = weight / weights, off = time.mean - all.mean;
    all.variance += share * (time.variance + off * off);
    all.third += share * (time.third + off * (3 * time.variance + off * off));
  }
  return all;
}

} // namespace qdadvise
