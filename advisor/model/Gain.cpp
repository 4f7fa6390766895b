// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/ModelError.h"
#include "advisor/model/Prediction.h"
#include "advisor/model/SamplingError.h"

#include <cmath>

namespace qdadvise {

Expected<GainInterval> throughputGain(const Network &network, const std::vector<std::string> &from,
                                      const std::vector<std::string> &to, const Machine &machine,
                                      int threads, const PredictOptions &options) {
  const auto before = predict(network, from, machine, threads, options);
  const auto after = predict(network, to, machine, threads, options);
  if (!before || !after)
    return Unexpected(before ? after.error() : before.error());
  const double gain = after->throughputPerS / before->throughputPerS;

  // With a core for every thread: what bounded cores change of an error is not worth their
  // solution, which is many times as long.
  const PredictOptions unbounded{1 << 20, "recursion"};
  const Figures ratio = [&](const Network &changed,
                            const std::vector<Traffic> &traffic) -> Expected<std::vector<double>> {
    const auto down = predictTraffic(changed, traffic, from, machine, {threads}, unbounded);
    const auto up = predictTraffic(changed, traffic, to, machine, {threads}, unbounded);
    if (!down || !up)
      return Unexpected(down ? up.error() : down.error());
    return std::vector<double>{up->front().throughputPerS / down->front().throughputPerS};
  };
  const auto sampling = samplingVariances(network, ratio, {0.01, threads});
  if (!sampling)
    return Unexpected(sampling.error());
  double variance = sampling->front();

  // An error at the locks that stay is in both throughputs; those of two algorithms are
  // independent.
  const auto changes = [&](std::size_t lock) { return from[lock] != to[lock]; };
  for (const double error :
       {throughputError(*before, from, changes), throughputError(*after, to, changes)})
    variance += error * error;
  const double margin = 1.96 * std::sqrt(variance);
  return GainInterval{gain, gain * std::exp(-margin), gain * std::exp(margin)};
}

} // namespace qdadvise
