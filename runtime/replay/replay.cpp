// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See replay.h.
#include "runtime/replay/replay.h"

#include "runtime/replay/known_patterns.h"
#include "runtime/replay/pattern_learning.h"

namespace qdadvise::runtime {

using format::none;

void Replay::begin(std::uint32_t threadClass, std::uint32_t number, std::uint64_t stamp) {
  Accounts &accounts = ledger.accounts;
  accounts.classIndex = threadClass;
  accounts.threadNumber = number;
  accounts.clock.countFrom(stamp);
  accounts.clock.now = 0;
  accounts.leaveWindow();
  accounts.startTransition();
  aliveSince = stamp;
  ledger.lastSection = none;
  ledger.lastRead = 0;
  slices.clear();
  operations.clear();
  operations.wasBlocked = false;
  plainSections.forget();
}

/// Stamp: up to it rows of events are counted at once.
std::uint64_t Replay::endOfShortCuts() const {
  if (context.countersOnly)
    return lockEnds.stamp();
  const std::uint64_t windowEnd = ledger.accounts.windowEnd;
  const std::uint64_t end = windowEnd < context.sliceEnd ? windowEnd : context.sliceEnd;
  return end < lockEnds.stamp() ? end : lockEnds.stamp();
}

void Replay::run(const Event *events, std::size_t count) {
  Tables &tables = ledger.accounts.tables;
  lockEnds.look();
  ledger.accounts.clock.readHookCosts(context);
  if (__builtin_expect(slices.entering() && count != 0, 0)) {
    const std::size_t unseen = slices.enter(operations, events, count);
    tables.events += unseen;
    events += unseen;
    count -= unseen;
  }
  const bool manyLocks = tables.hasManyLocks();
  if (manyLocks)
    for (std::size_t i = 0; i < lookAhead && i < count; i += 3)
      tables.locks.expect(events[i].address);
  // Where a row of events began that is gone through step by step.
  std::size_t row = count;
  std::uint32_t before = none;
  for (std::size_t i = 0; i < count;) {
    if (row < i && operations.isIdle()) {
      if (i - row <= longestPattern)
        learnPattern(ledger.accounts, events + row, static_cast<unsigned>(i - row), before);
      row = count;
    }
    if (PlainSections::canRun(operations))
      i += plainSections.run(operations, events + i, count - i, endOfShortCuts(), manyLocks);
    if (i == count)
      break;
    if (row == count && instantOf(events[i]) < readersInstant && operations.isIdle()) {
      if (const std::size_t known =
              countKnownPattern(operations, events + i, count - i, endOfShortCuts())) {
        i += known;
        continue;
      }
      row = i;
      before = ledger.lastSection;
    }
    if (__builtin_expect(slices.isOver(operations, events[i]), 0))
      break;
    if (__builtin_expect(events[i].stamp >= lockEnds.stamp(), 0))
      lockEnds.applyUntil(events[i].stamp, [this](std::uint64_t address, std::uint64_t at) {
        endLock(address, at);
      });
    if (manyLocks && lookAhead < count - i)
      tables.locks.expect(events[i + lookAhead].address);
    operations.step(events[i++]);
  }
  tables.events += count;
}

void Replay::applyLockEndsUpTo(std::uint64_t count) {
  lockEnds.applyFirst(count,
                      [this](std::uint64_t address, std::uint64_t at) { endLock(address, at); });
}

void Replay::endLock(std::uint64_t address, std::uint64_t at) {
  operations.endLock(address);
  ledger.accounts.tables.closeLock(
      address, [&](std::uint32_t lockClass, const LockTraffic &traffic) {
        context.lockEnds->give(at, lockClass, traffic, &ledger.accounts.tables);
      });
}

/// A thread that waits for work from its last section on would seem to come back at once.
void Replay::addOpenPassage(Tables &total, double since) const {
  if (ledger.lastSection == none || !isBetweenSections())
    return;
  const Accounts &accounts = ledger.accounts;
  const std::uint32_t from = total.section(accounts.tables.sections[ledger.lastSection].key);
  const std::uint32_t passage =
      from == none ? none : total.transition({accounts.classIndex, from, none});
  if (passage == none) {
    ++total.dropped;
    return;
  }
  total.transitions[passage].barriers += accounts.barriers;
  total.addLocal(total.transitions[passage],
                 accounts.toNs(accounts.localTicks + (attempting() ? 0 : since)),
                 accounts.toNs(accounts.blockedTicks + (attempting() ? since : 0)));
}

void Replay::addOpen(Tables &total, std::uint64_t stamp) const {
  if (context.countersOnly)
    return;
  const Accounts &accounts = ledger.accounts;
  const VirtualClock &clock = accounts.clock;
  const double since = stamp > clock.lastStamp ? clock.ticksUntil(stamp) : 0;
  addOpenPassage(total, since);
  for (unsigned i = 0; i < operations.held.size(); ++i) {
    const HeldLock &lock = operations.held[i];
    LockTable::Place place = lock.recordPlace;
    if (!lock.recorded || lock.section == none)
      continue;
    if (Lock *const record = total.lock(lock.recordAddress, lock.lockClass, place))
      record->heldNs += accounts.toNs(clock.now - lock.acquired + since);
  }
  const bool waits = attempting() && !operations.waitsForLock();
  if (ThreadClassTimes *const mine = waits ? total.threadClass(threadClass()) : nullptr)
    mine->blockedNs += accounts.toNs(since);
}

void Replay::end(std::uint64_t stamp) {
  Accounts &accounts = ledger.accounts;
  const double since = accounts.clock.ticksUntil(stamp);
  accounts.clock.now += since;
  if (!context.countersOnly && !attempting() && heldCount() == 0) {
    accounts.stayInWindow(stamp);
    accounts.chargeLocal(since);
  }
  operations.wrappers.settleAll();
  if (ledger.lastSection != none)
    ledger.countTransition(none, accounts.localTicks, accounts.blockedTicks, accounts.barriers);
  accounts.startTransition();
  if (ThreadClassTimes *const mine = accounts.tables.threadClass(accounts.classIndex))
    mine->aliveNs +=
        accounts.toNs(static_cast<double>(static_cast<std::int64_t>(stamp - aliveSince)));
  aliveSince = stamp;
  accounts.clock.countFrom(stamp);
  ledger.lastSection = none;
}

void Replay::discardOpenState(std::uint64_t stamp, std::uint64_t since) {
  Accounts &accounts = ledger.accounts;
  operations.discardOpenState();
  slices.clear();
  accounts.leaveWindow();
  accounts.startTransition();
  accounts.clock.countFrom(stamp);
  ledger.lastRead = 0;
  ledger.lastSection = none;
  plainSections.forget();
  aliveSince = since != 0 ? aliveSince + (stamp - since) : stamp;
}

void Replay::changeClass(std::uint32_t threadClass, std::uint64_t stamp) {
  end(stamp);
  discardOpenState(stamp);
  ledger.accounts.classIndex = threadClass;
}

} // namespace qdadvise::runtime
