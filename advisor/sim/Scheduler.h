// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread of the virtual multicore has which core, as Linux's fair scheduler (EEVDF, with
// threads of equal weight) decides it. Each core has a queue of its own, and runs the thread that
// has run least. A woken thread goes to an idle core, else to its last one; there it comes first if
// it has run less and the thread that runs has had its share. Threads that have just run are not
// moved to idle cores.
#pragma once

#include "advisor/sim/EventQueue.h"
#include "advisor/sim/MulticoreCosts.h"
#include "advisor/sim/MulticoreThread.h"
#include "advisor/sim/SpinWaits.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

namespace qdadvise::sim {

class Scheduler {
public:
  /// All references must outlive the scheduler.
  Scheduler(std::vector<MulticoreThread> &threads, EventQueue &events, SpinWaits &spins,
            const MulticoreCosts &costs, std::uint64_t seed);

  /// Gives all threads their first cores. The events of cores come after those of threads.
  void start();
  /// The timer of a core: a tick, or a woken thread comes first. Where a core has become idle
  /// meanwhile, a waiting thread goes there.
  void tick(std::uint32_t core, Time at);

  /// The thread sleeps or has finished. Its core goes to the next in its queue, or to a thread that
  /// waits for another core.
  void release(MulticoreThread &thread, Time at);
  /// A thread that slept wants a core again.
  void makeRunnable(MulticoreThread &thread, Time at);
  /// The thread goes behind all others of its core. False where there are none.
  bool yield(MulticoreThread &thread);

  /// Whether threads of one core slow each other down.
  bool shareCores() const { return costs.threadsPerCore > 1 && costs.sharedCoreFactor > 1; }
  /// How long it takes the thread to compute for `duration`, slower while other threads of its core
  /// compute. They are slower from now on, too: they find at their end what they lost.
  Time beginToCompute(const MulticoreThread &thread, Time duration);
  /// What is left to compute, for threads that have begun beside it since. Nothing is from then on.
  Time takeLost(const MulticoreThread &thread) { return std::exchange(cores[thread.core].lost, 0); }

  /// Whether other threads wait for the core.
  bool isWanted(std::uint32_t core) const { return !cores[core].queue.empty(); }
  /// The core that a sleeping thread would get if it were woken.
  std::uint32_t coreFor(const MulticoreThread &thread, Time at);
  /// The latency of waking a thread that fell asleep so long ago, and the waker's cost.
  std::pair<Time, Time> wakeup(Time asleep);

private:
  /// A processor, as the kernel sees it: a hardware thread.
  struct Core {
    std::uint32_t socket = 0;
    std::vector<std::uint32_t> siblings = {}; ///< the other hardware threads of the same core
    Time computesUntil = 0;
    Time lost = 0; ///< to computations of siblings that began later
    std::uint32_t running = noIndex;
    std::deque<std::uint32_t> queue = {};
    Time dispatched = 0;
    Time lastShare = 0; ///< the fair share when the core last had something to do
  };

  void dispatch(std::uint32_t core, std::uint32_t id, Time at, Time switching);
  void armTimer(std::uint32_t core, Time at);
  Time ranUntil(std::uint32_t id, Time at) const;
  Time fairShare(const Core &core, Time at) const;
  void enqueue(std::uint32_t core, std::uint32_t id, Time at);
  std::uint32_t takeNext(Core &core);
  void putInto(Core &core, std::uint32_t id);
  void leaveCore(MulticoreThread &thread, Time at);
  std::uint32_t coldestThread(Time at) const;
  void moveTo(std::uint32_t core, std::uint32_t id, Time at);
  void preempt(std::uint32_t core, Time at);
  bool looksIdle(const Core &core);
  std::uint32_t idleCoreNear(std::uint32_t core);
  bool isSharedNow(const Core &core) const;
  std::size_t timerOf(std::uint32_t core) const { return threads.size() + core; }

  std::vector<MulticoreThread> &threads;
  EventQueue &events;
  SpinWaits &spins;
  const MulticoreCosts &costs;
  std::mt19937_64 random;
  std::vector<Core> cores;
  std::size_t waiting = 0; ///< threads in the cores' queues
  std::vector<int> order;  ///< in which threads get the cores at first
};

} // namespace qdadvise::sim
