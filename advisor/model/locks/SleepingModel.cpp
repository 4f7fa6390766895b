// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/locks/SleepingModel.h"

#include "advisor/model/locks/TakenShare.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace qdadvise {

namespace {

/// With glibc 2.36 on the virtual machine that docs/results describes.
constexpr double defaultSleepNs = 250, defaultWakeNs = 150;

/// Standard deviation that processors add to times that do not vary, relative to a cycle.
constexpr double jitter = 0.005;

/// Times away count up to so many sections: meetings that are rarer are lost in rounding, and make
/// no difference.
constexpr double mostSectionsAway = 1e6;

/// Rounds of one thread that two threads take for each section, if these are shorter than a fetch
/// of the line, and how many more threads make that longer (MX26). Fitted to the virtual multicore.
constexpr double tightRounds = 3, mostFetching = 6;

double schedulerFigure(const Machine &machine, const char *key, double otherwise) {
  const auto given = machine.scheduler.find(key);
  return given == machine.scheduler.end() ? otherwise : given->second.value;
}

/// A lattice of good points from -1 to 1 in two dimensions (MX4). It needs far fewer points than a
/// sum over all combinations.
struct Lattice {
  std::array<double, std::tuple_size_v<decltype(Wakeup::gapsNs)>> latency, waker;
  decltype(latency) rest; ///< equally likely exponential times of mean 1

  Lattice() {
    const auto count = static_cast<double>(latency.size());
    const auto at = [count](std::size_t i, unsigned generator) {
      return 2 * std::fmod((static_cast<double>(i * generator) + 0.5) / count, 1.0) - 1;
    };
    for (std::size_t i = 0; i < latency.size(); ++i) {
      latency[i] = at(i, 15);
      waker[i] = at(i, 23);
      rest[i] = -std::log((static_cast<double>(i) + 0.5) / count);
    }
  }
};

/// Calls `costAt` with equally likely exponential times of mean 1.
template <typename CostAt> Wakeup wakeupOf(CostAt costAt) {
  static const Lattice lattice;
  Wakeup mean;
  const auto count = static_cast<double>(mean.gapsNs.size());
  for (std::size_t i = 0; i < mean.gapsNs.size(); ++i) {
    const WakeupCost cost = costAt(lattice.rest[i]);
    const double latency = cost.latencyNs + lattice.latency[i] * cost.latencyHalfNs;
    const double waker = cost.wakerNs + lattice.waker[i] * cost.wakerHalfNs;
    mean.latencyNs += latency / count;
    mean.wakerNs += waker / count;
    mean.gapsNs[i] = std::max(0.0, latency - waker);
  }
  return mean;
}

} // namespace

SleepingModel::SleepingModel(double holdNs, double lockOverheadNs, const Machine &machine,
                             const Variation &variation)
    : holdNs(holdNs), lockOverheadNs(lockOverheadNs), machine(machine),
      variation{std::min(1.0, variation.hold), std::min(1.0, variation.away)},
      lineNs(machine.lineTransfer()), sleepNs(schedulerFigure(machine, "sleep_ns", defaultSleepNs)),
      nobodyWokenNs(schedulerFigure(machine, "wake_ns", defaultWakeNs)) {}

double SleepingModel::tightNs(double awayNs, double visitors) const {
  const auto beyond = [&](double few) { return std::clamp(visitors - few, 0.0, mostFetching); };
  const double within = lineNs.sameSocketNs, across = lineNs.fromOther(visitors) - within;
  return tightRounds * (holdNs + awayNs + lockOverheadNs) - holdNs +
         (beyond(2) * within + beyond(4) * across) / 2;
}

Wakeup SleepingModel::wakeupAfter(double sleptNs) const {
  return wakeupOf([cost = machine.wakeupAfter(sleptNs)](double) { return cost; });
}

Wakeup SleepingModel::wakeupAfterRestOf(double meanNs) const {
  return wakeupOf([&](double rest) { return machine.wakeupAfter(sleepNs + meanNs * rest); });
}

double SleepingModel::sectionsInStep(double sectionNs, double awayNs, double fetchNs, double asleep,
                                     const Wakeup &wakeup, bool barging) const {
  // The range of distances at which neither thread finds the other in its section or fetching the
  // line. A request for the line may be on its way already.
  const double room = awayNs - sectionNs - (1 - requestShare) * fetchNs;
  const double apartNs = awayNs + fetchNs, round = sectionNs + apartNs;
  const double squares = sectionNs * sectionNs + apartNs * apartNs;
  const double varying =
      variation.hold * sectionNs * sectionNs + variation.away * apartNs * apartNs;
  if (room <= 0 || varying >= squares)
    return 0;
  // A random walk from a distance to either end of the range takes so many steps of variance 1.
  const auto steps = [room](double distance) {
    return std::max(0.0, distance * (room - distance));
  };
  const double ofSleepers =
      wakeup.meanOverGaps([&](double ns) { return steps(barging ? std::fmod(ns, round) : ns); });
  const double ofOthers = steps(std::max(0.0, sleepNs + sentBackNs - sectionNs / 2));
  return (1 - varying / squares) * (asleep * ofSleepers + (1 - asleep) * ofOthers) /
         (varying + jitter * jitter * round * round);
}

SleepingModel::Costs SleepingModel::costs(int threads, const Cycle &cycle,
                                          const Costs &before) const {
  const auto [awayNs, residenceNs, sleptNs, visitors, elsewhere, meets] = cycle;
  const double first = holdNs + lockOverheadNs;
  const double used = std::min(awayNs, mostSectionsAway * first);
  const Two two = this->two(used, threads);
  Costs costs;
  costs.meeting = threads == 2 ? two.meeting : 0;
  costs.transferNs = lineNs.readAndWrite * std::min(elsewhere, lineNs.elsewhere(visitors)) *
                     lineNs.fromOther(threads);
  costs.others = std::min(threads * (1 - 1 / visitors), (threads - 1) * meets);
  const double perNs = costs.others / std::max(residenceNs + awayNs, 1e-12);
  costs.saturated = threads > 2 ? saturated(threads, two, perNs, cycle, before.saturated)
                                : Saturated{.ns = first,
                                            .holdNs = two.holdNs,
                                            .taken = two.taken,
                                            .changes = two.changes,
                                            .next = two.next};
  const double met = first / (used + first);
  // The line is with the other one of two threads half of the time.
  const double pairTransferNs =
      lineNs.readAndWrite * lineNs.elsewhere(2) * lineNs.fromOther(threads);
  const double lost = 2 / costs.saturated.pairPerNs.value_or(two.perNs) - used - two.holdNs -
                      lockOverheadNs - (1 - met) * pairTransferNs;
  costs.failureNs = met > 0 ? std::max(0.0, lost / met) : 0;
  costs.present = perNs * residenceNs;
  const TakenShare share(perNs, first, costs.saturated.ns);
  costs.taken = share.taken;
  costs.wanted = share.wanted;
  return costs;
}

double SleepingModel::Costs::contention(double heldNs, int threads, double cycleNs) const {
  if (others <= 0)
    return 0;
  // While there are sleepers, the holder waits for the line, and a thread that comes back before
  // others have had the lock does not find it taken.
  const double takenNs = heldNs + wanted * std::max(0.0, saturated.takenNs - heldNs);
  const double byOthers = std::min(1.0, saturated.changes.value_or(1) * threads / others);
  return std::min(saturated.taken, (1 - wanted * (1 - byOthers)) * takenNs * others / cycleNs);
}

double SleepingModel::residenceNs(const Costs &costs) const {
  if (costs.shared)
    return costs.shared->residenceNs;
  return costs.holdNs(costs.taken) + lockOverheadNs + (1 - costs.taken) * costs.transferNs +
         costs.taken * costs.failureNs +
         costs.saturated.ns * std::max(0.0, costs.present - costs.taken);
}

} // namespace qdadvise
