// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Estimates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise::sim {

double quantile95(double freedom) {
  return freedom < 3 ? (freedom < 2 ? 12.706 : 4.303)
                     : 1.96 + 2.4 / freedom + 2.8 / (freedom * freedom);
}

BatchMeans::BatchMeans(std::size_t quantities, std::uint64_t completionsPerBatch)
    : open(quantities, 0), perBatch(completionsPerBatch) {}

BatchMeans::Progress BatchMeans::complete() {
  ++total;
  if (++inOpen < perBatch)
    return Progress::inBatch;
  inOpen = 0;
  batches.push_back(std::exchange(open, std::vector<double>(open.size(), 0)));
  return batches.size() == most ? Progress::full : Progress::batchEnded;
}

void BatchMeans::merge() {
  for (std::size_t i = 0; i < batches.size() / 2; ++i) {
    if (i > 0)
      batches[i] = std::move(batches[2 * i]);
    for (std::size_t quantity = 0; quantity < open.size(); ++quantity)
      batches[i][quantity] += batches[2 * i + 1][quantity];
  }
  batches.resize(batches.size() / 2);
  perBatch *= 2;
}

double BatchMeans::sum(std::size_t quantity) const {
  double sum = 0;
  for (std::size_t i = dropped(); i < batches.size(); ++i)
    sum += batches[i][quantity];
  return sum;
}

/// The variance of a ratio of sums is that of its residuals (delta method).
template <typename Numerator>
Estimate BatchMeans::ratioOf(Numerator numerator, std::size_t over) const {
  double sum = 0, count = 0;
  for (std::size_t i = dropped(); i < batches.size(); ++i) {
    sum += numerator(batches[i]);
    count += batches[i][over];
  }
  Estimate estimate;
  if (count <= 0)
    return estimate;
  estimate.value = sum / count;
  for (const std::size_t group : {std::size_t{1}, std::size_t{4}}) {
    const std::size_t groups = counted() / group;
    if (groups < 2)
      continue;
    double squares = 0;
    for (std::size_t i = 0; i < groups; ++i) {
      double residual = 0;
      for (std::size_t j = 0; j < group; ++j) {
        const auto &batch = batches[batches.size() - (i * group + j) - 1];
        residual += numerator(batch) - estimate.value * batch[over];
      }
      squares += residual * residual;
    }
    const double freedom = static_cast<double>(groups - 1);
    const double variance = squares * static_cast<double>(groups) / freedom;
    const double used =
        count * static_cast<double>(groups * group) / static_cast<double>(counted());
    estimate.halfWidth =
        std::max(estimate.halfWidth, quantile95(freedom) * std::sqrt(variance) / used);
  }
  return estimate;
}

Estimate BatchMeans::ratio(std::size_t quantity, std::size_t over) const {
  return ratioOf([quantity](const auto &batch) { return batch[quantity]; }, over);
}

Estimate BatchMeans::ratio(std::size_t quantity, std::size_t less, std::size_t over) const {
  return ratioOf([=](const auto &batch) { return batch[quantity] - batch[less]; }, over);
}

} // namespace qdadvise::sim
