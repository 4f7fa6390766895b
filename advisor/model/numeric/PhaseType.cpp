// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/PhaseType.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace qdadvise {

namespace {

PhaseType inSeries(std::vector<double> rates, std::vector<double> onward) {
  std::vector<double> begin(rates.size(), 0);
  begin.front() = 1;
  return {std::move(rates), std::move(onward), std::move(begin)};
}

/// A value of Y, of mean 1, and its probability.
struct Value {
  double weight, factor;
};

/// Adds an Erlang time of this order and mean, times Y, with probability `share`.
void add(PhaseType &to, double share, double meanNs, int order, const std::vector<Value> &values) {
  for (const auto &[weight, factor] : values)
    for (int phase = 1; phase <= order; ++phase) {
      to.rates.push_back(order / (meanNs * factor));
      to.onward.push_back(phase < order ? 1 : 0);
      to.begin.push_back(phase == 1 ? share * weight : 0);
    }
}

/// Gauss-Hermite points and weights, for a normal distribution.
constexpr Value fivePoints[] = {{0.011257411327720689, -2.8569700138728056},
                                {0.22207592200561266, -1.355626179974266},
                                {0.5333333333333333, 0},
                                {0.22207592200561266, 1.355626179974266},
                                {0.011257411327720689, 2.8569700138728056}};
constexpr Value threePoints[] = {
    {1.0 / 6, -1.7320508075688772}, {2.0 / 3, 0}, {1.0 / 6, 1.7320508075688772}};

/// A fit of a lognormal time: the order of the Erlang time, and the logarithms of Y.
struct LognormalFit {
  int order;
  std::span<const Value> points;

  int phases() const { return order * static_cast<int>(points.size()); }
  std::vector<Value> values(double cv2) const {
    const double sigma = std::sqrt(std::max(0.0, std::log((1 + cv2) / (1 + 1.0 / order))));
    std::vector<Value> result;
    double mean = 0;
    for (const auto &[weight, point] : points) {
      result.push_back({weight, std::exp(sigma * point)});
      mean += weight * result.back().factor;
    }
    for (Value &value : result)
      value.factor /= mean;
    return result;
  }
};
/// The finest come first.
constexpr LognormalFit lognormalFits[] = {
    {4, fivePoints}, {2, fivePoints}, {1, fivePoints}, {1, threePoints}};

/// Adds a time of these three moments (PH4).
void addTwoValues(PhaseType &to, double share, double meanNs, double cv2, double skewness,
                  int mostPhases) {
  const int highest = std::min(10, mostPhases / 2);
  constexpr double rounding = 1e-9;
  const double second = 1 + cv2, third = 1 + 3 * cv2 + skewness * cv2 * std::sqrt(cv2);
  for (int order = 1;; ++order) {
    // Y's variance and third central moment, then its values.
    const double yVariance = second / (1 + 1.0 / order) - 1;
    const double yThird = third / ((1 + 1.0 / order) * (1 + 2.0 / order)) - 1 - 3 * yVariance;
    // Below this the lower value would be negative.
    const double least = yVariance * (yVariance - 1);
    if (order < highest && (yVariance < -rounding || yThird < least - rounding))
      continue;
    if (yVariance <= rounding)
      return add(to, share, meanNs, order, {{1, 1}});
    const double middle = std::max(yThird, least) / yVariance;
    const double span = std::sqrt(middle * middle + 4 * yVariance);
    const double low = std::max(1e-6, 1 + (middle - span) / 2), high = 1 + (middle + span) / 2;
    const double weight = (high - 1) / (high - low);
    return add(to, share, meanNs, order, {{weight, low}, {1 - weight, high}});
  }
}

} // namespace

double meanNs(const PhaseType &phases) {
  double total = 0, reached = 0;
  for (std::size_t j = 0; j < phases.rates.size(); ++j) {
    reached += phases.begin[j];
    total += reached / phases.rates[j];
    reached *= phases.onward[j];
  }
  return total;
}

double cv2Of(const PhaseType &phases) {
  double mean = 0, square = 0, restMean = 0, restSquare = 0; // of the rest from a phase on
  for (std::size_t j = phases.rates.size(); j-- > 0;) {
    const double phase = 1 / phases.rates[j], onward = phases.onward[j];
    restSquare = 2 * phase * phase + onward * (2 * phase * restMean + restSquare);
    restMean = phase + onward * restMean;
    mean += phases.begin[j] * restMean;
    square += phases.begin[j] * restSquare;
  }
  return square / (mean * mean) - 1;
}

PhaseType fitTwoMoments(double meanNs, double cv2, int mostPhases) {
  if (cv2 == 1)
    return inSeries({1 / meanNs}, {0});
  if (cv2 >= 0.5)
    return inSeries({2 / meanNs, 1 / (meanNs * cv2)}, {1 / (2 * cv2), 0});
  const double least = std::max(cv2, 1.0 / mostPhases);
  // Rounding must not make 1 / (1 / k) one phase more.
  const double k = std::max(2.0, std::ceil(1 / least - 1e-9));
  const double root = std::sqrt(std::max(0.0, k * (1 + least) - k * k * least));
  const double p = std::clamp((k * least - root) / (1 + least), 0.0, 1.0);
  const auto phases = static_cast<std::size_t>(k);
  PhaseType fit =
      inSeries(std::vector<double>(phases, (k - p) / meanNs), std::vector<double>(phases, 1));
  fit.onward[phases - 2] = 1 - p;
  fit.onward[phases - 1] = 0;
  return fit;
}

PhaseType fitPhases(double meanNs, double cv2, double skewness, int mostPhases) {
  const int least = cv2 < 1 ? 2 : 1; // order of the Erlang times
  if (cv2 < 0.5 || mostPhases < 2 * least)
    return fitTwoMoments(meanNs, cv2, std::min(mostPhases, 20));
  const double cv = std::sqrt(cv2), gamma = 2 * cv;
  // Rounding must not make an exponential time more than one phase.
  const double beyond = (skewness - gamma) / (cv + cv * cv2);
  const double tail = beyond < 1e-9 ? 0 : std::min(beyond, 1.0);
  const int bodyPhases = tail < 1 ? 2 * least : 0;
  const LognormalFit *lognormal = nullptr;
  if (tail > 0) {
    for (const LognormalFit &fit : lognormalFits)
      if (!lognormal && fit.order >= least && bodyPhases + fit.phases() <= mostPhases)
        lognormal = &fit;
    if (!lognormal)
      return fitTwoMoments(meanNs, cv2, mostPhases);
  }
  PhaseType fit;
  if (tail < 1)
    addTwoValues(fit, 1 - tail, meanNs, cv2, std::min(skewness, gamma), mostPhases);
  if (lognormal)
    add(fit, tail, meanNs, lognormal->order, lognormal->values(cv2));
  return fit;
}

} // namespace qdadvise
