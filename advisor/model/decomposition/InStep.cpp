// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/decomposition/InStep.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace qdadvise {

namespace {

constexpr int mostRounds = 100;
constexpr double tolerance = 1e-9;

/// How regular threads that left a lock in a row come to the next one: 0 if they come there at
/// random, or were away for exponential times, for which rates of arrival are right.
double regularity(const ServiceTime &left, const WaysTo &way) {
  const double sections = way.awayNs / left.meanNs;
  return std::max(0.0, 1 - left.cv2 - way.awayCv2 * sections * sections) *
         std::max(0.0, 1 - way.awayCv2);
}

/// The wait behind a thread that left the same lock one earlier, if service there always takes
/// `leftNs`; relative to the wait behind one that came at random. At that lock threads wait
/// `queued` times as often as if they came at random. Those who waited leave right behind another
/// one.
double waitBehind(double leftNs, const ServiceTime &at, double queued) {
  const double cv2 = std::min(1.0, at.cv2);
  // So much is left of a section if its time is exponential, and if it is always the same.
  const double varying = at.meanNs * std::exp(-leftNs / at.meanNs);
  const double even = std::max(0.0, at.meanNs - leftNs);
  const double rest = cv2 * varying + (1 - cv2) * even;
  const double squared = cv2 * 2 * at.meanNs * varying + (1 - cv2) * even * even;
  return (squared + 2 * queued * leftNs * rest) / (at.meanNs * at.meanNs * (1 + cv2));
}

} // namespace

std::vector<double> relativeWaitsInStep(const std::vector<ServiceTime> &services,
                                        const std::vector<WaysTo> &ways) {
  std::vector<double> waits(services.size(), 1);
  // Newer waits count at once.
  for (int round = 0; round < mostRounds; ++round) {
    double changed = 0;
    for (std::size_t to = 0; to < services.size(); ++to) {
      double avoided = 0;
      for (std::size_t from = 0; from < services.size(); ++from)
        if (const double regular = regularity(services[from], ways[to]); regular > 0)
          avoided += ways[to].together[from] * regular *
                     (1 - waitBehind(services[from].meanNs, services[to], waits[from]));
      const double wait = std::clamp(1 - avoided, 0.0, 1.0);
      changed = std::max(changed, std::abs(wait - waits[to]));
      waits[to] = wait;
    }
    if (changed <= tolerance)
      break;
  }
  return waits;
}

} // namespace qdadvise
