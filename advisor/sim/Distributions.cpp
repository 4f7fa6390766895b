// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Distributions.h"

#include "advisor/sim/MulticoreCosts.h"

#include <algorithm>
#include <cmath>

namespace qdadvise::sim {

TimeSampler::TimeSampler(const Duration &duration) : shape(duration.dist), mean(duration.mean) {
  const double cv = duration.cv;
  if (shape == Distribution::unspecified)
    shape = cv == 1 ? Distribution::exponential : Distribution::lognormal;
  if (mean <= 0 || (cv == 0 && shape != Distribution::exponential))
    shape = Distribution::deterministic;
  switch (shape) {
  case Distribution::uniform:
    first = mean * (1 - cv * std::sqrt(3.0));
    second = mean * (1 + cv * std::sqrt(3.0));
    break;
  case Distribution::lognormal:
    second = std::sqrt(std::log1p(cv * cv));
    first = std::log(mean) - second * second / 2;
    break;
  case Distribution::gamma:
    first = 1 / (cv * cv);
    second = mean / first;
    break;
  default:
    break;
  }
}

Time TimeSampler::draw(Random &random) const {
  switch (shape) {
  case Distribution::exponential:
    return picoseconds(-mean * std::log(1 - uniform(random))); // exact: 1 - u needs no rounding
  case Distribution::uniform:
    return picoseconds(first + (second - first) * uniform(random));
  case Distribution::lognormal:
    return picoseconds(std::exp(std::normal_distribution<double>(first, second)(random)));
  case Distribution::gamma:
    return picoseconds(std::gamma_distribution<double>(first, second)(random));
  default:
    return picoseconds(mean);
  }
}

ChoiceSampler::ChoiceSampler(const std::vector<double> &weights) {
  double sum = 0;
  for (const double weight : weights)
    sums.push_back(sum += weight);
}

std::size_t ChoiceSampler::at(double place) const {
  if (sums.size() < 2)
    return 0;
  const double point = place * sums.back();
  const auto above = std::upper_bound(sums.begin(), sums.end() - 1, point);
  return static_cast<std::size_t>(above - sums.begin());
}

} // namespace qdadvise::sim
