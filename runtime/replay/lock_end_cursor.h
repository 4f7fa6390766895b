// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a thread's replay has come in the log of locks that ended.
#pragma once

#include "runtime/replay/replay_context.h"

#include <cstdint>

namespace qdadvise::runtime {

class LockEndCursor {
public:
  explicit LockEndCursor(const ReplayContext &shared) : context(shared) { skipAll(); }

  /// How many ends have been applied.
  std::uint64_t applied() const { return next; }
  /// Stamp of the next end that look() has seen; none: the largest stamp there is.
  std::uint64_t stamp() const { return nextStamp; }
  void look() {
    if (!context.lockEnds)
      return;
    seen = context.lockEnds->size();
    nextStamp = next < seen ? context.lockEnds->stampAt(next) : never;
  }
  /// What ended until now means nothing to empty tables.
  void skipAll() { next = context.lockEnds ? context.lockEnds->size() : 0; }

  /// Calls `apply(address, at)` for the ends up to a stamp, as far as look() has seen.
  template <typename Apply> void applyUntil(std::uint64_t stamp, Apply apply) {
    const LockEndLog &log = *context.lockEnds;
    for (; next < seen && log.stampAt(next) <= stamp; ++next)
      apply(log.addressAt(next), next);
    nextStamp = next < seen ? log.stampAt(next) : never;
  }
  /// Calls it for the first `count` of all.
  template <typename Apply> void applyFirst(std::uint64_t count, Apply apply) {
    for (; context.lockEnds && next < count; ++next)
      apply(context.lockEnds->addressAt(next), next);
  }

private:
  static constexpr std::uint64_t never = ~0ull;

  const ReplayContext &context;
  std::uint64_t next = 0;
  std::uint64_t seen = 0; ///< how many there were when the events came in
  std::uint64_t nextStamp = never;
};

} // namespace qdadvise::runtime
