// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread's sections come to in its tables. The replay says what happened; the ledger knows
// which records that changes.
#pragma once

#include "runtime/replay/accounts.h"
#include "runtime/replay/acquisition.h"
#include "runtime/replay/held_locks.h"

#include <cstdint>

namespace qdadvise::runtime {

/// If nobody could read the lock's own word, a longer wait than this counts as
/// contended: well above an undisturbed acquisition, well below a context switch.
inline constexpr double contendedThresholdNs = 500;

/// Locks that a thread has given back, where somebody asks: the oldest ones.
struct EndedSections {
  static constexpr unsigned most = 16;
  struct Entry {
    std::uint64_t serial;  ///< of the acquisition
    std::uint64_t lock;    ///< address
    std::uint32_t section; ///< none: not recorded
  } entries[most];
  unsigned count;
};

struct Ledger {
  Ledger(Tables &tables, const ReplayContext &context) : accounts{tables, context} {}

  /// The section of a site inside another one, made if need be; none when out of memory.
  std::uint32_t sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared,
                           std::uint32_t inside);
  /// Counts an acquisition as one of its site, and gives the lock its section.
  void countAcquisition(HeldLock &lock, const Acquisition &taken);
  /// Null when out of memory for the lock's record, which is counted.
  Lock *addAcquisition(Section &section, std::uint64_t address, std::uint32_t lockClass,
                       unsigned atWindow, bool contended, bool byWriter, double waitNs);
  /// The lock has been given back.
  void countHolding(const HeldLock &lock);
  void addHolding(Section &section, double ownNs) {
    accounts.tables.addHold(section, ownNs);
    section.windows[accounts.window].holdNs += ownNs;
  }
  /// The thread came to an outermost section; none: it ended.
  void countTransition(std::uint32_t to, double localTicks, double blockedTicks,
                       std::uint64_t barriers);
  void countFailures(std::uint32_t site, std::uint32_t lockClass, bool shared, std::uint32_t inside,
                     std::uint32_t failures);
  /// A reader gave the lock back.
  void countRead(std::uint64_t address, std::uint32_t lockClass, double heldNs);
  /// The event of readersInstant that follows such a release at `until`. The readers of a lock
  /// around it that is one with it are the same ones.
  void countReaders(const Event &event, std::uint64_t until);

  Accounts accounts;
  EffectLog *log = nullptr;                 ///< hears what is counted; usually none
  EndedSections *ended = nullptr;           ///< the same for locks given back
  std::uint32_t lastSection = format::none; ///< the outermost one left last
  std::uint64_t lastRead = 0;               ///< the lock whose reader this thread last was
  Readers *lastReaders = nullptr;           ///< of its class; null: not recorded
};

} // namespace qdadvise::runtime
