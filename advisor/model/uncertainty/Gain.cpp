// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/Gain.h"

#include "advisor/model/OverPhases.h"
#include "advisor/model/uncertainty/ModelError.h"
#include "advisor/model/uncertainty/SamplingError.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Phases.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// A quantile of sampling errors and of the models' errors, in standard deviations.
struct Tail {
  double sampling, models;
};
constexpr Tail lowEnd{1.96, 1.96}; ///< of the 95 % interval
/// Half of the models' errors are within a fifth of what 95 % are within: gains of 558 pairs of
/// algorithms (docs/results).
constexpr Tail lowerQuartile{0.674, 0.39};

/// What is left out of a gain's sampling error may be this much (SamplingOptions).
constexpr double negligible = 0.01;

/// The traffic of a changed network: threads may compute for longer or shorter between sections.
std::vector<Traffic> changedTraffic(std::vector<Traffic> traffic, const Network &before,
                                    const Network &after) {
  for (Traffic &one : traffic)
    for (std::size_t i = 0; i < one.flows.size(); ++i)
      one.computeNs +=
          one.flows[i] * (after.transitions[i].local.mean - before.transitions[i].local.mean);
  return traffic;
}

/// Whether the lock and its sections are the same.
bool isSame(const Network &before, const Network &after, std::size_t lock) {
  bool same = before.locks[lock].instances == after.locks[lock].instances;
  for (std::size_t i = 0; i < before.sections.size(); ++i)
    if (const Section &a = before.sections[i], &b = after.sections[i]; a.lock == lock)
      same = same && a.hold.mean == b.hold.mean && a.shared == b.shared;
  return same;
}

/// Each phase has a gain of its own, and an interval. The errors are taken to be the same in all
/// phases: then all are at one end together (RPH5).
Expected<GainInterval> gainOverPhases(const Network &network, const std::vector<LockKind> &from,
                                      const std::vector<LockKind> &to, const Machine &machine,
                                      int threads, const PredictOptions &options,
                                      const NetworkChange &change) {
  std::vector<GainInterval> gains;
  std::vector<Prediction> before;
  for (std::size_t phase = 0; phase < network.phases.size(); ++phase) {
    const Network one = networkOfPhase(network, phase);
    gains.push_back(TRY(throughputGain(one, from, to, machine, threads, options, change)));
    if (!gains.back().known)
      return gains.back();
    before.push_back(TRY(predict(one, from, machine, threads, options)));
  }
  const std::vector<double> times = timeInPhases(network, before);
  const auto over = [&](double GainInterval::*figure) {
    std::vector<double> figures;
    for (const GainInterval &gain : gains)
      figures.push_back(gain.*figure);
    return ratioOverPhases(times, figures);
  };
  return GainInterval{over(&GainInterval::ratio), over(&GainInterval::low),
                      over(&GainInterval::high), over(&GainInterval::lowerQuartile)};
}

} // namespace

Expected<GainInterval> throughputGain(const Network &network, const std::vector<LockKind> &from,
                                      const std::vector<LockKind> &to, const Machine &machine,
                                      int threads, const PredictOptions &options,
                                      const NetworkChange &change) {
  if (!network.phases.empty())
    return gainOverPhases(network, from, to, machine, threads, options, change);
  const Network changedNetwork = change ? change(network) : network;
  const auto before = predict(network, from, machine, threads, options);
  const auto after = predict(changedNetwork, to, machine, threads, options);
  if (!before || !after)
    return Unexpected(before ? after.error() : before.error());
  if (before->worstCase || after->worstCase || !before->impossible.empty() ||
      !after->impossible.empty())
    return GainInterval{.known = false};
  const double gain = after->throughputPerS / before->throughputPerS;

  // Bounded cores change an error too little to solve them, which takes many times as long.
  PredictOptions today{coreForEveryThread, "recursion"};
  today.withSpeedup = false;
  PredictOptions then = today;
  today.startingPoints = makeStartingPoints();
  then.startingPoints = makeStartingPoints();
  const auto upChanged = [&](const Network &varied, const std::vector<Traffic> &traffic) {
    const Network other = change(varied);
    return predictTraffic(other, changedTraffic(traffic, varied, other), to, machine, {threads},
                          then);
  };
  const Figures ratio = [&](const Network &changed,
                            const std::vector<Traffic> &traffic) -> Expected<NetworkFigures> {
    const auto down = predictTraffic(changed, traffic, from, machine, {threads}, today);
    const auto up = change ? upChanged(changed, traffic)
                           : predictTraffic(changed, traffic, to, machine, {threads}, then);
    if (!down || !up)
      return Unexpected(down ? up.error() : down.error());
    const Prediction &now = down->front(), &next = up->front();
    return NetworkFigures{{next.throughputPerS / now.throughputPerS}, now.settled && next.settled};
  };
  const auto sampling = TRY(
      samplingVariances(network, ratio, {{std::max(before->speedup, after->speedup)}, negligible}));

  // An error at a lock that stays the same is in both throughputs. The errors of two algorithms are
  // independent.
  const auto changes = [&](std::size_t lock) {
    return from[lock] != to[lock] || !isSame(network, changedNetwork, lock);
  };
  Waiters waiters;
  for (std::size_t lock = 0; lock < from.size(); ++lock)
    if (changes(lock)) {
      waiters.add(from[lock]);
      waiters.add(to[lock]);
    }
  const int cores = options.cores > 0 ? options.cores : machine.cores;
  const double population = populationOf(network, trafficOf(network), threads);
  const double models =
      std::hypot(throughputError(*before, from, changes), throughputError(*after, to, changes),
                 gainError(network, population, cores, waiters));
  const auto below = [&](const Tail &tail) {
    return gain *
           std::exp(-std::hypot(tail.sampling * std::sqrt(sampling.front()), tail.models * models));
  };
  GainInterval interval;
  interval.ratio = gain;
  interval.low = below(lowEnd);
  interval.high = gain * gain / interval.low;
  interval.lowerQuartile = below(lowerQuartile);
  return interval;
}

} // namespace qdadvise
