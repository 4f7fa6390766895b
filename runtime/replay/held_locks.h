// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The locks that a thread holds, in the order in which it took them.
#pragma once

#include "runtime/replay/attempts.h"
#include "runtime/tables/lock_table.h"

#include <cstdint>

namespace qdadvise::runtime {

struct HeldLock {
  static constexpr unsigned maxAddresses = 4; ///< of one lock: wrappers and what is inside

  std::uint64_t addresses[maxAddresses]; ///< outermost first; the last is the identity
  unsigned addressCount;
  std::uint32_t section;        ///< none: not recorded
  bool recorded;                ///< has a record among the locks, where:
  std::uint64_t recordAddress;  ///< 0: with the rest of its class
  LockTable::Place recordPlace; ///< about
  std::uint32_t lockClass;
  LockKind kind;    ///< of the innermost
  bool inner;       ///< taken inside an operation that has not ended yet
  bool provisional; ///< its Acquisition waits for wrappers to end
  bool shared;
  std::uint32_t depth;  ///< of recursion
  std::uint64_t serial; ///< of its event
  double acquired;      ///< ticks of the virtual clock
  double own;           ///< ticks of holding, what is inside left out

  std::uint64_t identity() const { return addresses[addressCount - 1]; }
  bool has(std::uint64_t address) const {
    for (unsigned i = 0; i < addressCount; ++i)
      if (addresses[i] == address)
        return true;
    return false;
  }
};

/// A lock as it is when an attempt at a site has got it; `now` is the virtual clock's.
HeldLock lockTaken(const Attempt &attempt, const SiteTraits &site, std::uint64_t serial,
                   double now);

class HeldLocks {
public:
  unsigned size() const { return count; }
  bool isEmpty() const { return count == 0; }
  HeldLock &operator[](unsigned at) { return held[at]; }
  const HeldLock &operator[](unsigned at) const { return held[at]; }
  HeldLock &newest() { return held[count - 1]; }
  const HeldLock &newest() const { return held[count - 1]; }
  bool isFull() const { return count == most; }
  void clear() { count = 0; }

  void add(const HeldLock &lock) { held[count++] = lock; }
  void remove(unsigned at) {
    for (unsigned i = at; i + 1 < count; ++i)
      held[i] = held[i + 1];
    --count;
  }
  /// The newest one with this address; -1: there is none.
  int find(std::uint64_t address) const {
    for (unsigned i = count; i-- > 0;)
      if (held[i].has(address))
        return static_cast<int>(i);
    return -1;
  }
  /// The one that was taken at this event; null: it is not held.
  HeldLock *takenAt(std::uint64_t serial) {
    for (unsigned i = 0; i < count; ++i)
      if (held[i].serial == serial)
        return &held[i];
    return nullptr;
  }
  bool holds(std::uint64_t serial) const {
    return const_cast<HeldLocks *>(this)->takenAt(serial) != nullptr;
  }
  /// Makes one lock of `lock`, which `attempt` took, and of what was taken inside the operation and
  /// is still held: its identity and algorithm are the innermost's. `group` is the start of the
  /// attempt's group; with siblings each inner lock goes to the nearest one.
  void bindInner(HeldLock &lock, const Attempt &attempt, const Attempts &attempts,
                 bool withSiblings, unsigned group, EffectLog *log);
  /// The section of the newest lock that has one; or none.
  std::uint32_t enclosingSection() const;
  /// They stay known, so that their releases find them, but count for nothing.
  void discardSections();

private:
  static constexpr unsigned most = 128;

  HeldLock held[most];
  unsigned count = 0;
};

} // namespace qdadvise::runtime
