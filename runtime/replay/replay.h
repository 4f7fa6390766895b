// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the events of one thread into sections, transitions and times. Pure: it
// reads no clock and takes no lock, so that tests feed it what they like.
//
// A buffer of events is gone through on three ways: plain sections one behind the other
// (plain_sections.h), rows of events that have come before (known_patterns.h), and all that is left
// and new step by step (operations.h). Each adds to the thread's tables through one ledger.
#pragma once

#include "runtime/replay/lock_end_cursor.h"
#include "runtime/replay/operations.h"
#include "runtime/replay/plain_sections.h"
#include "runtime/replay/slice_edges.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

class Replay {
public:
  Replay(Tables &into, const ReplayContext &shared)
      : context(shared), ledger(into, shared), lockEnds(shared) {}

  /// A thread begins here, or is first seen here.
  void begin(std::uint32_t threadClass, std::uint32_t threadNumber, std::uint64_t stamp);
  void run(const Event *events, std::size_t count);
  /// Applies the first `count` of all ends of locks; events before them have been run.
  void applyLockEndsUpTo(std::uint64_t count);
  /// What ended until now means nothing to empty tables.
  void skipLockEnds() { lockEnds.skipAll(); }
  /// How many ends of locks have been applied.
  std::uint64_t lockEndsApplied() const { return lockEnds.applied(); }
  /// The recorder itself took this long, just before the next event.
  void pause(std::uint64_t ticks) { ledger.accounts.clock.pausedTicks += ticks; }
  /// Time spent outside sections up to `stamp` goes on the thread's account.
  void end(std::uint64_t stamp);
  /// Puts into `total` what is not over at `stamp`: how long locks have been held, how long the
  /// thread has waited for something else, and what it has done since its last section. That is in
  /// no tables yet.
  void addOpen(Tables &total, std::uint64_t stamp) const;
  /// The tables were emptied or recording was off: what is held stays known, so that
  /// its release is not taken for an unmatched one, but counts for nothing.
  void discardOpenState(std::uint64_t stamp) { discardOpenState(stamp, 0); }
  /// Does the same where recording was off `since` an earlier stamp, or never on (0): the thread
  /// was there before that.
  void discardOpenState(std::uint64_t stamp, std::uint64_t since);
  /// Recording was off from one stamp to the other, and goes on: that time did not pass. Whatever
  /// was under way may have ended, and other things begun.
  void resume(std::uint64_t from, std::uint64_t to) {
    slices.resume(operations, from, to);
    aliveSince += to - from;
  }
  /// What was recorded until `stamp` counts as if one slice in 2^shift of it had been
  /// (thin_tables.h): so is how long the thread has been there.
  void thin(std::uint64_t stamp, unsigned shift) {
    aliveSince += stamp > aliveSince ? stamp - aliveSince - ((stamp - aliveSince) >> shift) : 0;
    ledger.accounts.leaveWindow();
  }
  /// Same thread, other class from here on.
  void changeClass(std::uint32_t threadClass, std::uint64_t stamp);

  /// Nothing is held and no lock waited for.
  bool isBetweenSections() const { return operations.isBetweenSections(); }
  /// Whether an operation has begun that is not complete.
  bool attempting() const { return !operations.attempts.isEmpty(); }
  unsigned heldCount() const { return operations.held.size(); }
  bool holds(std::uint64_t acquisition) const { return operations.held.holds(acquisition); }
  /// Serial of the acquisition in whose section the thread is; 0: it waits, or holds nothing.
  std::uint64_t acquisitionAtHand() const {
    return attempting() || heldCount() == 0 ? 0 : operations.held.newest().serial;
  }
  /// Its section; none: not known yet.
  std::uint32_t sectionAtHand() const {
    return heldCount() != 0 ? operations.held.newest().section : format::none;
  }
  /// Puts the sections that end from here on there, too.
  void noteEnded(EndedSections *into) { ledger.ended = into; }
  std::uint32_t number() const { return ledger.accounts.threadNumber; }
  std::uint32_t threadClass() const { return ledger.accounts.classIndex; }
  std::uint64_t beginStamp() const { return aliveSince; }

private:
  std::uint64_t endOfShortCuts() const;
  void addOpenPassage(Tables &total, double since) const;
  void endLock(std::uint64_t address, std::uint64_t at);

  const ReplayContext &context;
  Ledger ledger;
  Operations operations{ledger};
  PlainSections plainSections;
  SliceEdges slices;
  LockEndCursor lockEnds;
  std::uint64_t aliveSince = 0; ///< stamp
};

} // namespace qdadvise::runtime
