// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/DerivedCosts.h"

#include "advisor/algorithms/LockAlgorithm.h"
#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedLocks.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace qdadvise::sim {
namespace {

/// Lengths differ a little, lest the same moment of a wait's turn meets every release.
constexpr Duration section{1000, 0.1, Distribution::uniform};
/// Over before the traffic of the last hand-over is, and long after.
constexpr Duration shortSection{100, 0.1, Distribution::uniform};
constexpr Duration shortestSection{1, 0.1, Distribution::uniform}; ///< where threads wait apart
constexpr Duration longSection{0, 0.02, Distribution::uniform};    ///< KindCosts::longSectionNs
constexpr double precision = 0.002; // of the time from one section to the next

/// More rows say little more; sockets are where curves bend.
std::vector<int> rowsUpTo(int most, const Machine &machine) {
  std::set<int> rows;
  for (int row = 2; row < most; row *= 2)
    rows.insert({row, std::min(row * 3 / 2, most)});
  const int perSocket = (machine.cores + machine.sockets - 1) / machine.sockets;
  rows.insert({std::min(perSocket, most), std::min(perSocket + 1, most), most});
  return {rows.lower_bound(2), rows.end()};
}

double rounded(double ns) { return std::round(ns * 10) / 10; }

/// One lock, from which a thread stays away for so long after a section.
Network oneLock(const Duration &hold, const Duration &absence) {
  Network network;
  network.locks.push_back({"lock", "spinlock", 1, {}});
  Section only;
  only.name = "section";
  only.hold = hold;
  network.sections.push_back(only);
  network.classes.push_back({"worker"});
  Transition back;
  back.probability = 1;
  back.local = absence;
  network.transitions.push_back(back);
  return network;
}

/// What lies between two sections, and how many threads are there at a release.
struct Handover {
  double ns = 0;
  double there = 0;
};

/// A curve of a lock's costs, and what it is measured with.
struct CostKey {
  const char *key;
  Duration hold;
  Duration absence; ///< its shape
};
/// After short sections whoever returns meets a hand-over at any moment; where all are away for
/// about as long, it is the same moment every time, and the cost is that moment's.
constexpr Duration even{0, 0.1, Distribution::uniform};
constexpr Duration random{0, 1, Distribution::exponential};
constexpr CostKey delegationKeys[] = {{"delegation_overhead_ns", section, even}};
constexpr CostKey handoverKeys[] = {{"handover_ns", longSection, even},
                                    {"handover_short_ns", shortSection, random}};
constexpr CostKey apartKeys[] = {{"handover_ns", longSection, even},
                                 {"handover_short_ns", shortestSection, random}};

std::span<const CostKey> keysOf(const LockAlgorithm &algorithm) {
  if (algorithm.delegates)
    return delegationKeys;
  if (waitsApart(algorithm.name))
    return apartKeys;
  return handoverKeys;
}

/// With so many threads in all. Whoever releases stays away for longer than a hand-over takes, so
/// that it does not take the lock again at once, but is back before the next release, unless
/// sections are short. `fewer` is the result for fewer threads, from which that time is guessed.
Expected<Handover> handover(const std::string &kind, const CostKey &key, int threads,
                            const Handover &fewer, const Machine &machine) {
  Duration hold = key.hold;
  if (hold.mean <= 0)
    hold.mean = KindCosts::longSectionNs(threads);
  Duration away = key.absence;
  away.mean = std::max(0.3 * hold.mean, 1.5 * fewer.ns);
  const auto found =
      TRY(simulate(oneLock(hold, away), {kind}, machine, threads, {.precision = precision}));
  const double each = 1e9 / found.figures.throughputPerS;
  // At a release; those who stay away for about as long as each other are as many every time.
  const double absent = away.mean / each;
  const double there = threads - (away.cv < 1 ? std::floor(absent) : absent);
  return Handover{std::max(0.0, each - hold.mean), rounded(there)};
}

/// DO(k) of one waiting thread, as a calibration measures it: how much longer a helper takes
/// that finds its section in the queue at the end of its own.
double delegationToOne(const SimulatedKind &kind, const MulticoreCosts &costs) {
  constexpr int rounds = 50;
  // In every second round the other thread comes while the helper's own section lasts.
  const Time each = picoseconds(section.mean), round = 10 * each;
  Multicore machine(costs);
  const auto lock = kind.make(machine);
  const auto until = [&](Time at) { machine.compute(std::max<Time>(0, at - machine.clock())); };
  Time total = 0;
  const auto helper = [&](Time queued) {
    Time since = 0;
    auto own = [&] {
      machine.compute(each);
      since = machine.clock();
    };
    lock->exclusive(own);
    return machine.clock() - since - queued * each;
  };
  machine.addThread([&] {
    for (Time i = 0; i < rounds; ++i) {
      until(2 * i * round);
      const Time without = helper(0);
      until((2 * i + 1) * round);
      total += helper(1) - without;
    }
  });
  machine.addThread([&] {
    auto operation = [&] { machine.compute(each); };
    for (Time i = 0; i < rounds; ++i) {
      until((2 * i + 1) * round + each / 2);
      lock->exclusive(operation);
    }
  });
  machine.run();
  return nanoseconds(total) / rounds;
}

/// By number of threads that wait (delegating locks) or are there.
Expected<Curve> curveOf(const SimulatedKind &kind, const CostKey &key, const Machine &machine,
                        const MulticoreCosts &costs, const std::function<void(double)> &progress) {
  const bool delegates = findKnownLockAlgorithm(kind.name)->delegates;
  const std::vector<int> rows = rowsUpTo(machine.cores, machine);
  Curve curve;
  curve.source = simulated;
  Handover fewer;
  std::size_t done = 0;
  for (const int threads : rows) {
    // Two threads do not keep a helper busy; more do, and each of their sections then
    // takes its share of the changes of helper as well.
    Handover found =
        TRY(delegates && threads == 2 ? Handover{delegationToOne(kind, costs), 2}
                                      : handover(kind.name, key, threads, fewer, machine));
    fewer = found;
    if (delegates) {
      // More cost no less in total, though each of them does.
      const double before = curve.rows.empty() ? 0 : curve.rows.back().second;
      const int others = threads - 1;
      curve.rows.emplace_back(others, std::max(before, rounded(others * fewer.ns)));
    } else if (fewer.there >= 2) {
      const bool isNew = curve.rows.empty() || curve.rows.back().first < fewer.there;
      if (isNew)
        curve.rows.emplace_back(fewer.there, rounded(fewer.ns));
    }
    progress(static_cast<double>(++done) / static_cast<double>(rows.size()));
  }
  return curve;
}

} // namespace

Expected<Machine> withSimulatedCosts(const Machine &machine,
                                     const std::function<void(double)> &progress) {
  Machine result = machine;
  const auto costs = TRY(costsOf(machine, {}));
  const auto &kinds = simulatedKinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const SimulatedKind &kind = kinds[i];
    if (std::string(kind.name) == "ideal")
      continue;
    KindCosts &known = result.kinds[kind.name];
    if (!result.require(kind.name, "lock_overhead_ns"))
      known.figures["lock_overhead_ns"] = {rounded(uncontendedNs(kind, costs)), {}, simulated};

    const LockAlgorithm &algorithm = *findKnownLockAlgorithm(kind.name);
    const std::span<const CostKey> keys = keysOf(algorithm);
    const bool isKnown = algorithm.delegates
                             ? result.require(kind.name, keys.front().key).has_value()
                             : result.requireHandover(kind.name).has_value();
    if (isKnown || !algorithm.spins)
      continue;
    for (std::size_t at = 0; at < keys.size(); ++at) {
      const auto curve = curveOf(kind, keys[at], result, costs, [&](double share) {
        const double ofKind = (static_cast<double>(at) + share) / static_cast<double>(keys.size());
        if (progress)
          progress((static_cast<double>(i) + ofKind) / static_cast<double>(kinds.size()));
      });
      if (!curve)
        return Unexpected(curve.error());
      if (!curve->rows.empty())
        known.curves[keys[at].key] = *curve;
    }
  }
  return result;
}

} // namespace qdadvise::sim
