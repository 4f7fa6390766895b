// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a solver is asked: the traffic of each thread class, and all classes merged
// into one, which is what single-class methods take.
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

/// The traffic of all thread classes. Nested sections have the visits that their
/// outer sections imply. The network must be valid.
std::vector<Traffic> trafficOf(const Network &network);

/// One class of threads with the mean behaviour of all.
struct MergedTraffic {
  int population = 0;
  std::vector<double> visits; ///< as in Traffic
  double computeNs = 0;
  double blockedNs = 0;      ///< where it is not the members' that count only while awake
  std::vector<double> flows; ///< as in Traffic; empty where threads differ
};

/// How many threads circulate. A fixed class beside scaling ones counts by the share of its
/// time that it is not blocked, so that a `main` which waits for its workers is no thread
/// more that wants a core.
double populationOf(const Network &network, const std::vector<Traffic> &traffic,
                    int scalingThreads);

/// Every class contributes by the rate at which its threads go round, `cyclesPerNs`, by class.
MergedTraffic mergeTraffic(const Network &network, const std::vector<Traffic> &traffic,
                           int scalingThreads, const std::vector<double> &cyclesPerNs);
/// The rates if each thread were alone.
std::vector<double> ratesAlone(const Network &network, const std::vector<Traffic> &traffic,
                               int scalingThreads);

/// By section: share of the visits to its lock.
std::vector<double> visitsToLocks(const Network &network);

/// Sections in which no thread ever is, by index.
std::vector<std::size_t> unvisitedSections(const Network &network,
                                           const std::vector<Traffic> &traffic);

} // namespace qdadvise
