// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/DerivedCosts.h"

#include "advisor/model/Prediction.h"
#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedLocks.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace qdadvise::sim {
namespace {

/// Of the length that matters most: hand-overs to spinning threads take longer after short
/// sections, before the traffic of the last one has ended. Lengths differ a little, lest the
/// same moment of a wait's turn meets every release.
constexpr Duration section{1000, 0.1, Distribution::uniform};
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
Network oneLock(double absenceNs) {
  Network network;
  network.locks.push_back({"lock", "spinlock", 1, {}});
  Section only;
  only.name = "section";
  only.hold = section;
  network.sections.push_back(only);
  network.classes.push_back({"worker"});
  Transition back;
  back.probability = 1;
  back.local = {absenceNs, 0.1, Distribution::uniform};
  network.transitions.push_back(back);
  return network;
}

/// Time between two sections that follow each other, less a section, with so many threads.
/// Whoever releases stays away for longer than a hand-over takes, so that it does not take the
/// lock again at once, but is back before the next release. `fewer` is the result for fewer
/// threads, from which that time is guessed.
Expected<double> handover(const std::string &kind, int threads, double fewer,
                          const Machine &machine) {
  const double absence = std::max(0.3 * section.mean, 1.5 * fewer);
  const auto found = simulate(oneLock(absence), {kind}, machine, threads, {.precision = precision});
  if (!found)
    return tl::unexpected(found.error());
  return std::max(0.0, 1e9 / found->figures.throughputPerS - section.mean);
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

} // namespace

Expected<Machine> withSimulatedCosts(const Machine &machine,
                                     const std::function<void(double)> &progress) {
  Machine result = machine;
  const auto costs = costsOf(machine, {});
  if (!costs)
    return tl::unexpected(costs.error());
  const auto &kinds = simulatedKinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const SimulatedKind &kind = kinds[i];
    if (std::string(kind.name) == "ideal")
      continue;
    KindCosts &known = result.kinds[kind.name];
    if (!result.require(kind.name, "lock_overhead_ns"))
      known.figures["lock_overhead_ns"] = {rounded(uncontendedNs(kind, *costs)), {}, simulated};

    const LockAlgorithm &algorithm = *findKnownLockAlgorithm(kind.name);
    const char *key = algorithm.delegates ? "delegation_overhead_ns" : "handover_ns";
    const bool isKnown = algorithm.delegates ? result.require(kind.name, key).has_value()
                                             : result.requireHandover(kind.name).has_value();
    if (isKnown || !algorithm.spins)
      continue;
    const std::vector<int> rows = rowsUpTo(machine.cores, machine);
    Curve curve;
    curve.source = simulated;
    double fewer = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const int threads = rows[at], others = threads - 1;
      // Two threads do not keep a helper busy; more do, and each of their sections then
      // takes its share of the changes of helper as well.
      Expected<double> found = algorithm.delegates && others == 1
                                   ? delegationToOne(kind, *costs)
                                   : handover(kind.name, threads, fewer, result);
      if (!found)
        return tl::unexpected(found.error());
      fewer = *found;
      if (algorithm.delegates) {
        // More cost no less in total, though each of them does.
        const double before = curve.rows.empty() ? 0 : curve.rows.back().second;
        curve.rows.emplace_back(others, std::max(before, rounded(others * *found)));
      } else {
        curve.rows.emplace_back(threads, rounded(*found));
      }
      if (progress)
        progress((static_cast<double>(i) +
                  static_cast<double>(at + 1) / static_cast<double>(rows.size())) /
                 static_cast<double>(kinds.size()));
    }
    if (!curve.rows.empty())
      known.curves[key] = std::move(curve);
  }
  return result;
}

} // namespace qdadvise::sim
