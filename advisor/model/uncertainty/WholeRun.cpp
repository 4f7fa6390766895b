// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/WholeRun.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qdadvise {

PipelineNs RunScaling::pipeline(double threads) const {
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

RunTime RunScaling::time(double threads, double speedup) const {
  const PipelineNs atLeast = pipeline(threads);
  const double divided = run.parallelNs * recorded / speedup;
  const double stretch = run.parallelNs * run.longestStretch;
  // At worst all others wait for the end of the longest stretch (RUN5).
  const double uneven = divided + (1 - 1 / threads) * stretch;
  const double expected = std::max({divided, stretch, atLeast.expected});
  return {run.serialNs + std::max({divided, stretch, atLeast.least}), run.serialNs + expected,
          run.serialNs + std::max({uneven, stretch, atLeast.most}),
          expected <= divided   ? RunLimit::sections
          : expected <= stretch ? RunLimit::stretch
                                : RunLimit::pipeline};
}

WholeRun RunScaling::at(double threads, double speedup) const {
  const double expected = time(threads, speedup).expected;
  return {oneThreadNs() / expected, run.serialNs / expected};
}

GainInterval RunScaling::gain(double threads, double speedup,
                              const GainInterval &ofSections) const {
  const RunTime today = time(threads, speedup);
  const auto then = [&](double ratio) { return time(threads, speedup * ratio); };
  const auto expected = [&](double ratio) { return today.expected / then(ratio).expected; };
  // Each way to count the time limits a gain, and a loss: the interval holds all of them.
  const auto all = [&](double ratio) {
    const RunTime at = then(ratio);
    return std::array{today.least / at.least, today.expected / at.expected, today.most / at.most};
  };
  const auto lowest = all(ofSections.low), highest = all(ofSections.high);
  return {expected(ofSections.ratio), *std::min_element(lowest.begin(), lowest.end()),
          *std::max_element(highest.begin(), highest.end()), expected(ofSections.lowerQuartile),
          ofSections.known};
}

Expected<RunScaling> runScaling(const Network &network, const std::vector<LockKind> &kinds,
                                const Machine &machine, const PredictOptions &options) {
  return RunScaling{*network.run, TRY(recordedSpeedup(network, kinds, machine, options)),
                    options.cores > 0 ? options.cores : machine.cores};
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
