// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the replays of all threads share: the sites, the units of time, and what hooks cost.
#pragma once

#include "runtime/events/event.h"
#include "runtime/sites/named_locks.h"
#include "runtime/tables/lock_end_log.h"

#include <cstdint>

namespace qdadvise::runtime {

inline constexpr std::uint64_t noSliceEnd = ~0ull;

/// What is the same for all threads.
struct ReplayContext {
  const SiteTraits *sites = nullptr; ///< indexed by site
  const NamedLocks *names = nullptr; ///< null: no lock has a name of its own
  LockEndLog *lockEnds = nullptr;    ///< null: no lock ends
  double nsPerTick = 1;
  double callHookTicks = 0; ///< from one stamp to the next, nothing in between
  double xrayHookTicks = 0;
  double stampTicks = 0; ///< of both, for the stamp: calls of wrappers have none
  double driftTicks = 0; ///< by which stamps have become slower since; changes at any time
  double hookFactor = 1; ///< by which hooks cost more where they are; changes at any time
  bool countersOnly = false;
  bool sliced = false; ///< recorded in slices of time: what began between them was not seen
  std::uint64_t startStamp = 0;        ///< of recording
  std::uint64_t sliceEnd = noSliceEnd; ///< stamp: what begins later is of no slice
  /// The site that stands for calls from `address` of the function whose body is
  /// `site`; null: `site` itself does.
  std::uint32_t (*callerSite)(std::uint32_t site, std::uint64_t address) = nullptr;

  /// What a hook of hooks=call takes with a stamp and without; 0 where that could not be measured.
  void setCallHook(double stamped, double unstamped) {
    callHookTicks = stamped;
    stampTicks = stamped > unstamped ? stamped - unstamped : 0;
  }
  double drift() const {
    double ticks;
    __atomic_load(&driftTicks, &ticks, __ATOMIC_RELAXED);
    return ticks;
  }
  double factor() const {
    double value;
    __atomic_load(&hookFactor, &value, __ATOMIC_RELAXED);
    return value;
  }
};

} // namespace qdadvise::runtime
