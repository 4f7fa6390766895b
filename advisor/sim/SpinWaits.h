// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the virtual multicore that wait in a loop for a word to change. They cost no host time
// before it does.
#pragma once

#include "advisor/sim/Caches.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/LineRequests.h"
#include "advisor/sim/MulticoreThread.h"

#include <cstdint>
#include <qdadvise/locks/spin_wait.h>
#include <vector>

namespace qdadvise::sim {

class SpinWaits {
public:
  /// All of them must outlive the object.
  SpinWaits(std::vector<MulticoreThread> &threads, EventQueue &events, Caches &caches,
            LineRequests &requests, const MulticoreCosts &costs)
      : threads(threads), events(events), caches(caches), requests(requests), costs(costs) {}

  /// The thread, which has its target, line and turns, begins to watch its copy of the line. A
  /// thread whose core is `wanted` by others will yield.
  void watch(MulticoreThread &thread, Time at, bool wanted);
  /// The event of a spinning thread has come. True where the thread goes on spinning, and has
  /// another event or none. False where it sees something new, or yields.
  bool goesOn(MulticoreThread &thread, Time at, bool wanted);
  /// Lets a spinning thread look again at the end of the turn that `at` lies in. With `never`, at
  /// the end of the turn in which it yields for the first time, or of the next one.
  void end(MulticoreThread &thread, Time at);
  /// Somebody has written to the line: whoever watches it looks again.
  void wake(CacheLine &line, Time at);
  /// Stops a thread from watching its line.
  void leave(MulticoreThread &thread);

  /// How often spinning threads have fetched their line again.
  std::uint64_t accesses() const { return accessCount; }

  /// How many turns a thread makes before it yields in each.
  static unsigned turnsBeforeYield(const SpinTarget &target) {
    return target.turn == SpinTurn::pauseThenYield ? spin_wait::spin_limit : ~0U;
  }

private:
  std::vector<MulticoreThread> &threads;
  EventQueue &events;
  Caches &caches;
  LineRequests &requests;
  const MulticoreCosts &costs;
  std::uint64_t accessCount = 0;
};

} // namespace qdadvise::sim
