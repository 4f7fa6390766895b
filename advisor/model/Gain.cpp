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
#include <vector>

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
    largest = std::max(largest, *row->modelError * std::min(1.0, 3 * waiting));
  }
  return largest;
}

/// Something that was sampled: how far its error could move the logarithm of a ratio of
/// throughputs at most, about, and how far it does.
struct Sampled {
  double bound; ///< standard deviation
  std::function<double()> variance;
};

/// Below this standard deviation of the logarithm all that is left is taken at its bound:
/// a profile has hundreds of rare sections, and each costs several solutions.
constexpr double negligible = 0.01;

/// Adds up the variances, those that could be largest first.
double sumOfVariances(std::vector<Sampled> sampled) {
  std::sort(sampled.begin(), sampled.end(),
            [](const Sampled &a, const Sampled &b) { return a.bound > b.bound; });
  double rest = 0;
  for (const Sampled &one : sampled)
    rest += one.bound * one.bound;
  double variance = 0;
  for (const Sampled &one : sampled) {
    if (rest <= negligible * negligible)
      return variance + std::max(0.0, rest);
    rest -= one.bound * one.bound;
    variance += one.variance();
  }
  return variance;
}

/// How the recorded run's time divides. A section's share of it, times the threads that
/// could queue for it, limits what its error does to a throughput; a ratio has two.
class Shares {
public:
  Shares(const Network &recorded, int threads) : network(recorded), threads(threads) {
    for (const Section &section : network.sections)
      total += timeOf(section.hold);
    for (const Transition &transition : network.transitions)
      total += timeOf(transition.local);
  }
  double ofMean(const Duration &duration) const {
    return total > 0 ? limited(timeOf(duration) / total) * relativeError(duration) : 0;
  }
  /// A row of routing probabilities seen `samples` times, after which threads spend a time
  /// of standard deviation `spreadNs` until their next choice.
  double ofRow(double samples, double spreadNs) const {
    return total > 0 ? limited(std::sqrt(samples) * spreadNs / total) : 0;
  }
  double costOf(const Transition &transition) const {
    return transition.local.mean + network.sections[transition.to].hold.mean;
  }

private:
  static double timeOf(const Duration &duration) {
    return duration.mean * static_cast<double>(duration.samples);
  }
  static double relativeError(const Duration &duration) {
    return duration.mean > 0 ? std::sqrt(meanVariance(duration)) / duration.mean : 0;
  }
  double limited(double share) const {
    return 2 * std::min(1.0, static_cast<double>(threads) * share);
  }

  const Network &network;
  int threads;
  double total = 0;
};

} // namespace

Expected<GainInterval> throughputGain(const Network &network, const std::vector<std::string> &from,
                                      const std::vector<std::string> &to, const Machine &machine,
                                      int threads, const PredictOptions &options) {
  Network changed = network;
  const auto center = compare(network, from, to, machine, threads, options);
  if (!center)
    return tl::unexpected(center.error());
  const Shares shares(network, threads);
  std::vector<Sampled> sampled;
  // The slope along a change of the network, by central differences of size `step`. With a
  // core for every thread: what bounded cores change of an error is not worth their solution,
  // which is many times as long.
  PredictOptions unbounded = options;
  unbounded.cores = 1 << 20;
  const auto slope = [&](double step, const std::function<void(double)> &apply) {
    apply(step);
    const auto up = compare(changed, from, to, machine, threads, unbounded);
    apply(-step);
    const auto down = compare(changed, from, to, machine, threads, unbounded);
    apply(0);
    return up && down ? (up->logRatio() - down->logRatio()) / (2 * step) : 0.0;
  };
  const auto addMean = [&](double &mean, const Duration &measured) {
    const double own = meanVariance(measured);
    if (own <= 0)
      return;
    const double value = measured.mean;
    sampled.push_back({shares.ofMean(measured), [&mean, &slope, value, own] {
                         const double each =
                             slope(1e-3 * value, [&](double step) { mean = value + step; });
                         return each * each * own;
                       }});
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
  const auto rowVariance = [&](const std::vector<std::size_t> &row, double samples) {
    double first = 0, second = 0;
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
    return std::max(0.0, second - first * first) / samples;
  };
  for (const auto &entry : rows) {
    const std::vector<std::size_t> &row = entry.second;
    double samples = 0, mean = 0, square = 0;
    for (const std::size_t i : row) {
      const Transition &transition = network.transitions[i];
      const double cost = shares.costOf(transition);
      samples += static_cast<double>(transition.samples);
      mean += transition.probability * cost;
      square += transition.probability * cost * cost;
    }
    const double spread = std::sqrt(std::max(0.0, square - mean * mean));
    if (samples > 0 && row.size() > 1)
      sampled.push_back({shares.ofRow(samples, spread),
                         [&rowVariance, &row, samples] { return rowVariance(row, samples); }});
  }
  double variance = sumOfVariances(std::move(sampled));

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
