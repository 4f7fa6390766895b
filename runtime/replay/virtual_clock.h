// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of one thread's replay, in ticks: the time-stamp counter less the cost of the hooks
// and less the recorder's own pauses.
#pragma once

#include "runtime/events/event.h"
#include "runtime/replay/replay_context.h"

#include <cstdint>

namespace qdadvise::runtime {

struct VirtualClock {
  std::uint64_t lastStamp = 0;   ///< of the last event that had one
  std::uint64_t pausedTicks = 0; ///< the recorder's own since then
  double unstampedSince = 0;     ///< ticks of hooks since then that took no stamp
  double now = 0;                ///< ticks
  double stampedTicks[2] = {};   ///< what a hook with a stamp takes: called, and through XRay
  double bareTicks[2] = {};      ///< and one without

  /// The next event's time counts from `stamp`.
  void countFrom(std::uint64_t stamp) {
    lastStamp = stamp;
    pausedTicks = 0;
    unstampedSince = 0;
  }

  /// Hooks cost from here on what the context says.
  void readHookCosts(const ReplayContext &context) {
    const double drift = context.drift(), factor = context.factor();
    stampedTicks[0] = (context.callHookTicks + drift) * factor;
    stampedTicks[1] = (context.xrayHookTicks + drift) * factor;
    bareTicks[0] = (context.callHookTicks - context.stampTicks) * factor;
    bareTicks[1] = (context.xrayHookTicks - context.stampTicks) * factor;
  }

  double hookTicks(const Event &event) const {
    return stampedTicks[(event.what & eventXray) != 0 ? 1 : 0];
  }
  /// What the hook of an event without a stamp takes.
  double unstampedTicks(const Event &event) const {
    return bareTicks[(event.what & eventXray) != 0 ? 1 : 0];
  }

  /// Ticks of this clock from the last event to `stamp`.
  double ticksUntil(std::uint64_t stamp) const {
    return static_cast<double>(static_cast<std::int64_t>(stamp - lastStamp - pausedTicks)) -
           unstampedSince;
  }

  /// Moves to an event with a stamp. Returns the ticks since the last one.
  double advanceTo(const Event &event) {
    const double elapsed =
        static_cast<double>(static_cast<std::int64_t>(event.stamp - lastStamp - pausedTicks)) -
        hookTicks(event) - unstampedSince;
    countFrom(event.stamp);
    now += elapsed;
    return elapsed;
  }
};

} // namespace qdadvise::runtime
