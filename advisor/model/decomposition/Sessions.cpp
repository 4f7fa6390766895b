// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/Sessions.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

constexpr double leastCv2 = 1e-6;    ///< of a time that varies
constexpr double saturated = 1e12;   ///< busy time of a server over its idle time
constexpr double tolerance = 1e-5;   ///< of the throughput, relative
constexpr double mostLogFactor = 10; ///< of the rate at which sessions begin
constexpr int mostSteps = 30;

/// 1 over the Laplace transform of a section's time.
double inverseTransform(const SessionTimes &times, double rate) {
  const double mean = rate * times.serviceNs;
  return times.cv2 > leastCv2 ? std::pow(1 + times.cv2 * mean, 1 / times.cv2) : std::exp(mean);
}

/// Means over the number of sessions.
struct Sessions {
  double count = 0, perNs = 0;
  double covariance = 0; ///< of the two
};

/// Sessions begin e^logFactor times as often as `arrivals`.
Sessions sessionsAt(const std::vector<double> &completions, const std::vector<double> &arrivals,
                    double logFactor) {
  std::vector<double> weights{0};
  for (std::size_t m = 1; m < completions.size(); ++m)
    weights.push_back(weights.back() + logFactor + std::log(arrivals[m - 1] / completions[m]));
  const double largest = *std::max_element(weights.begin(), weights.end());
  double total = 0, both = 0;
  Sessions mean;
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const double weight = std::exp(weights[m] - largest), count = static_cast<double>(m);
    total += weight;
    mean.count += weight * count;
    mean.perNs += weight * completions[m];
    both += weight * count * completions[m];
  }
  mean.count /= total;
  mean.perNs /= total;
  mean.covariance = both / total - mean.count * mean.perNs;
  return mean;
}

} // namespace

std::vector<double> machineRepair(const SessionTimes &times, int most) {
  // The server is idle for a share 1/(1 + m s/Z sum over n of C(m - 1, n) B(n)) of the time; B(n)
  // is the product over i = 1 ... n of 1/transform(i/Z) - 1.
  std::vector<double> result{0}, products;
  double busy = 0; // over idle
  for (int m = 1; m <= most; ++m) {
    if (busy < saturated) {
      products.push_back(
          m == 1 ? 1 : products.back() * (inverseTransform(times, (m - 1) / times.awayNs) - 1));
      double sum = 0, ways = 1;
      for (int n = 0; n < m; ++n) {
        sum += ways * products[static_cast<std::size_t>(n)];
        ways *= static_cast<double>(m - 1 - n) / (n + 1);
      }
      busy = m * times.serviceNs / times.awayNs * sum;
    }
    result.push_back((busy < saturated ? busy / (1 + busy) : 1) / times.serviceNs);
  }
  return result;
}

double relativeWaitInSessions(const SessionTimes &times, const std::vector<double> &arrivals,
                              double perNs) {
  const int threads = static_cast<int>(arrivals.size());
  const auto waitNs = [&times](const Sessions &mean) {
    return mean.count / mean.perNs - times.awayNs - times.serviceNs;
  };
  const std::vector<double> exponential =
      machineRepair({times.serviceNs, 1, times.awayNs}, threads);
  // Newton's method, or half of what is left where that leads out of it.
  double logFactor = 0, low = -mostLogFactor, high = mostLogFactor;
  Sessions mean = sessionsAt(exponential, arrivals, logFactor);
  for (int step = 0; step < mostSteps && std::abs(mean.perNs / perNs - 1) > tolerance; ++step) {
    (mean.perNs < perNs ? low : high) = logFactor;
    logFactor += (perNs - mean.perNs) / std::max(mean.covariance, tolerance * mean.perNs);
    if (logFactor <= low || logFactor >= high)
      logFactor = (low + high) / 2;
    mean = sessionsAt(exponential, arrivals, logFactor);
  }
  const double alike = waitNs(mean);
  return alike > 0 ? waitNs(sessionsAt(machineRepair(times, threads), arrivals, logFactor)) / alike
                   : 1;
}

} // namespace qdadvise
