// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/OptimisticRuns.h"

#include "advisor/decide/Fixes.h"
#include "advisor/model/Instances.h"
#include "advisor/model/Workload.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

std::vector<double> optimisticRuns(const Network &network, std::size_t lock,
                                   const std::vector<double> &conflicts, const Assignment &kinds,
                                   const Machine &machine, int threads,
                                   const PredictOptions &options) {
  const double population = populationOf(network, trafficOf(network), threads);
  double otherThreads = 0; // share of what happens at the instance that one is at
  for (const InstanceGroup &group : groupsOf(network.locks[lock]))
    otherThreads += group.count * group.share * group.share * std::max(0.0, 1 - 1 / population);
  // While one runs, so many others complete, at random, and each of them may have written what it
  // uses: the equation averaged over their number, and over its time as if that were a gamma one.
  const auto runsUntilClear = [&](std::size_t section, double completedPerNs) {
    const Duration &hold = network.sections[section].hold;
    const double met = 2 * conflicts[section] * completedPerNs * otherThreads * hold.mean;
    const double cv2 = hold.cv * hold.cv;
    return cv2 > 1e-6 ? std::pow(1 + cv2 * met, 1 / cv2) : std::exp(met);
  };
  PredictOptions quick = options;
  quick.model = "recursion";
  std::vector<double> runs(network.sections.size(), 1);
  // The more runs, the fewer completions, and the fewer conflicts: half steps close in.
  constexpr int mostSteps = 200;
  for (int step = 0; step != mostSteps; ++step) {
    const auto prediction = predict(asRuns(network, lock, runs), kinds, machine, threads, quick);
    if (!prediction)
      return {};
    double off = 0;
    for (std::size_t i = 0; i != runs.size(); ++i) {
      if (network.sections[i].lock != lock)
        continue;
      const double next = runsUntilClear(i, prediction->locks[lock].throughputPerS * 1e-9);
      off = std::max(off, std::abs(next / runs[i] - 1));
      runs[i] = std::sqrt(runs[i] * next);
    }
    if (off < 1e-6)
      return runs;
  }
  return {};
}

} // namespace qdadvise
