// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks cost where they are. Measured alone, one behind the other, they cost less than in a
// program, whose instructions they keep from overlapping. So the same work is timed with all hooks
// on and, right after that, with those of attempts only: what it takes longer is the hooks'.
#pragma once

#include "runtime/events/event.h"

#include <cstddef>

namespace qdadvise::runtime {

struct ReplayContext;

/// Some of a thread's work. How much it is say its attempts to take a lock.
struct Stretch {
  std::uint64_t attempts = 0;
  std::uint64_t attemptHooks = 0; ///< that stay on with few: those of wrappers, too
  double hookTicks = 0;           ///< of all its hooks, as measured alone
  double ticks = 0;               ///< processor time, the recorder's own left out
  double recorderTicks = 0;       ///< that

  /// What a row of events shows of it; of the time only what is not the program's.
  void add(const Event *events, std::size_t count, const ReplayContext &context);
  /// The recorder took so long, in which the thread may have lost the processor.
  void excludeInterval(std::uint64_t pauseTicks, double nsPerTick);
};

class HookCost {
public:
  /// Compares the same kind of work with all hooks on, and with those of attempts only, each of
  /// which takes `fewTicks` alone. Too little work tells nothing.
  void compare(const Stretch &withAll, const Stretch &withFew, double fewTicks);
  /// The factor by which hooks cost more than measured alone: the median of the latest pairs, as
  /// soon as they agree; until then 1, and in a program that does too much between hooks to tell.
  double factor() const;
  /// There is a full set of pairs, and more tell little.
  bool isKnown() const { return compared >= most; }

private:
  static constexpr unsigned most = 32;
  double factors[most] = {};
  unsigned compared = 0; ///< so far
};

} // namespace qdadvise::runtime
