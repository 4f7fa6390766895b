// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread does next, as far as other threads can notice it, and the interface that decides
// which thread is next.
#pragma once

#include "unittests/exploration/Exploration.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace qdadvise::sim {

enum class ActionKind : std::uint8_t {
  load,
  store,
  update,
  compareExchange,
  look,   ///< checks whether a word that is waited for still holds what was seen
  sleep,  ///< futex wait: sleeps if the word holds the expected value
  wake,   ///< futex wake
  wakeUp, ///< a futex wait ends for no reason
  pause,  ///< gives the core away
};

struct Action {
  const void *address = nullptr;
  std::uint32_t size = 0;
  ActionKind kind = ActionKind::load;
  std::memory_order order = std::memory_order_seq_cst;
};

/// Whether the order of the two matters.
inline bool dependent(const Action &a, const Action &b) {
  struct Traits {
    bool reads, writes, wakes, sleeps;
  };
  static constexpr std::array<Traits, 9> traits{{
      {.reads = true, .writes = false, .wakes = false, .sleeps = false},  // load
      {.reads = false, .writes = true, .wakes = false, .sleeps = false},  // store
      {.reads = true, .writes = true, .wakes = false, .sleeps = false},   // update
      {.reads = true, .writes = true, .wakes = false, .sleeps = false},   // compareExchange
      {.reads = true, .writes = false, .wakes = false, .sleeps = false},  // look
      {.reads = true, .writes = false, .wakes = false, .sleeps = true},   // sleep
      {.reads = false, .writes = false, .wakes = true, .sleeps = false},  // wake
      {.reads = false, .writes = false, .wakes = false, .sleeps = true},  // wakeUp
      {.reads = false, .writes = false, .wakes = false, .sleeps = false}, // pause
  }};
  // The number of wake-ups for no reason is limited, so that one may exclude another.
  if (a.kind == ActionKind::wakeUp && b.kind == ActionKind::wakeUp)
    return true;
  const auto *const first = static_cast<const char *>(a.address);
  const auto *const second = static_cast<const char *>(b.address);
  if (first >= second + b.size || second >= first + a.size)
    return false;
  const Traits one = traits[static_cast<std::size_t>(a.kind)];
  const Traits other = traits[static_cast<std::size_t>(b.kind)];
  return (one.writes && (other.reads || other.writes)) || (other.writes && one.reads) ||
         (one.wakes && (other.wakes || other.sleeps)) || (other.wakes && one.sleeps);
}

/// Bit i is thread i.
using ThreadSet = std::uint32_t;
inline ThreadSet only(unsigned thread) { return ThreadSet{1} << thread; }
inline bool holds(ThreadSet set, unsigned thread) { return (set >> thread & 1) != 0; }
inline unsigned first(ThreadSet set) { return static_cast<unsigned>(std::countr_zero(set)); }

/// A moment of a schedule at which a thread is chosen. Threads that cannot go on are in neither
/// set.
struct Crossroads {
  ThreadSet ready = 0;  ///< can do their next action
  ThreadSet asleep = 0; ///< could wake up for no reason
  unsigned last = 0;    ///< the thread that did the last step; no thread before the first
  /// The next action of each thread.
  std::array<Action, maxExploredThreads> next{};
  /// Choosing another thread than `last` interrupts it: it could go on and did not yield.
  bool interrupts = false;
};

class Choices {
public:
  virtual ~Choices() = default;
  static constexpr unsigned none = ~0u;
  /// Returns the next thread, or `none` to give the schedule up. At least one thread is ready.
  virtual unsigned thread(const Crossroads &at) = 0;
  /// Returns one of `count` >= 2 things that may happen.
  virtual unsigned pick(unsigned count) = 0;
};

} // namespace qdadvise::sim
