// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a thread's time goes: local computation and blocking that no transition has taken yet,
// and the windows of the run in which it is spent.
#pragma once

#include "runtime/replay/virtual_clock.h"
#include "runtime/tables/tables.h"

#include <cstdint>

namespace qdadvise::runtime {

struct Accounts {
  Tables &tables;
  const ReplayContext &context;
  VirtualClock clock{};
  std::uint32_t classIndex = 0; ///< the thread's class
  std::uint32_t threadNumber = 0;
  unsigned window = 0;               ///< the one that the last event lies in
  std::uint64_t windowEnd = 0;       ///< stamp; 0: the window is not known
  ThreadClassTimes *times = nullptr; ///< of the thread's class; null when out of memory
  double localTicks = 0;             ///< since the last transition
  double blockedTicks = 0;           ///< since the last transition
  std::uint64_t barriers = 0;        ///< passed since the last transition

  double toNs(double ticks) const { return ticks > 0 ? ticks * context.nsPerTick : 0; }

  void chargeLocal(double ticks) {
    localTicks += ticks;
    if (times)
      times->windows[window].localNs += ticks * context.nsPerTick;
  }
  void chargeBlocked(double ticks);

  /// What follows is on the way to the next section.
  void startTransition() {
    localTicks = blockedTicks = 0;
    barriers = 0;
  }

  /// Time goes to the window in which it ends.
  void stayInWindow(std::uint64_t stamp) {
    if (__builtin_expect(stamp >= windowEnd, 0))
      enterWindow(stamp);
  }
  /// The next event has to find its window anew.
  void leaveWindow() {
    windowEnd = 0;
    times = nullptr;
  }
  /// The window of an earlier event, or of the one at hand.
  unsigned windowOfStamp(std::uint64_t stamp) const {
    if (context.countersOnly || stamp + (std::uint64_t{1} << tables.windowShift) >= windowEnd)
      return window;
    // An event of a slice that a thread ended late may be from before what counts as the start now.
    const std::uint64_t since = stamp > context.startStamp ? stamp - context.startStamp : 0;
    return static_cast<unsigned>(since >> tables.windowShift);
  }

private:
  void enterWindow(std::uint64_t stamp);
};

} // namespace qdadvise::runtime
