// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a slice of time begins that is recorded after one that was not. A thread's slices are
// put one behind the other: its last section in one is followed by its first in the next, and
// its local computation there is what it did in both. So all time recorded is on some account, and
// means are right however long a section or the way to the next one takes.
//
// A section counts in the slice in which it began. So threads end theirs after the slice, and
// what they had begun before it is left out.
#include "runtime/replay/replay.h"

namespace qdadvise::runtime {

using format::none;

void Replay::resume(std::uint64_t from, std::uint64_t to) {
  settle(provisionalSize);
  settleRetries();
  // One that took too long to be seen to its end.
  if (heldSize != 0 && held[0].section != none &&
      tables.sections[held[0].section].key.inside == none)
    lastSection = held[0].section;
  if (!context.countersOnly) {
    // What it is at until the end of the slice is known if there was an event in it.
    const std::uint64_t counted = lastStamp + pausedTicks;
    if (!entering && from > counted && (attemptSize != 0 || heldSize == 0)) {
      const auto ticks = static_cast<double>(from - counted);
      now += ticks;
      stayInWindow(from);
      if (attemptSize == 0)
        chargeLocal(ticks);
      else if (isBetweenSections())
        chargeBlocked(ticks);
      lastStamp = from;
      pausedTicks = 0;
    }
    const std::uint64_t since = from > lastStamp ? from : lastStamp;
    pausedTicks += to > since ? to - since : 0;
  }
  attemptSize = asideSize = heldSize = callSize = 0;
  for (std::uint64_t &address : expected)
    address = 0;
  mayExpect = false;
  lastReleased = lastRead = 0;
  windowEnd = 0;
  times = nullptr;
  leaveOut(from, to);
  sliceTicks = from - resumedAt;
  resumedAt = to;
  entering = true;
  hasLeft = false;
}

/// How many events at the beginning belong to sections that began before the first of them, or lie
/// inside of such.
std::size_t Replay::begunUnseen(const Event *events, std::size_t count) const {
  constexpr std::size_t farthest = 256;
  constexpr unsigned most = 32;
  std::uint64_t begun[most];
  unsigned size = 0;
  std::size_t last = 0;
  const auto has = [&](std::uint64_t address) {
    for (unsigned i = 0; i < size && i < most; ++i)
      if (begun[i] == address)
        return true;
    return false;
  };
  for (std::size_t i = 0; i < count && i < farthest; ++i) {
    const Instant instant = instantOf(events[i]);
    const std::uint64_t address = events[i].address;
    if (instant >= readersInstant || isCall(events[i]))
      continue;
    const bool begins = instant == Instant::attempt || instant == Instant::wait;
    const bool ends = instant == Instant::acquire || instant == Instant::release ||
                      instant == Instant::fail || instant == Instant::wake ||
                      instant == Instant::wait;
    // A release that may find nothing tells nothing.
    const bool mayFindNothing =
        (context.sites[siteOf(events[i])].flags & (siteConditional | siteInner)) != 0;
    if (ends && !mayFindNothing && !has(address)) {
      last = i + 1;
      size = 0;
    }
    if (begins)
      begun[size++ % most] = address;
  }
  return last;
}

/// Whether there are sections that usually take longer than a slice.
bool Replay::hasLongSections() const {
  const double sliceNs = static_cast<double>(sliceTicks) * context.nsPerTick;
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i)
    if (tables.sections[i].key.threadClass == classIndex &&
        tables.sections[i].hold.moments().mean > sliceNs)
      return true;
  return false;
}

/// Returns how many events are none of this slice's.
std::size_t Replay::enterSlice(const Event *events, std::size_t count) {
  std::size_t early = 0;
  while (early < count && (isCall(events[early]) || events[early].stamp < resumedAt) &&
         !context.countersOnly)
    ++early;
  if (early == count)
    return count;
  entering = false;
  const std::size_t unseen = early + begunUnseen(events + early, count - early);
  std::size_t first = early;
  while (first < count && (instantOf(events[first]) >= readersInstant || isCall(events[first])))
    ++first;
  if (first == count)
    return unseen;
  const Instant instant = instantOf(events[first]);
  wasBlocked = instant == Instant::wake || instant == Instant::unblock;
  if (unseen == early || context.countersOnly)
    return unseen;
  if (wasBlocked) {
    advance(events[first]);
  } else if (const std::uint64_t since = lastStamp + pausedTicks;
             resumedAt > since && !hasLongSections()) {
    // Slices without an event: it came to no section in them, or was in a long one.
    const auto ticks = static_cast<double>(resumedAt - since);
    now += ticks;
    stayInWindow(resumedAt);
    chargeLocal(ticks);
  }
  wasBlocked = false;
  for (std::size_t i = first; i < unseen; ++i)
    if (instantOf(events[i]) < readersInstant && !isCall(events[i]))
      lastStamp = events[i].stamp;
  pausedTicks = 0;
  unstampedSince = 0;
  return unseen;
}

} // namespace qdadvise::runtime
