// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See slice_edges.h.
#include "runtime/replay/slice_edges.h"

namespace qdadvise::runtime {

using format::none;

void SliceEdges::resume(Operations &operations, std::uint64_t from, std::uint64_t to) {
  Ledger &ledger = operations.ledger;
  Accounts &accounts = ledger.accounts;
  VirtualClock &clock = accounts.clock;
  HeldLocks &held = operations.held;
  operations.wrappers.settleAll();
  // A section that took too long to be seen to its end.
  if (!held.isEmpty() && held[0].section != none &&
      accounts.tables.sections[held[0].section].key.inside == none)
    ledger.lastSection = held[0].section;
  if (!accounts.context.countersOnly) {
    // What the thread is at until the end of the slice is known if there was an event in it.
    const std::uint64_t counted = clock.lastStamp + clock.pausedTicks;
    if (!isEntering && from > counted && (!operations.attempts.isEmpty() || held.isEmpty())) {
      const auto ticks = static_cast<double>(from - counted);
      clock.now += ticks;
      accounts.stayInWindow(from);
      if (operations.attempts.isEmpty())
        accounts.chargeLocal(ticks);
      else if (operations.isBetweenSections())
        accounts.chargeBlocked(ticks);
      clock.lastStamp = from;
      clock.pausedTicks = 0;
    }
    const std::uint64_t since = from > clock.lastStamp ? from : clock.lastStamp;
    clock.pausedTicks += to > since ? to - since : 0;
  }
  operations.clear();
  ledger.lastRead = 0;
  accounts.leaveWindow();
  sliceTicks = from - resumedAt;
  resumedAt = to;
  isEntering = true;
  hasLeft = false;
}

std::size_t begunUnseen(const SiteTraits *sites, const Event *events, std::size_t count) {
  constexpr std::size_t farthest = 256;
  constexpr unsigned most = 32;
  const Event *begun[most];
  unsigned size = 0;
  std::size_t last = 0;
  // An operation ends at the site where it began. A lock may be given up anywhere.
  const auto hasBegun = [&](const Event &event, bool anywhere) {
    for (unsigned i = 0; i < size && i < most; ++i)
      if (begun[i]->address == event.address && (anywhere || siteOf(*begun[i]) == siteOf(event)))
        return true;
    return false;
  };
  for (std::size_t i = 0; i < count && i < farthest; ++i) {
    const Instant instant = instantOf(events[i]);
    const SiteTraits &site = sites[siteOf(events[i])];
    if (instant >= readersInstant || site.role == SiteRole::wrapper)
      continue;
    const bool begins = instant == Instant::attempt || instant == Instant::wait;
    const bool ends = instant == Instant::acquire || instant == Instant::release ||
                      instant == Instant::fail || instant == Instant::wake ||
                      instant == Instant::wait;
    // A release that may find nothing tells nothing.
    const bool mayFindNothing = (site.flags & (siteConditional | siteInner)) != 0;
    const bool endsAnywhere = instant == Instant::release || instant == Instant::wait;
    if (ends && !mayFindNothing && !hasBegun(events[i], endsAnywhere)) {
      last = i + 1;
      size = 0;
    }
    if (begins)
      begun[size++ % most] = &events[i];
  }
  return last;
}

/// Whether there are sections that usually take longer than a slice.
bool SliceEdges::hasLongSections(const Accounts &accounts) const {
  const Tables &tables = accounts.tables;
  const double sliceNs = static_cast<double>(sliceTicks) * accounts.context.nsPerTick;
  for (std::uint32_t i = 0; i < tables.sections.size(); ++i)
    if (tables.sections[i].key.threadClass == accounts.classIndex &&
        tables.sections[i].hold.moments().mean > sliceNs)
      return true;
  return false;
}

std::size_t SliceEdges::enter(Operations &operations, const Event *events, std::size_t count) {
  Accounts &accounts = operations.ledger.accounts;
  VirtualClock &clock = accounts.clock;
  const bool countersOnly = accounts.context.countersOnly;
  std::size_t early = 0;
  while (early < count && (operations.isCall(events[early]) || events[early].stamp < resumedAt) &&
         !countersOnly)
    ++early;
  if (early == count)
    return count;
  // A call that has no stamp of its own begins with what is called.
  while (early > 0 && operations.isCall(events[early - 1]) &&
         instantOf(events[early - 1]) == Instant::attempt)
    --early;
  isEntering = false;
  const std::size_t unseen =
      early + begunUnseen(accounts.context.sites, events + early, count - early);
  std::size_t first = early;
  while (first < count &&
         (instantOf(events[first]) >= readersInstant || operations.isCall(events[first])))
    ++first;
  if (first == count)
    return unseen;
  const Instant instant = instantOf(events[first]);
  operations.wasBlocked = instant == Instant::wake || instant == Instant::unblock;
  if (unseen == early || countersOnly)
    return unseen;
  if (operations.wasBlocked) {
    operations.advance(events[first]);
  } else if (const std::uint64_t since = clock.lastStamp + clock.pausedTicks;
             resumedAt > since && !hasLongSections(accounts)) {
    // Slices without an event: the thread came to no section in them, or was in a long one.
    const auto ticks = static_cast<double>(resumedAt - since);
    clock.now += ticks;
    accounts.stayInWindow(resumedAt);
    accounts.chargeLocal(ticks);
  }
  operations.wasBlocked = false;
  for (std::size_t i = first; i < unseen; ++i)
    if (instantOf(events[i]) < readersInstant && !operations.isCall(events[i]))
      clock.lastStamp = events[i].stamp;
  clock.pausedTicks = 0;
  clock.unstampedSince = 0;
  return unseen;
}

} // namespace qdadvise::runtime
