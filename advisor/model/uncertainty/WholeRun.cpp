// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include <algorithm>

namespace qdadvise {

double unevenSpeedup(const Run &run, double speedup, double threads, double recorded) {
  return 1 / (1 / speedup + (1 - 1 / threads) * run.longestStretch / recorded);
}

WholeRun wholeRun(const Run &run, double speedup, double recorded) {
  const double alone = run.parallelNs * recorded;
  const double together =
      run.serialNs + std::max(alone / speedup, run.parallelNs * run.longestStretch);
  return {(run.serialNs + alone) / together, run.serialNs / together};
}

GainInterval ofWholeRun(const GainInterval &gain, double serialShare) {
  const auto whole = [=](double ratio) { return 1 / (serialShare + (1 - serialShare) / ratio); };
  return {whole(gain.ratio), whole(gain.low), whole(gain.high)};
}

Expected<double> recordedSpeedup(const Network &network, const std::vector<LockKind> &kinds,
                                 const Machine &machine, const PredictOptions &options) {
  if (network.run->threads == 1)
    return 1.0;
  const auto prediction = TRY(predict(network, kinds, machine, network.run->threads, options));
  return prediction.speedup;
}

} // namespace qdadvise
