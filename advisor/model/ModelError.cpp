// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/ModelError.h"

#include <algorithm>

namespace qdadvise {

double throughputError(const Prediction &prediction, const std::vector<std::string> &kinds,
                       const std::function<bool(std::size_t lock)> &counts) {
  double inSystem = 0;
  for (const LockPrediction &lock : prediction.locks)
    inSystem += lock.queueLength;
  const double threads = std::max(prediction.threads, inSystem);
  double largest = 0;
  for (std::size_t lock = 0; lock < kinds.size(); ++lock) {
    const LockAlgorithm *row = findLockAlgorithm(kinds[lock]);
    if (!row || !counts(lock))
      continue;
    const LockPrediction &at = prediction.locks[lock];
    const double waiting = at.throughputPerS * 1e-9 * at.waitNs / threads;
    largest = std::max(largest, *row->modelError * std::min(1.0, 3 * waiting));
  }
  return largest;
}

} // namespace qdadvise
