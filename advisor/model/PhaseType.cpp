// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/PhaseType.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

PhaseType fitPhases(double meanNs, double cv2, int mostPhases) {
  if (cv2 == 1)
    return {{1 / meanNs}, {0}};
  if (cv2 >= 0.5)
    return {{2 / meanNs, 1 / (meanNs * cv2)}, {1 / (2 * cv2), 0}};
  const double least = std::max(cv2, 1.0 / mostPhases);
  // Rounding must not make 1 / (1 / k) one phase more.
  const double k = std::max(2.0, std::ceil(1 / least - 1e-9));
  const double root = std::sqrt(std::max(0.0, k * (1 + least) - k * k * least));
  const double p = std::clamp((k * least - root) / (1 + least), 0.0, 1.0);
  const auto phases = static_cast<std::size_t>(k);
  PhaseType fit{std::vector<double>(phases, (k - p) / meanNs), std::vector<double>(phases, 1)};
  fit.onward[phases - 2] = 1 - p;
  fit.onward[phases - 1] = 0;
  return fit;
}

} // namespace qdadvise
