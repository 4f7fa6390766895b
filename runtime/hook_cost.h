// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks cost where they are. Measured alone, one behind the other, they cost less than in a
// program, whose instructions they keep from overlapping. So the same work is timed with all hooks
// on and, right after that, with those of attempts only: what it takes longer is the hooks'.
#pragma once

#include "runtime/event.h"

#include <cstddef>

namespace qdadvise::runtime {

struct ReplayContext;

/// Some of a thread's work, between two attempts to take a lock.
struct Stretch {
  std::uint64_t attempts = 0;     ///< how much it is
  double ticks = 0;               ///< how long it took, the recorder's own pauses left out
  double hookTicks = 0;           ///< of hooks in it, as measured alone
  std::uint64_t attemptHooks = 0; ///< among these, those that stay on with few: wrappers', too

  Stretch &operator+=(const Stretch &other);
};

/// What a row of events without a pause of the recorder's shows, from its first attempt to its last
/// one before the stamp `until`; nothing where there are fewer than two.
Stretch stretchOf(const Event *events, std::size_t count, const ReplayContext &context,
                  std::uint64_t until);

class HookCost {
public:
  /// The same kind of work with all hooks on and, for so many `attempts` and `ticks`, with those of
  /// attempts only, which take `fewTicks` alone. Where there is too little work nothing is told.
  void compare(const Stretch &withAll, std::uint64_t attempts, double ticks, double fewTicks);
  /// By how much hooks cost more than measured alone: the median of the latest pairs, as soon as
  /// they agree; until then 1, and in a program that does too much between hooks to tell.
  double factor() const;

private:
  static constexpr unsigned most = 32;
  double factors[most] = {};
  unsigned compared = 0; ///< so far
};

} // namespace qdadvise::runtime
