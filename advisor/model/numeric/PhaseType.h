// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time as exponential phases, which is what a Markov chain can follow. By its mean s and
// squared coefficient of variation c2 (Marie 1980 for c2 >= 1; Tijms, Stochastic Models,
// 1994, for less):
//   c2 = 1      one phase
//   c2 >= 1/2   two of rates 2/s and 1/(s c2), the second with probability 1/(2 c2)
//   c2 < 1/2    k - 1 or k = ceil(1/c2) of rate (k - p)/s, k - 1 with probability
//               p = (k c2 - sqrt(k (1 + c2) - k^2 c2)) / (1 + c2)
// By its skewness g as well, where c2 >= 1/2 (with less it hardly matters), as an Erlang time
// of mean 1 times another time Y of few values:
//   g <= 2c     as skewed as a gamma distribution or less: two values of Y, by three moments,
//               and the least order that allows them (Johnson and Taaffe 1989)
//   g = 3c+c^3  lognormal: no few moments say what its tail does, but Y is lognormal as well,
//               and has the values and weights of Gauss and Hermite's quadrature
//   between     a mixture of the two with that skewness
#pragma once

#include <vector>

namespace qdadvise {

/// Begins in phase j with probability begin[j]. After it follows j + 1 with probability
/// onward[j], else the time is over; the last onward is 0.
struct PhaseType {
  std::vector<double> rates; ///< per nanosecond
  std::vector<double> onward, begin;
};

double meanNs(const PhaseType &phases);

/// `meanNs` > 0, `cv2` >= 0. With at most `mostPhases` >= 2 phases; c2 is raised to
/// 1/mostPhases where it is less.
PhaseType fitTwoMoments(double meanNs, double cv2, int mostPhases = 20);

/// The same, with a skewness; one that is out of reach becomes the nearest. With few phases
/// allowed a lognormal's fit is coarser, and with very few there is no skewness.
PhaseType fitPhases(double meanNs, double cv2, double skewness, int mostPhases = 24);

} // namespace qdadvise
