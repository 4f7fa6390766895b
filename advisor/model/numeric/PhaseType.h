// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times as exponential phases, which a Markov chain can follow (docs/theory/phases.md). A fit by
// the mean s and the squared coefficient of variation c2 (Marie 1980 for c2 >= 1; Tijms, Stochastic
// Models, 1994, for less):
//   (PH1) c2 = 1      one phase
//   (PH2) c2 >= 1/2   two phases of rates 2/s and 1/(s c2), the second with probability 1/(2 c2)
//   (PH3) c2 < 1/2    k - 1 or k = ceil(1/c2) phases of rate (k - p)/s, k - 1 with probability
//                     p = (k c2 - sqrt(k (1 + c2) - k^2 c2)) / (1 + c2)
// Where c2 >= 1/2 the skewness g matters, too. The fit by three moments is an Erlang time of mean 1
// times another time Y that has few values:
//   (PH4) g <= 2c     at most as skewed as a gamma distribution: two values of Y by three moments,
//                     with the least Erlang order that allows them (Johnson and Taaffe 1989)
//   (PH5) g = 3c+c^3  lognormal: few moments do not determine the tail, but Y is lognormal as well,
//                     and has the points and weights of Gauss-Hermite quadrature
//   (PH6) between     a mixture of the two with that skewness
// Boost.Math has neither such fits nor Gauss-Hermite points.
#pragma once

#include <vector>

namespace qdadvise {

/// Begins in phase j with probability begin[j]. Phase j + 1 follows with probability onward[j];
/// otherwise the time is over. The last onward is 0.
struct PhaseType {
  std::vector<double> rates; ///< per nanosecond
  std::vector<double> onward, begin;
};

double meanNs(const PhaseType &phases);
double cv2Of(const PhaseType &phases); ///< squared coefficient of variation

/// A fit by two moments: `meanNs` > 0, `cv2` >= 0. It has at most `mostPhases` >= 2 phases; a
/// smaller c2 than 1/mostPhases becomes that.
PhaseType fitTwoMoments(double meanNs, double cv2, int mostPhases = 20);

/// A fit by three moments. A skewness that is out of reach becomes the nearest one. With few phases
/// the fit of a lognormal time is coarser, and with very few the skewness does not count.
PhaseType fitPhases(double meanNs, double cv2, double skewness, int mostPhases = 24);

} // namespace qdadvise
