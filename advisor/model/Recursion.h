// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean value analysis of a closed network with one class of threads: residence
// times with n threads from the state with n - 1, for n = 1, 2, ... (Reiser and
// Lavenberg 1980). What a lock adds is its Station's business. Times in nanoseconds.
#pragma once

#include "advisor/model/Station.h"

#include <memory>
#include <vector>

namespace qdadvise {

/// `count` stations that are alike, each visited `visits` times per cycle.
struct RecursionStation {
  double visits = 0;
  /// Of these visits, those that are part of a cycle by themselves. The others are
  /// made inside an outer section, whose holding time already contains them.
  double directVisits = 0;
  double count = 1;
  std::unique_ptr<Station> station;
};

struct RecursionInput {
  double delayNs = 0;   ///< blocked time per cycle
  double computeNs = 0; ///< local computation per cycle
  int servers = 0;      ///< cores for local computation; 0: as many as threads
  std::vector<RecursionStation> stations;
  /// The same stations anew; needed with `servers` only. They are solved without
  /// local computation, which keeps the marginal probabilities positive.
  std::vector<RecursionStation> complement;
};

/// One station, per visit.
struct StationState {
  double residenceNs = 0, contention = 0;
};

struct NetworkState {
  int threads = 0;
  double cyclesPerNs = 0; ///< throughput; a cycle is one visit to an outermost section
  std::vector<StationState> stations;
};

/// Solves for every population of `threads`, ascending, each >= 1. Exact where every
/// station is, and then also with a bounded number of servers. Uses the stations up.
std::vector<NetworkState> solveRecursion(RecursionInput &input, const std::vector<int> &threads);

} // namespace qdadvise
