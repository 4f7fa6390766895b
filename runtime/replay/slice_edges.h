// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a slice of time begins that is recorded after one that was not. A thread's slices are
// put one behind the other: its last section in one is followed by its first in the next, and
// its local computation there is what it did in both. So all time recorded is on some account, and
// means are right however long a section or the way to the next one takes.
//
// A section counts in the slice in which it began. So threads end theirs after the slice, and
// what they had begun before it is left out.
#pragma once

#include "runtime/replay/operations.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

class SliceEdges {
public:
  /// Recording was off from one stamp to the other, and goes on. What was open is left out.
  void resume(Operations &operations, std::uint64_t from, std::uint64_t to);
  /// The slice's first events have come, and no slice before it matters: a thread began.
  void clear() { isEntering = hasLeft = false; }
  bool entering() const { return isEntering; }
  /// To be called with the events that come while entering(). Returns how many of them are none of
  /// this slice's.
  std::size_t enter(Operations &operations, const Event *events, std::size_t count);
  /// Whether the thread has nothing left to end in the slice, and this event is none of it.
  bool isOver(const Operations &operations, const Event &event) {
    const ReplayContext &context = operations.context();
    hasLeft = hasLeft || (event.stamp >= context.sliceEnd && !context.countersOnly &&
                          !operations.isCall(event) && instantOf(event) < readersInstant &&
                          operations.isBetweenSections());
    return hasLeft;
  }

private:
  bool hasLongSections(const Accounts &accounts) const;

  std::uint64_t resumedAt = 0;  ///< stamp
  std::uint64_t sliceTicks = 0; ///< how long the last slice was
  bool hasLeft = false;         ///< the slice, with nothing left to end
  bool isEntering = false;      ///< resumed, and nothing seen since
};

/// How many events at the beginning belong to sections that began before the first of them, or lie
/// inside of such.
std::size_t begunUnseen(const SiteTraits *sites, const Event *events, std::size_t count);

} // namespace qdadvise::runtime
