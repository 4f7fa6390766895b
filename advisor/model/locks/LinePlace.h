// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place of a free lock's cache line (docs/theory/lines.md, equation (LN4)).
#pragma once

#include "advisor/model/locks/LockTimes.h"
#include "advisor/model/locks/Station.h"
#include "advisor/model/workload/Revisits.h"

#include <algorithm>

namespace qdadvise {

/// Where the cache line of a lock is when a thread finds the lock free.
class LinePlace {
public:
  LinePlace(const StationLoad &load, const LineTransfer &transfer)
      : revisit(load.revisit), share(load.share), own(load.own), transfer(transfer) {}
  /// As StationState::elsewhere. What comes from nearby counts by what it takes, over the mean of
  /// all other threads (LN6).
  double elsewhere() const { return probability; }
  /// Adds a thread to those that came `rate` times per nanosecond, each once in a cycle and for
  /// `residenceNs`, from nearby with that probability beyond chance.
  void update(int threads, double rate, double residenceNs, double cycleNs, double nearby) {
    probability = transfer.elsewhere(threads) * (1 - own);
    if (nearby > 0)
      probability *= transfer.nearer(threads, nearby);
    if (revisit.visits <= 0 || probability <= 0)
      return;
    // The others come from elsewhere while the lock is free.
    const double one = 1.0 / threads;
    const double others = rate / std::max(1 - residenceNs / cycleNs, one);
    Revisit way = revisit;
    way.awayNs = cycleNs * share - residenceNs;
    way.residenceNs = residenceNs;
    probability *= (1 - followsItself(way, others, share)) / (1 - one);
  }

private:
  Revisit revisit;
  double share, own;
  LineTransfer transfer;
  double probability = 0;
};

} // namespace qdadvise
