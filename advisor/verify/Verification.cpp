// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/verify/Verification.h"

#include <algorithm>

namespace qdadvise {

MedianInterval gainOf(const VerifiedThreads &threads, bool isRate) {
  std::vector<double> ratios;
  for (std::size_t pair = 0; pair != threads.before.size(); ++pair)
    ratios.push_back(isRate ? threads.after[pair] / threads.before[pair]
                            : threads.before[pair] / threads.after[pair]);
  return medianInterval(std::move(ratios));
}

Fit fitOf(const MedianInterval &measured, const PredictedGain &predicted) {
  if (measured.low > predicted.high)
    return Fit::measuredMore;
  return measured.high < predicted.low ? Fit::measuredLess : Fit::agrees;
}

bool isLoss(const MedianInterval &gain) { return gain.high < 1; }

bool isLoss(const Verification &verification) {
  return std::ranges::any_of(verification.measured, [&](const VerifiedThreads &threads) {
    return isLoss(gainOf(threads, verification.isRate));
  });
}

} // namespace qdadvise
