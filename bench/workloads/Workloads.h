// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks to predict, simulate and compare: the papers' programs and random ones. Every generator
// gives the same values each time, since random values come from fixed seeds. Each family has a
// source of its own. Times in nanoseconds.
#pragma once

#include "advisor/network/Network.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qdadvise::workloads {

/// A network, and the numbers of threads (of the classes that scale) that it is meant for.
struct Workload {
  std::string name; ///< letters, digits, dots and dashes, unique over all families
  Network network;
  std::vector<int> threads;
};

// The meta-benchmark of section VI of the 2015 paper: a FIFO queue and a pairing heap with a lock
// each, sections of one length, local computation, and a routing matrix between the two. It has 7
// lengths x 5 local times x 20 matrices x 5 numbers of threads = 3500 configurations. The paper
// states the ranges and the number of matrices; the values in between and the matrices themselves
// are ours.
inline constexpr std::array<double, 7> metaSectionNs{200, 400, 700, 1000, 2000, 5000, 10'000};
inline constexpr std::array<double, 5> metaLocalNs{100, 500, 2000, 10'000, 30'000};
inline constexpr std::size_t metaMatrices = 20;
inline constexpr std::array<int, 5> metaThreads{2, 4, 8, 16, 32};
inline constexpr std::uint64_t metaSeed = 2015;

struct MetaConfiguration {
  double sectionNs = 0, localNs = 0;
  std::size_t matrix = 0;
  /// The probabilities that the FIFO queue follows the FIFO queue, and that it follows the heap,
  /// between 0.05 and 0.95: p and q of the paper's Figure 5.
  double fifoAfterFifo = 0, fifoAfterHeap = 0;

  std::string name() const; ///< `meta.s200.l100.m00`
};
/// All 700 of them, each for all `metaThreads`.
std::vector<MetaConfiguration> metaConfigurations();
/// The network has exponential times, as the paper's model has them and bench/meta draws them.
Workload metaWorkload(const MetaConfiguration &configuration);

/// The microbenchmark of section 5.2 of the 2012 paper: one lock, 10^7 cycles of local computation
/// (at 2 GHz, as on its 64-core machine) and a shorter holding time. Both times are exponential, or
/// deterministic, or uniform with three cv; there are 1 to 64 threads. The paper names the holding
/// time of 2x10^6 cycles; the other two are ours.
std::vector<Workload> machineRepair();

/// The program of section 5.3 of the 2012 paper: three locks; a main thread, an I/O thread and a
/// pool, which scales, each with its own routing and times. The paper states the structure and lock
/// 3's holding time, 7000 cycles; the rest is ours.
std::vector<Workload> bodytrack();

/// The program of section 5.4 of the 2012 paper: a pipeline whose stages end one after the other.
/// There is a network for each of three phases, with 3n, 2n and n threads for n = 2 ... 8 in each
/// stage that still runs, and 53 locks of a hash table and four queues. Times are ours.
std::vector<Workload> dedupPhases();

/// One contended lock, for curves over the number of threads: short sections as in "Non-scalable
/// locks are dangerous" (Linux Symposium 2012), and little local work beside a priority queue,
/// as in Figure 1 of the 2015 paper. Times are ours.
std::vector<Workload> oneLockCurves();

/// The accuracy suite's random networks: 1 to 6 locks, 2 to 64 threads, cv 0 to 2.5 with
/// heavy tails, several sections a lock, several thread classes, readers, nesting and
/// uneven instances. Models are developed against one part and only scored on the other.
enum class Part { develop, score };
inline constexpr std::uint64_t developSeed = 20'261'120, scoreSeed = 77'003'141;
inline constexpr std::size_t randomNetworksAPart = 300;
Workload randomNetwork(Part part, std::size_t index);
const char *nameOf(Part part);

/// Beside them, networks of one class in which a thread mostly takes the lock again that it had
/// last, or in which local computation takes the same time each time; otherwise plain.
enum class Special { sticky, constantLocal };
inline constexpr std::size_t specialNetworksAPart = 60;
Workload specialNetwork(Part part, Special special, std::size_t index);
const char *nameOf(Special special);

/// Finds a family by name, for the command.
struct Family {
  const char *name, *summary;
  std::vector<Workload> (*make)();
};
const std::vector<Family> &families();

} // namespace qdadvise::workloads
