// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/mva/Strides.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// Where few threads come to saturated locks times are not smooth.
constexpr int firstPopulation = 64;
/// So many populations in a row forget what was left out.
constexpr int row = 4, lastRow = 16;
constexpr std::size_t order = 4; ///< points of the polynomial
/// Error of a cycle. A stride whose error is so many times as large met a bend.
constexpr double tolerance = 2e-9, bend = 30;
/// Populations to leave out. Less than one is none.
constexpr double shortest = 0.9, mostOfPopulation = 0.25, growth = 1.5;

} // namespace

int Strides::afterPopulation(int threads, const Values &values, double whole, int wanted) {
  if (threads < firstPopulation || ++inARow < row)
    return 0;
  inARow = 0;
  stride = std::max(stride, shortest);
  if (points.size() == order) {
    extrapolate(threads);
    const double error = errorAgainst(values) / whole;
    if (error <= bend * tolerance) {
      points.pop_front();
      stride *= std::clamp(0.8 * std::pow(tolerance / error, 1.0 / order), 1 / growth, growth);
      stride = std::clamp(stride, shortest, mostOfPopulation * threads);
    } else {
      points.clear();
      stride = shortest;
    }
  }
  points.push_back({threads, values});
  const int most = wanted - lastRow - threads;
  if (points.size() < order || most < row)
    return 0;
  const int leaves = std::min(static_cast<int>(stride), most);
  extrapolate(threads + leaves);
  return leaves;
}

/// By Lagrange.
void Strides::extrapolate(int threads) {
  ahead.assign(weights.size(), 0);
  for (const Point &one : points) {
    double factor = 1;
    for (const Point &other : points)
      if (&other != &one)
        factor *= static_cast<double>(threads - other.threads) / (one.threads - other.threads);
    for (std::size_t i = 0; i < ahead.size(); ++i)
      ahead[i] += factor * one.values[i];
  }
  // Times and probabilities.
  for (double &value : ahead)
    value = std::max(0.0, value);
}

double Strides::errorAgainst(const Values &values) const {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += weights[i] * std::abs(ahead[i] - values[i]);
  return sum;
}

} // namespace qdadvise
