// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

double unevenSpeedup(const Run &run, double speedup, double threads, double recorded) {
  return 1 / (1 / speedup + (1 - 1 / threads) * run.longestStretch / recorded);
}

PipelineNs pipelineNs(const Run &run, double threads, int processors, double recorded) {
  if (run.fixedWork <= 0 || threads <= 1)
    return {};
  const double workNs = run.work * run.parallelNs, fixedNs = run.fixedWork * run.parallelNs;
  const auto leastWith = [&](double busy) { return std::max(workNs / busy, fixedNs); };
  const double wanted = threads + 1, busy = std::min<double>(processors, wanted);
  const double least = leastWith(busy);
  const double waiting = (1 - 1 / busy) * fixedNs;
  // At its turn the fixed thread finds processors taken, and the others run out of work.
  constexpr double mostExpected = 0.5;
  const double share = wanted > busy ? std::min(mostExpected, std::pow(fixedNs / least, 2)) : 0;
  // One thread is what speed-ups are over, on a machine where it has no processor for itself, too.
  const double slower =
      std::max(1.0, leastWith(std::min<double>(processors, 2)) / (run.parallelNs * recorded));
  return {least / slower, (least + share * waiting) / slower, (least + waiting) / slower};
}

WholeRun wholeRun(const Run &run, double speedup, double recorded, double leastNs) {
  const double alone = run.parallelNs * recorded;
  const double together =
      run.serialNs + std::max({alone / speedup, run.parallelNs * run.longestStretch, leastNs});
  return {(run.serialNs + alone) / together, run.serialNs / together};
}

GainInterval ofWholeRun(const GainInterval &gain, double serialShare) {
  const auto whole = [=](double ratio) { return 1 / (serialShare + (1 - serialShare) / ratio); };
  return {whole(gain.ratio), whole(gain.low), whole(gain.high)};
}

Expected<double> recordedSpeedup(const Network &network, const std::vector<LockKind> &kinds,
                                 const Machine &machine, const PredictOptions &options) {
  return possibleSpeedup(network.run->threads, [&](int threads) {
    return predict(network, kinds, machine, threads, options);
  });
}

Expected<double> possibleSpeedup(int threads,
                                 const std::function<Expected<Prediction>(int)> &predictAt) {
  for (int fewer = threads; fewer > 1; --fewer) {
    const Prediction prediction = TRY(predictAt(fewer));
    if (prediction.impossible.empty())
      return prediction.speedup * threads / fewer;
  }
  return threads;
}

} // namespace qdadvise
