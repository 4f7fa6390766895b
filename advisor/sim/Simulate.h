// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates a network on the virtual multicore. The results have the form of a prediction.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/Prediction.h"
#include "advisor/network/KindChoice.h"
#include "advisor/sim/Estimates.h"
#include "advisor/sim/SimulatedLocks.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise::sim {

struct SimulateOptions {
  int cores = 0; ///< 0: the machine's
  std::uint64_t seed = 1;
  /// The half-width of a 95 % interval that is small enough, relative to the throughput, and for a
  /// waiting time relative to the larger of it and `waitFloor` holding times. Locks with less than
  /// a hundredth of the acquisitions do not keep a simulation going.
  double precision = 0.01;
  double waitFloor = 1;
  /// After so many critical sections and accesses to shared memory together it ends in any case.
  std::uint64_t mostSteps = 20'000'000;
  /// The first thread has this one of the processors in the order of the machine's placement, the
  /// next thread the next one.
  int firstProcessor = 0;
  int dataLines = 0; ///< cache lines of a lock's data that every section writes
  /// Independent runs, whose threads begin elsewhere: at least so many, and more until the figures
  /// are precise or `mostSteps` are over.
  int replications = 1;
  /// Threads that scale all go through this part of the routing, as trafficOf has them.
  std::optional<std::size_t> onlyPart = {};
};

/// 95 % intervals of the figures of the same names.
struct LockIntervals {
  Interval waitNs, residenceNs, queueLength, utilization, contentionRate, throughputPerS;
};

struct Simulation {
  Prediction figures; ///< `model` is "simulated"; no speedup, which needs two simulations
  Interval throughputPerS;
  std::vector<LockIntervals> locks;
  std::uint64_t sections = 0, accesses = 0; ///< simulated, warm-up included
  bool precise = false;                     ///< it ended because it was precise enough
};

inline constexpr int mostSimulatedThreads = 4096;

/// Simulates algorithm `kinds[i]` at lock i. Where all are `ideal` the machine is not used: every
/// thread has a core, and only the network's times pass. The same arguments give the same figures,
/// bit by bit.
Expected<Simulation> simulate(const Network &network, const std::vector<LockKind> &kinds,
                              const Machine &machine, int threads,
                              const SimulateOptions &options = {});

/// The same with locks of any kind, such as those of a benchmark: `locks[i]` at lock i.
Expected<Simulation> simulateLocks(const Network &network,
                                   const std::vector<const SimulatedKind *> &locks,
                                   const Machine &machine, int threads,
                                   const SimulateOptions &options = {});

/// The result for one number of threads.
struct SimulatedPoint {
  Simulation simulation;
  Interval speedup;
};

/// `hostThreads` is the number of threads to simulate on; 0 stands for as many as the host has.
/// `progress(done, all)` is called from any of them.
struct SweepOptions : SimulateOptions {
  int hostThreads = 0;
  std::function<void(std::size_t done, std::size_t all)> progress;
};
/// Simulates every choice with every number of threads. The results, `[kind][threads]`, have
/// speed-ups over one thread. Where threads are of several classes, that is the mean over them of
/// one alone: beside the threads of fixed classes, no other.
Expected<std::vector<std::vector<SimulatedPoint>>>
simulateSweep(const Network &network, const std::vector<KindChoice> &kinds, const Machine &machine,
              const std::vector<int> &threads, const SweepOptions &options = {});

} // namespace qdadvise::sim
