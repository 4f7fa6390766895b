// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver's input: the traffic of each thread class, and all classes merged into one for methods
// that take a single class (docs/theory/network.md, equations (NET2) to (NET4)).
#pragma once

#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

/// Threads with the same routing (one recurrent part of a thread class).
struct Traffic {
  std::string name;
  std::size_t threadClass = 0; ///< of the network
  bool scales = true;
  double share = 1;           ///< of the scaling threads, or the number of threads
  std::vector<double> visits; ///< by section, per visit to an outermost section
  double computeNs = 0;       ///< local computation per visit
  double blockedNs = 0;       ///< blocked time per visit
  std::vector<double> flows;  ///< by transition of the network, per visit
  double threads(int scalingThreads) const { return share * (scales ? scalingThreads : 1); }
};

/// The traffic of all thread classes. The visits of nested sections follow from those of their
/// outer sections (NET2). The network must be valid.
std::vector<Traffic> trafficOf(const Network &network);

/// Mean time of a cycle without other threads. In a valid network it is > 0 unless the class never
/// runs.
double aloneNs(const Network &network, const Traffic &traffic);

/// One class of threads with the mean behaviour of all.
struct MergedTraffic {
  int population = 0;
  std::vector<double> visits; ///< as in Traffic
  double computeNs = 0;
  double blockedNs = 0;      ///< without members that count only while awake
  std::vector<double> flows; ///< as in Traffic; empty where threads differ
};

/// How many threads circulate. A fixed class beside scaling ones counts by the share of its time
/// that it is not blocked (NET4): a `main` that waits for its workers needs no core.
double populationOf(const Network &network, const std::vector<Traffic> &traffic,
                    int scalingThreads);

/// The mean class (NET3). `cyclesPerNs` are the rates of the classes, which are their weights.
MergedTraffic mergeTraffic(const Network &network, const std::vector<Traffic> &traffic,
                           int scalingThreads, const std::vector<double> &cyclesPerNs);
/// The rates of the classes if each thread were alone.
std::vector<double> ratesAlone(const Network &network, const std::vector<Traffic> &traffic,
                               int scalingThreads);

/// By section, its share of the visits to its lock.
std::vector<double> visitsToLocks(const Network &network);

/// The sections that no thread enters.
std::vector<std::size_t> unvisitedSections(const Network &network,
                                           const std::vector<Traffic> &traffic);

} // namespace qdadvise
