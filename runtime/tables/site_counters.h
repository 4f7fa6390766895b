// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that `counters_only=sites` keeps of a thread: how often each site tried for a lock, found it
// taken, and failed. No event is stored; a hook adds to a counter that no other thread adds to.
#pragma once

#include "runtime/events/event.h"
#include "runtime/tables/tables.h"

#include <cstdint>

namespace qdadvise::runtime {

struct SiteCounter {
  std::uint64_t attempts;
  std::uint64_t contended; ///< of these, whether or not they failed
  std::uint64_t contendedByWriter;
  std::uint64_t failures;

  inline __attribute__((always_inline)) void count(std::uint32_t what);
};

class SiteCounters {
public:
  /// Sites that are told apart.
  static constexpr std::uint32_t most = 1u << 16;

  /// `most` counters that last as long as the process; null when out of memory.
  SiteCounter *counters();
  /// Adds to the tables what was counted since it was asked for last.
  void addTo(Tables &tables, std::uint32_t threadClass, const SiteTraits *sites,
             std::uint32_t siteCount);
  /// Forgets what was counted so far.
  void skip(std::uint32_t siteCount);

private:
  SiteCounter *counted = nullptr;
  SiteCounter *added = nullptr; ///< of these
};

/// Counts with one instruction: a signal handler that comes in between counts as well.
inline __attribute__((always_inline)) void countUp(std::uint64_t &counter) {
#if defined(__x86_64__)
  __asm__ volatile("incq %0" : "+m"(counter) : : "cc");
#else
  __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
#endif
}

/// `what` is packEvent's.
void SiteCounter::count(std::uint32_t what) {
  const auto instant = static_cast<Instant>(what & eventInstantMask);
  if (instant == Instant::fail)
    countUp(failures);
  if (instant != Instant::attempt)
    return;
  countUp(attempts);
  if (__builtin_expect((what & eventTaken) == 0, 1))
    return;
  countUp(contended);
  if ((what & eventByWriter) != 0)
    countUp(contendedByWriter);
}

} // namespace qdadvise::runtime
