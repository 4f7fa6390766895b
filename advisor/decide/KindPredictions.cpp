// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/KindPredictions.h"

#include "advisor/model/solver/HardwareThreads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {
namespace {

/// The speed-up of the run rises with that of the sections. Besides, several threads share more
/// than locks (RUN4), and may not have work alike (RUN5), or wait for one that does not scale
/// (RUN6).
PredictedRun predictedRun(const RunScaling &run, const PredictedPoint &at) {
  const double threads = at.figures.threads, aloneNs = run.oneThreadNs();
  const WholeRun whole = run.at(threads, at.figures.speedup);
  const auto fromExpected = [&](double takesNs, double error) {
    const double end = std::log(aloneNs / takesNs / whole.speedup);
    return std::exp(std::hypot(end, threads > 1 ? deviations95 * error : 0));
  };
  const double lowNs = run.time(threads, at.intervals.speedup.low).most;
  const double highNs = run.time(threads, at.intervals.speedup.high).least;
  return {whole,
          {whole.speedup / fromExpected(lowNs, sharingErrorBelow),
           whole.speedup * fromExpected(highNs, sharingErrorAbove)}};
}

Expected<KindPredictions> withIntervals(const Network &network, const Assignment &kinds,
                                        const Machine &machine, std::vector<Prediction> sweep,
                                        const PredictOptions &options) {
  std::vector<FigureIntervals> intervals =
      TRY(confidenceIntervals(network, kinds, machine, sweep, options));
  KindPredictions result;
  for (std::size_t i = 0; i < sweep.size(); ++i)
    result.points.push_back({std::move(sweep[i]), std::move(intervals[i]), std::nullopt, {}});
  if (network.run) {
    const RunScaling run = TRY(runScaling(network, kinds, machine, options));
    for (PredictedPoint &at : result.points)
      at.run = predictedRun(run, at);
  }
  return result;
}

} // namespace

Expected<KindPredictions> predictAssignment(const Network &network,
                                            const std::vector<LockKind> &kinds,
                                            const Machine &machine, const std::vector<int> &threads,
                                            const PredictOptions &options) {
  std::vector<Prediction> sweep;
  for (const int number : threads)
    sweep.push_back(TRY(predict(network, kinds, machine, number, options)));
  return withIntervals(network, kinds, machine, std::move(sweep), options);
}

Expected<KindPredictions> predictKind(const Network &network,
                                      const std::vector<std::optional<SectionMemory>> &memory,
                                      const KindChoice &kind, const Machine &machine,
                                      const std::vector<int> &threads,
                                      const PredictOptions &options) {
  const Assignment kinds = kind.at(network);
  std::vector<Prediction> sweep = TRY(predictSweep(network, kind, machine, threads, options));
  KindPredictions result = TRY(withIntervals(network, kinds, machine, std::move(sweep), options));
  result.kind = kind;
  for (std::size_t lock = 0; lock < network.locks.size(); ++lock) {
    const std::vector<SectionConflicts> conflicts = conflictsAt(network, lock, memory);
    for (PredictedPoint &at : result.points) {
      at.optimism.emplace_back();
      if (!conflicts.empty())
        at.optimism.back() =
            predictedOptimism(network, lock, conflicts, kinds, machine, at.figures, options);
    }
  }
  return result;
}

KindPredictions predictWithoutLocks(const Run &run, const Machine &machine,
                                    const std::vector<int> &threads,
                                    const PredictOptions &options) {
  const int processors = options.cores > 0 ? options.cores : machine.cores;
  const auto speedup = [&](int count) {
    const int running = std::min(count, processors);
    return running / sharedCoreStretch(machine, running, 1);
  };
  const RunScaling scaling = runScaling(run, speedup(run.threads), machine, options);
  KindPredictions result;
  for (const int count : threads) {
    PredictedPoint &at = result.points.emplace_back();
    at.figures.threads = count;
    at.figures.model = "no locks";
    at.figures.speedup = speedup(count);
    at.intervals.speedup = {at.figures.speedup, at.figures.speedup};
    at.run = predictedRun(scaling, at);
  }
  return result;
}

} // namespace qdadvise
