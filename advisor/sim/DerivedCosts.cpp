// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/DerivedCosts.h"

#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedLocks.h"
#include "advisor/support/ForEachIndex.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace qdadvise::sim {
namespace {

/// Lengths differ a little, so that releases do not all meet the same moment of a waiter's turn.
constexpr Duration section{1000, 0.1, Distribution::uniform};
/// Shorter than the traffic that a handoff causes.
constexpr Duration shortSection{100, 0.1, Distribution::uniform};
constexpr Duration shortestSection{1, 0.1, Distribution::uniform}; ///< where threads wait apart
constexpr Duration longSection{0, 0.02, Distribution::uniform};    ///< KindCosts::longSectionNs

/// The numbers of threads to simulate. More rows say little more; curves bend where a socket is
/// full.
std::vector<int> rowsUpTo(int most, const Machine &machine) {
  std::set<int> rows;
  for (int row = 2; row < most; row *= 2)
    rows.insert({row, std::min(row * 3 / 2, most)});
  const int perSocket = (machine.cores + machine.sockets - 1) / machine.sockets;
  rows.insert({std::min(perSocket, most), std::min(perSocket + 1, most), most});
  return {rows.lower_bound(2), rows.end()};
}

double rounded(double ns) { return std::round(ns * 10) / 10; }

/// One lock. After a section a thread stays away from it for `absence`.
Network oneLock(const Duration &hold, const Duration &absence) {
  Network network;
  network.locks.push_back({"lock", LockKind::spinlock, 1, {}});
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

struct Handoff {
  double ns = 0;      ///< what lies between two sections
  double present = 0; ///< threads at the lock at a release
};

/// A curve of a lock's costs, and what it is measured with.
struct CostKey {
  const char *key;
  Duration hold;
  Duration absence; ///< only its shape counts
};
/// After short sections a thread that returns meets a handoff at any moment. If all stayed away for
/// about as long, it would be the same moment every time, and only that moment would be measured.
constexpr Duration even{0, 0.1, Distribution::uniform};
constexpr Duration random{0, 1, Distribution::exponential};
constexpr CostKey delegationKeys[] = {{"delegation_overhead_ns", section, even}};
constexpr CostKey handoffKeys[] = {{"handover_ns", longSection, even},
                                   {"handover_short_ns", shortSection, random}};
constexpr CostKey apartKeys[] = {{"handover_ns", longSection, even},
                                 {"handover_short_ns", shortestSection, random}};

std::span<const CostKey> keysOf(const LockAlgorithm &algorithm) {
  if (algorithm.delegates)
    return delegationKeys;
  if (algorithm.waitsApart)
    return apartKeys;
  return handoffKeys;
}

/// The handoff among `threads` threads in all. A thread that has released the lock stays away for
/// longer than a handoff takes, so that it does not take the lock again at once. It is back before
/// the next release, unless sections are short. `fewer` is the result for fewer threads, from which
/// that time is guessed.
Expected<Handoff> handoff(const SimulatedKind &kind, const CostKey &key, int threads,
                          const Handoff &fewer, const Machine &machine, double precision) {
  Duration hold = key.hold;
  if (hold.mean <= 0)
    hold.mean = KindCosts::longSectionNs(threads);
  Duration away = key.absence;
  away.mean = std::max(0.3 * hold.mean, 1.5 * fewer.ns);
  const auto found =
      TRY(simulateLocks(oneLock(hold, away), {&kind}, machine, threads, {.precision = precision}));
  const double each = 1e9 / found.figures.throughputPerS;
  // At a release; those who stay away for about as long as each other are as many every time.
  const double absent = away.mean / each;
  const double present = threads - (away.cv < 1 ? std::floor(absent) : absent);
  return Handoff{std::max(0.0, each - hold.mean), rounded(present)};
}

/// DO(1), as a calibration measures it: how much longer a helper takes if the section of one
/// waiting thread is in the queue at the end of its own.
double delegationToOne(const SimulatedKind &kind, const MulticoreCosts &costs) {
  constexpr int rounds = 50;
  // In every second round the other thread comes during the helper's own section.
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

/// The curve by the number of threads that wait (for delegating locks) or are at the lock.
Expected<Curve> curveOf(const SimulatedKind &kind, const CostKey &key, const Machine &machine,
                        const MulticoreCosts &costs, double precision,
                        const std::function<void(double)> &progress) {
  const bool delegates = algorithmOf(kind.kind).delegates;
  const std::vector<int> rows = rowsUpTo(machine.cores, machine);
  Curve curve;
  curve.source = simulated;
  Handoff fewer;
  std::size_t done = 0;
  for (const int threads : rows) {
    // Two threads do not keep a helper busy; more do, and each of their sections then
    // takes its share of the changes of helper as well.
    const Handoff found =
        TRY(delegates && threads == 2 ? Handoff{delegationToOne(kind, costs), 2}
                                      : handoff(kind, key, threads, fewer, machine, precision));
    const auto [most, before] = curve.rows.empty() ? std::pair(0.0, 0.0) : curve.rows.back();
    if (delegates) {
      // More waiting threads cost no less in total, though each of them costs less.
      const int others = threads - 1;
      curve.rows.emplace_back(others, std::max(before, rounded(others * found.ns)));
    } else if (found.present >= 2 && found.present > most) {
      curve.rows.emplace_back(found.present, rounded(found.ns));
    }
    fewer = found;
    progress(static_cast<double>(++done) / static_cast<double>(rows.size()));
  }
  return curve;
}

} // namespace

std::optional<Error> addSimulatedCosts(Machine &machine, const SimulatedKind &kind,
                                       const std::function<void(double)> &progress,
                                       double precision) {
  Machine calibrated = machine;
  calibrated.placement = ThreadPlacement::sockets; // as calibrate places threads
  const auto costs = costsOf(calibrated, {});
  if (!costs)
    return costs.error();
  KindCosts &known = machine.kinds[kind.kind];
  if (!machine.require(kind.kind, "lock_overhead_ns"))
    known.figures["lock_overhead_ns"] = {rounded(uncontendedNs(kind, *costs)), {}, simulated};

  const LockAlgorithm &algorithm = algorithmOf(kind.kind);
  const std::span<const CostKey> keys = keysOf(algorithm);
  const bool isKnown = algorithm.delegates
                           ? machine.require(kind.kind, keys.front().key).has_value()
                           : machine.requireHandoff(kind.kind).has_value();
  if (isKnown || !algorithm.spins)
    return std::nullopt;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    const auto curve = curveOf(kind, keys[at], calibrated, *costs, precision, [&](double share) {
      if (progress)
        progress((static_cast<double>(at) + share) / static_cast<double>(keys.size()));
    });
    if (!curve)
      return curve.error();
    if (!curve->rows.empty())
      known.curves[keys[at].key] = *curve;
  }
  return std::nullopt;
}

Expected<Machine> withSimulatedCosts(const Machine &machine,
                                     const std::function<void(double)> &progress) {
  const auto &kinds = simulatedKinds();
  std::vector<Machine> completed(kinds.size(), machine);
  std::vector<std::optional<Error>> errors(kinds.size());
  std::vector<double> shares(kinds.size());
  std::mutex telling;
  forEachIndex(kinds.size(), [&](std::size_t i) {
    if (kinds[i].kind == LockKind::ideal)
      return;
    errors[i] = addSimulatedCosts(completed[i], kinds[i], [&](double share) {
      const std::lock_guard guard(telling);
      shares[i] = share;
      if (progress)
        progress(std::accumulate(shares.begin(), shares.end(), 0.0) /
                 static_cast<double>(kinds.size()));
    });
  });
  Machine result = machine;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (errors[i])
      return Unexpected(*errors[i]);
    if (const auto found = completed[i].kinds.find(kinds[i].kind);
        found != completed[i].kinds.end())
      result.kinds[kinds[i].kind] = found->second;
  }
  return result;
}

} // namespace qdadvise::sim
