// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/NewtonSteps.h"

#include "advisor/model/numeric/LinearSystem.h"
#include "advisor/model/solver/Round.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace qdadvise {

namespace {

constexpr int mostSteps = 30;
/// A derivative is taken over this change of an unknown. A smaller one would drown in what methods
/// B and C leave at their own rest, 10^-7 or so.
constexpr double difference = 1e-3;
/// The longest step of any unknown, and the shortest part of a step that is tried.
constexpr double longestStep = 0.5, shortestPart = 0.01;

/// A round, and how far what it found is from what it began with.
struct Point {
  Unknowns unknowns; ///< with which it began
  Demands demands;
  Solution solution;
  double change;
  std::vector<double> errors; ///< by unknown; in logarithms where that is a time or a number
};

double sizeOf(const std::vector<double> &errors) {
  return std::sqrt(std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0));
}

/// Takes a round from these unknowns. Nothing if it finds no numbers.
std::optional<Point> roundFrom(const LockedNetwork &given, Unknowns unknowns) {
  unknowns.beginAnew(); // what has no error then has no target
  unknowns.mixAsFound(given);
  Approximation now{given, unknowns, {}};
  Point point{std::move(unknowns), {}, {}, 0, {}};
  const auto change = iterate(now, point.solution);
  if (!change || !std::isfinite(*change))
    return std::nullopt;
  point.change = *change;
  point.demands = std::move(now.demands);
  const std::vector<Damped *> before = point.unknowns.damped(), after = now.unknowns.damped();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double value = before[i]->value;
    const double target = after[i]->lastError != 0 ? after[i]->lastTarget : value;
    point.errors.push_back(value > 0 && target > 0 ? std::log(target / value) : target - value);
  }
  return point;
}

void move(Damped &unknown, double by) {
  if (unknown.value > 0)
    unknown.value *= std::exp(by);
  else
    unknown.value += by;
}

/// The unknowns that move from here, and how far by Newton's method.
struct Direction {
  std::vector<std::size_t> unknowns;
  std::vector<double> steps;
};

std::optional<Direction> directionFrom(const LockedNetwork &given, const Point &at, int &rounds) {
  Direction direction;
  std::vector<double> errors;
  for (std::size_t i = 0; i < at.errors.size(); ++i)
    if (at.errors[i] != 0) {
      direction.unknowns.push_back(i);
      errors.push_back(-at.errors[i]);
    }
  const std::size_t size = errors.size();
  std::vector<std::vector<double>> jacobian(size, std::vector<double>(size));
  for (std::size_t j = 0; j < size; ++j) {
    Unknowns moved = at.unknowns;
    move(*moved.damped()[direction.unknowns[j]], difference);
    const auto beside = roundFrom(given, std::move(moved));
    ++rounds;
    if (!beside)
      return std::nullopt;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t unknown = direction.unknowns[i];
      jacobian[i][j] = (beside->errors[unknown] - at.errors[unknown]) / difference;
    }
  }
  const auto steps = solveLinear(std::move(jacobian), std::move(errors));
  if (!steps)
    return std::nullopt;
  direction.steps = *steps;
  return direction;
}

/// A round that is closer, in this direction.
std::optional<Point> stepFrom(const LockedNetwork &given, const Point &at,
                              const Direction &direction, int &rounds) {
  double longest = longestStep;
  for (const double step : direction.steps)
    longest = std::max(longest, std::abs(step));
  double part = longestStep / longest;
  while (part >= shortestPart) {
    Unknowns next = at.unknowns;
    const std::vector<Damped *> unknowns = next.damped();
    for (std::size_t i = 0; i < direction.steps.size(); ++i)
      move(*unknowns[direction.unknowns[i]], part * direction.steps[i]);
    auto there = roundFrom(given, std::move(next));
    ++rounds;
    if (there && sizeOf(there->errors) < sizeOf(at.errors))
      return there;
    part /= 2;
  }
  return std::nullopt;
}

} // namespace

Expected<Solution> iterateByNewton(Approximation &now, double restTolerance) {
  std::optional<Point> at = roundFrom(now.given, now.unknowns);
  if (!at)
    return makeError("the solution of a network is no number");
  SolverSummary summary{
      .stop = SolverStop::stagnated, .method = now.given.options.method, .rounds = 1};
  for (int step = 0; step < mostSteps && at->change > restTolerance; ++step) {
    const auto direction = directionFrom(now.given, *at, summary.rounds);
    auto next = direction ? stepFrom(now.given, *at, *direction, summary.rounds) : std::nullopt;
    if (!next)
      break;
    at = std::move(next);
  }
  if (at->change <= restTolerance)
    summary.stop = SolverStop::atRest;
  summary.closestChange = at->change;
  summary.status = at->change <= now.given.options.convergedTolerance ? SolverStatus::converged
                                                                      : SolverStatus::notConverged;
  now.unknowns = std::move(at->unknowns);
  now.demands = std::move(at->demands);
  at->solution.summary = summary;
  return std::move(at->solution);
}

} // namespace qdadvise
