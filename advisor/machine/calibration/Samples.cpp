// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/calibration/Samples.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

double quantile(const std::vector<double> &sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

} // namespace

std::optional<Figure> summarize(std::vector<double> samples) {
  if (samples.empty())
    return std::nullopt;
  std::sort(samples.begin(), samples.end());
  Figure figure;
  figure.value = quantile(samples, 0.5);
  figure.spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  return figure;
}

std::optional<Figure> summarizeModes(std::vector<double> samples) {
  if (samples.empty())
    return std::nullopt;
  // A thread that lost its core meanwhile measured something else.
  constexpr double timesUsual = 20;
  std::sort(samples.begin(), samples.end());
  const double most = timesUsual * quantile(samples, 0.5);
  double sum = 0, squares = 0, count = 0;
  for (const double sample : samples)
    if (sample <= most) {
      sum += sample;
      squares += sample * sample;
      ++count;
    }
  if (count == 0) // of negative ones
    return summarize(std::move(samples));
  Figure figure;
  figure.value = sum / count;
  figure.spread = std::sqrt(3 * std::max(0.0, squares / count - figure.value * figure.value));
  return figure;
}

} // namespace qdadvise
