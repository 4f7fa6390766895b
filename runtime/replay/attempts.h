// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of a thread that have begun and not ended: acquisitions, waits, and whatever else
// blocks. They nest: an operation may be made of others.
#pragma once

#include "runtime/events/event.h"
#include "runtime/tables/event_patterns.h"

#include <cstdint>

namespace qdadvise::runtime {

struct Attempt {
  std::uint64_t address;
  std::uint64_t serial; ///< of its event
  double start;         ///< ticks of the virtual clock
  std::uint32_t site;
  std::uint32_t stack;
  std::uint32_t depth;     ///< of recursion, to restore after a wait
  std::uint32_t lockClass; ///< of the lock that the wait gave up; or none
  bool taken;              ///< somebody held the lock
  bool mine;               ///< this thread held it
  bool byWriter;           ///< a writer held it
  bool known;              ///< the lock's word was read, here or further in
};

/// Stacks grow downwards: whether a frame at `a` lies deeper than one at `b`. Only the low halves
/// are known; no stack is 2 GiB long.
constexpr bool isDeeper(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

class Attempts {
public:
  unsigned size() const { return count; }
  bool isEmpty() const { return count == 0; }
  Attempt &operator[](unsigned at) { return open[at]; }
  const Attempt &operator[](unsigned at) const { return open[at]; }
  void clear() { count = asideCount = 0; }

  /// Adds one. The same operation again, from the same frame, ends the first one, which was left by
  /// a jump. Returns how many attempts were lost because there were too many.
  unsigned push(const Attempt &attempt);
  /// Forgets attempts of frames that are gone: an exception or a longjmp left them.
  void dropAbandoned(std::uint32_t stack) {
    while (count != 0 && isDeeper(open[count - 1].stack, stack))
      --count;
  }
  /// Forgets attempts that began after an event.
  void dropAfter(std::uint64_t serial) {
    while (count != 0 && open[count - 1].serial > serial)
      --count;
  }
  /// The innermost attempt of a site on a lock; -1: there is none.
  int find(std::uint32_t site, std::uint64_t address) const;
  /// Forgets what began inside the operation at `at` and never ended.
  void keepUpTo(unsigned at);
  /// Forgets the attempts from `at` on.
  void truncate(unsigned at) { count = at; }
  Attempt take(unsigned at);

  // One operation that takes several locks marks one attempt for each: they are a group.

  unsigned groupStart(unsigned at) const;
  /// The attempt of the group whose lock lies nearest to `address`. If there is a choice, `log`
  /// (may be null) hears of it: it depends on where locks lie.
  unsigned nearestInGroup(unsigned start, std::uint64_t address, EffectLog *log) const;
  /// What an inner operation saw of the lock counts for the operation around it; `groupAt` is the
  /// start of the inner one's group.
  void passUp(unsigned groupAt, const Attempt &inner, EffectLog *log);

  // A thread that waits for something else than a lock may come to take one: in a callback, or in a
  // signal handler. The wait is set aside until that is done.

  bool hasAside() const { return asideCount != 0; }
  /// Sets the waits aside if all that has begun are such; the thread holds `held` locks.
  void setAside(const SiteTraits *sites, unsigned held);
  /// Takes them up again if nothing else is under way and no more locks are held than before.
  void takeUpAgain(unsigned held);
  /// Ends the wait that began at a site. Returns how many operations are around it; -1: it is not
  /// known.
  int endBlock(std::uint32_t site);

private:
  static constexpr unsigned most = 64, mostAside = 4;

  bool areSiblings(unsigned a, unsigned b) const {
    return open[a].site == open[b].site && open[a].stack == open[b].stack;
  }

  Attempt open[most];
  unsigned count = 0;
  Attempt aside[mostAside];
  unsigned asideCount = 0;
  unsigned asideHeld = 0; ///< locks held when the first wait was set aside
};

} // namespace qdadvise::runtime
