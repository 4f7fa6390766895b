// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/numeric/Anderson.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qdadvise {

namespace {

using Vector = std::vector<double>;

double dot(const Vector &a, const Vector &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void subtract(Vector &from, double factor, const Vector &what) {
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] -= factor * what[i];
}
Vector difference(Vector a, const Vector &b) {
  subtract(a, 1, b);
  return a;
}

} // namespace

std::optional<Vector> Anderson::next(const Vector &values, const Vector &targets) {
  const Vector errors = difference(targets, values);
  if (known) {
    rounds.push_front({difference(errors, lastErrors), difference(targets, lastTargets)});
    if (rounds.size() > mostRounds)
      rounds.pop_back();
  }
  known = true;
  lastErrors = errors;
  lastTargets = targets;
  if (rounds.empty())
    return std::nullopt;

  // Least squares by Gram and Schmidt, of errors relative to the targets. A difference is turned
  // together with what it does to the targets, and is left out if the later ones have it all.
  Vector scales(values.size());
  std::transform(values.begin(), values.end(), targets.begin(), scales.begin(),
                 [](double value, double target) {
                   const double size = std::max(std::abs(value), std::abs(target));
                   return size > 0 ? 1 / size : 1;
                 });
  const auto scaled = [&](Vector errors) {
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] *= scales[i];
    return errors;
  };
  Vector rest = scaled(errors), result = targets;
  std::vector<Difference> turned;
  for (const Difference &round : rounds) {
    Difference one{scaled(round.errors), round.targets};
    const double before = dot(one.errors, one.errors);
    for (const Difference &other : turned) {
      const double part = dot(one.errors, other.errors);
      subtract(one.errors, part, other.errors);
      subtract(one.targets, part, other.targets);
    }
    const double size = dot(one.errors, one.errors);
    if (!(size > leastNew * leastNew * before))
      continue;
    for (Vector *const each : {&one.errors, &one.targets})
      for (double &figure : *each)
        figure /= std::sqrt(size);
    const double part = dot(rest, one.errors);
    subtract(rest, part, one.errors);
    subtract(result, part, one.targets);
    turned.push_back(std::move(one));
  }
  return result;
}

} // namespace qdadvise
