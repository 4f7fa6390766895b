// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/uncertainty/ModelError.h"

#include "advisor/model/workload/Workload.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// The part of a model's error that counts if threads wait for this share of their time (UNC6).
double weight(double share) { return std::min(1.0, 3 * share); }

/// Threads that are alone come back to a lock sooner than its cache line moves.
constexpr double shortRoundNs = 100;

bool hasShortRounds(const Network &network) {
  double cycleNs = 0, sections = 0;
  for (const Traffic &one : trafficOf(network)) {
    const double alone = aloneNs(network, one);
    if (alone <= 0)
      continue;
    cycleNs += one.share * alone;
    for (const double visits : one.visits)
      sections += one.share * visits;
  }
  return cycleNs < shortRoundNs * sections;
}

/// Whether threads take the lock again that they had last, more often than any other, of several.
bool mostlyStays(const Network &network) {
  double stays = 0, goes = 0;
  for (const Traffic &one : trafficOf(network))
    for (std::size_t i = 0; i < one.flows.size(); ++i) {
      const Transition &step = network.transitions[i];
      const bool same = network.sections[step.from].lock == network.sections[step.to].lock;
      (same ? stays : goes) += one.threads(1) * one.flows[i];
    }
  return goes > 0 && stays > goes;
}

bool hasNested(const Network &network) {
  return std::any_of(network.sections.begin(), network.sections.end(),
                     [](const Section &section) { return section.inside.has_value(); });
}

/// Errors of figures that stand for a bound (NST7).
constexpr struct {
  double throughput, wait;
} bound{0.2, 0.6};

/// Share of the threads' time that they wait at a lock. A thread that finds the lock free waits
/// only for its overhead, which is known.
double waitingShare(const Prediction &prediction, std::size_t lock) {
  if (prediction.locks[lock].contentionRate <= 0)
    return 0;
  double inSystem = 0;
  for (const LockPrediction &at : prediction.locks)
    inSystem += at.queueLength;
  const LockPrediction &at = prediction.locks[lock];
  return at.throughputPerS * 1e-9 * at.waitNs / std::max(prediction.threads, inSystem);
}

} // namespace

const std::vector<ErrorRegion> &errorRegions() {
  static const std::vector<ErrorRegion> table{
      {"more threads than cores",
       [](const Network &, double population, int cores, const Waiters &) {
         return population > cores;
       },
       0.06, 0.5, true},
      {"more threads than cores, on which waiters spin",
       [](const Network &, double population, int cores, const Waiters &waiters) {
         return waiters.spinInVain && population > cores;
       },
       0.19, 0, true},
      {"several thread classes",
       [](const Network &network, double, int, const Waiters &) {
         return network.classes.size() > 1;
       },
       0.05, 0.2, false},
      {"nested sections",
       [](const Network &network, double, int, const Waiters &) { return hasNested(network); },
       0.05, 0.2, false},
      {"holding times with a cv over 1.5",
       [](const Network &network, double, int, const Waiters &) {
         return std::any_of(network.sections.begin(), network.sections.end(),
                            [](const Section &section) { return section.hold.cv > 1.5; });
       },
       0.03, 0.12, false},
      {"rounds of under 100 ns",
       [](const Network &network, double population, int, const Waiters &) {
         return population > 1 && hasShortRounds(network);
       },
       0.55, 0.55, true},
      // (MX40) is of threads that are alike, and of sections that are not nested.
      {"threads that stay at one of several locks of sleepers",
       [](const Network &network, double population, int, const Waiters &waiters) {
         return population > 2 && waiters.sleep && mostlyStays(network) &&
                (network.classes.size() > 1 || hasNested(network));
       },
       0.2, 0.6, false},
  };
  return table;
}

void Waiters::add(LockKind kind) {
  const LockAlgorithm &algorithm = algorithmOf(kind);
  spinInVain = spinInVain || (algorithm.spins && !algorithm.delegates);
  sleep = sleep || algorithm.sleeps();
}

double gainError(const Network &network, double population, int cores, const Waiters &waiters) {
  double variance = 0;
  for (const ErrorRegion &region : errorRegions())
    if (region.byAlgorithm && region.has(network, population, cores, waiters))
      variance += region.throughput * region.throughput;
  return std::sqrt(variance);
}

double throughputError(const Prediction &prediction, const std::vector<LockKind> &kinds,
                       const std::function<bool(std::size_t lock)> &counts) {
  double largest = 0;
  for (std::size_t lock = 0; lock < kinds.size(); ++lock) {
    if (counts(lock))
      largest = std::max(largest, algorithmOf(kinds[lock]).modelError *
                                      weight(waitingShare(prediction, lock)));
  }
  return largest;
}

ModelErrors::ModelErrors(const Network &network, const std::vector<LockKind> &kinds, int cores,
                         const Prediction &prediction)
    : kinds(kinds), prediction(prediction) {
  const bool ideal = std::all_of(kinds.begin(), kinds.end(),
                                 [](const auto &kind) { return kind == LockKind::ideal; });
  const double population =
      populationOf(network, trafficOf(network), static_cast<int>(prediction.threads));
  Waiters waiters;
  for (const LockKind kind : kinds)
    waiters.add(kind);
  double waiting = 0, regions = 0;
  for (std::size_t lock = 0; lock < kinds.size(); ++lock)
    waiting = std::max(waiting, waitingShare(prediction, lock));
  for (const ErrorRegion &region : errorRegions()) {
    // Ideal locks have as many cores as threads.
    if (!region.has(network, population, ideal ? 1 << 30 : cores, waiters))
      continue;
    regions += region.throughput * region.throughput;
    waitRegions += region.wait * region.wait;
  }
  if (prediction.worstCase) {
    regions += bound.throughput * bound.throughput;
    waitRegions += bound.wait * bound.wait;
  }
  const double own = prediction.model == "exact"
                         ? 0
                         : throughputError(prediction, kinds, [](std::size_t) { return true; });
  throughput = std::hypot(own, std::sqrt(regions) * weight(waiting));
}

FigureErrors ModelErrors::at(std::size_t lock) const {
  const LockPrediction &figures = prediction.locks[lock];
  FigureErrors errors;
  errors.throughput = throughput;
  if (figures.contentionRate > 0) {
    const double own = prediction.model == "exact" ? 0 : algorithmOf(kinds[lock]).waitError;
    errors.wait = std::sqrt(own * own + waitRegions);
  }
  const double waiting = figures.residenceNs > 0 ? figures.waitNs / figures.residenceNs : 0;
  errors.queue = std::hypot(throughput, errors.wait * waiting);
  errors.contention = errors.wait * (1 - figures.contentionRate);
  return errors;
}

} // namespace qdadvise
