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
/// A stride whose error is so many times as large as it may be met a bend.
constexpr double bend = 30;
/// Populations to leave out. Less than one is none.
constexpr double shortest = 0.9, mostOfPopulation = 0.25, growth = 1.5;

/// Points of the polynomial, and the error: of a cycle, or with a plan of each value.
struct Rule {
  std::size_t order;
  double tolerance;
};
constexpr Rule ofOne{4, 2e-9}, ofPlan{3, 1e-5};

} // namespace

Strides::Strides(Values weights, StridePlan *plan) : weights(std::move(weights)), plan(plan) {
  if (plan && !plan->made)
    plan->points.clear();
}

int Strides::afterPopulation(int threads, const Values &values, double whole, int wanted) {
  if (threads < firstPopulation || ++inARow < row)
    return 0;
  inARow = 0;
  StridePlan::Point next =
      plan && plan->made ? planned(plan->points) : nextPoint(threads, values, whole, wanted);
  next.leaves = std::min(next.leaves, std::max(0, wanted - threads - 1)); // a plan may be another's
  if (next.bend)
    points.clear();
  else if (points.size() == (plan ? ofPlan : ofOne).order)
    points.pop_front();
  points.push_back({threads, values});
  if (next.leaves > 0)
    extrapolate(threads + next.leaves);
  return next.leaves;
}

/// Finds how far the next stride goes by how far the polynomial so far is off.
StridePlan::Point Strides::nextPoint(int threads, const Values &values, double whole, int wanted) {
  const auto [order, tolerance] = plan ? ofPlan : ofOne;
  StridePlan::Point next;
  stride = std::max(stride, shortest);
  std::size_t have = points.size() + 1;
  if (points.size() == order) {
    extrapolate(threads);
    const double off = errorAgainst(values, whole) / tolerance;
    next.bend = off > bend;
    const double longer =
        std::clamp(0.8 * std::pow(off, -1.0 / static_cast<double>(order)), 1 / growth, growth);
    stride =
        next.bend ? shortest : std::clamp(stride * longer, shortest, mostOfPopulation * threads);
    have = next.bend ? 1 : order;
  }
  const int most = wanted - lastRow - threads;
  if (have == order && most >= row)
    next.leaves = std::min(static_cast<int>(stride), most);
  if (plan)
    plan->points.push_back(next);
  return next;
}

StridePlan::Point Strides::planned(const std::vector<StridePlan::Point> &all) {
  return followed < all.size() ? all[followed++] : StridePlan::Point();
}

/// By Lagrange.
double Strides::factorOf(const Point &point, int threads) const {
  double factor = 1;
  for (const Point &other : points)
    if (&other != &point)
      factor *= static_cast<double>(threads - other.threads) / (point.threads - other.threads);
  return factor;
}

void Strides::extrapolate(int threads) {
  ahead.assign(weights.size(), 0);
  for (const Point &one : points) {
    const double factor = factorOf(one, threads);
    for (std::size_t i = 0; i < ahead.size(); ++i)
      ahead[i] += factor * one.values[i];
  }
  // Times and probabilities.
  for (double &value : ahead)
    value = std::max(0.0, value);
}

void Strides::along(std::size_t value, int threads, std::span<double> result) const {
  std::fill(result.begin(), result.end(), 0);
  for (const Point &one : points)
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] += factorOf(one, threads + static_cast<int>(i)) * one.values[value];
  for (double &each : result)
    each = std::max(0.0, each);
}

double Strides::errorAgainst(const Values &values, double whole) const {
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = weights[i] * std::abs(ahead[i] - values[i]);
    sum += error;
    if (error > 0)
      largest = std::max(largest, error / (weights[i] * values[i]));
  }
  return plan ? largest : sum / whole;
}

} // namespace qdadvise
