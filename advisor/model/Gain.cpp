// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The delta method: how sampling error in a profile carries over to the ratio of two
// predicted throughputs, on the log scale.
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace qdadvise {

namespace {

/// The two throughputs that are compared.
struct Compared {
  Prediction before, after;
  double logRatio() const { return std::log(after.throughputPerS / before.throughputPerS); }
};

Expected<Compared> compare(const Network &network, const std::vector<std::string> &from,
                           const std::vector<std::string> &to, const Machine &machine, int threads,
                           const PredictOptions &options) {
  auto before = predict(network, from, machine, threads, options);
  if (!before)
    return tl::unexpected(before.error());
  auto after = predict(network, to, machine, threads, options);
  if (!after)
    return tl::unexpected(after.error());
  return Compared{std::move(*before), std::move(*after)};
}

/// Variance of a mean over `samples`; 0 where nothing was sampled.
double meanVariance(const Duration &duration) {
  if (duration.samples == 0)
    return 0;
  const double deviation = duration.cv * duration.mean;
  return deviation * deviation / static_cast<double>(duration.samples);
}

/// Relative error of a throughput (one standard deviation) from the models of `kinds`, at
/// the locks where `others` has another: an error at the rest is in both throughputs. A
/// model errs about waiting: where threads hardly wait, it hardly matters.
double modelError(const Prediction &prediction, const std::vector<std::string> &kinds,
                  const std::vector<std::string> &others) {
  double inSystem = 0;
  for (const LockPrediction &lock : prediction.locks)
    inSystem += lock.queueLength;
  const double threads = std::max(prediction.threads, inSystem);
  double largest = 0;
  for (std::size_t lock = 0; lock < kinds.size(); ++lock) {
    const LockAlgorithm *row = findLockAlgorithm(kinds[lock]);
    if (!row || kinds[lock] == others[lock])
      continue;
    const LockPrediction &at = prediction.locks[lock];
    const double waiting = at.throughputPerS * 1e-9 * at.waitNs / threads;
    largest = std::max(largest, row->modelError * std::min(1.0, 3 * waiting));
  }
  return largest;
}

} // namespace

Expected<GainInterval> throughputGain(const Network &network, const std::vector<std::string> &from,
                                      const std::vector<std::string> &to, const Machine &machine,
                                      int threads, const PredictOptions &options) {
  Network changed = network;
  const auto center = compare(network, from, to, machine, threads, options);
  if (!center)
    return tl::unexpected(center.error());
  double variance = 0;
  // The slope along a change of the network, by central differences of size `step`.
  const auto slope = [&](double step, const std::function<void(double)> &apply) {
    apply(step);
    const auto up = compare(changed, from, to, machine, threads, options);
    apply(-step);
    const auto down = compare(changed, from, to, machine, threads, options);
    apply(0);
    return up && down ? (up->logRatio() - down->logRatio()) / (2 * step) : 0.0;
  };
  const auto addMean = [&](double &mean, const Duration &measured) {
    const double own = meanVariance(measured);
    if (own <= 0)
      return;
    const double value = measured.mean;
    const double each = slope(1e-3 * value, [&](double step) { mean = value + step; });
    variance += each * each * own;
  };
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    addMean(changed.sections[i].hold.mean, network.sections[i].hold);
  for (std::size_t i = 0; i < network.transitions.size(); ++i)
    addMean(changed.transitions[i].local.mean, network.transitions[i].local);

  // Rows of routing probabilities are multinomial: with the slope g_j along the
  // direction e_j - p, the variance is (sum p g^2 - (sum p g)^2) / n.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < network.transitions.size(); ++i)
    rows[{network.transitions[i].threadClass, network.transitions[i].from}].push_back(i);
  for (const auto &[key, row] : rows) {
    double samples = 0, first = 0, second = 0;
    for (const std::size_t i : row)
      samples += static_cast<double>(network.transitions[i].samples);
    if (samples <= 0 || row.size() < 2)
      continue;
    for (const std::size_t target : row) {
      const double p = network.transitions[target].probability;
      if (p <= 0 || p >= 1)
        continue;
      const double step = 1e-3 * std::min(p, 1 - p);
      const double each = slope(step, [&](double move) {
        for (const std::size_t i : row) {
          const double old = network.transitions[i].probability;
          changed.transitions[i].probability =
              i == target ? old + move * (1 - old) : old - move * old;
        }
      });
      first += p * each;
      second += p * each * each;
    }
    variance += std::max(0.0, second - first * first) / samples;
  }

  // The models' own errors are added where the algorithms differ at all; those of
  // two algorithms are independent.
  if (from != to) {
    const double before = modelError(center->before, from, to);
    const double after = modelError(center->after, to, from);
    variance += before * before + after * after;
  }
  const double margin = 1.96 * std::sqrt(variance);
  const double logGain = center->logRatio();
  return GainInterval{std::exp(logGain), std::exp(logGain - margin), std::exp(logGain + margin)};
}

} // namespace qdadvise
