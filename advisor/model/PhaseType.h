// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time as a series of exponential phases with the same mean and variance, which is what
// a Markov chain can follow (Marie 1980 for cv >= 1; Tijms, Stochastic Models, 1994, for
// less). With squared coefficient of variation c2 and mean s:
//   c2 = 1      one phase
//   c2 >= 1/2   two of rates 2/s and 1/(s c2), the second with probability 1/(2 c2)
//   c2 < 1/2    k - 1 or k = ceil(1/c2) of rate (k - p)/s, k - 1 with probability
//               p = (k c2 - sqrt(k (1 + c2) - k^2 c2)) / (1 + c2)
#pragma once

#include <vector>

namespace qdadvise {

/// Begins in the first phase. After phase j follows j + 1 with probability onward[j], else
/// the time is over; the last onward is 0.
struct PhaseType {
  std::vector<double> rates; ///< per nanosecond
  std::vector<double> onward;
};

/// `meanNs` > 0, `cv2` >= 0. With at most `mostPhases` >= 2 phases; c2 is raised to
/// 1/mostPhases where it is less.
PhaseType fitPhases(double meanNs, double cv2, int mostPhases = 20);

} // namespace qdadvise
