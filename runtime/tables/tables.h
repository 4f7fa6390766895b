// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run boils down to: critical sections, transitions between them, locks,
// windows. Filled by the replay of events (replay.h), merged and written by the
// writer. Times are nanoseconds, stamps are ticks of the time-stamp counter.
// Memory depends on what was seen, never on how often.
#pragma once

#include "runtime/base/hash_index.h"
#include "runtime/base/statistics.h"
#include "runtime/events/event.h"
#include "runtime/memory/memory_sums.h"
#include "runtime/tables/distribution.h"
#include "runtime/tables/event_patterns.h"
#include "runtime/tables/lock_table.h"
#include "runtime/tables/lock_takers.h"

#include <cstdint>

namespace qdadvise::runtime {

inline constexpr unsigned windowCount = 16;
/// The first windows are 2^18 ticks long, about 0.1 ms; they double as the run grows.
inline constexpr unsigned firstWindowShift = 18;

struct Limits {
  std::uint32_t maxSections = 4096;
  std::uint32_t maxLocks = 1'000'000;
};

struct SectionKey {
  std::uint32_t threadClass;
  std::uint32_t site;
  std::uint32_t lockClass;
  std::uint32_t inside; ///< index of the enclosing section, or none
  std::uint32_t flags;  ///< format::SectionFlags

  bool operator==(const SectionKey &) const = default;
};

struct SectionWindow {
  std::uint64_t acquisitions;
  double holdNs;
  double waitNs;

  void add(const SectionWindow &other) {
    acquisitions += other.acquisitions;
    holdNs += other.holdNs;
    waitNs += other.waitNs;
  }
};

struct Section {
  SectionKey key;
  std::uint32_t transitionGuess; ///< index + 1 of the transition last taken from here
  LockKind kind;                 ///< of the lock last taken here
  LockTable::Place lockPlace;    ///< of that lock's record
  std::uint64_t acquisitions;
  std::uint64_t contended;
  std::uint64_t tryFailures;
  Sample hold;
  Sample wait;
  Sample waitContended;
  Sample waitByWriter; ///< of those that found a writer inside
  std::uint64_t contendedByWriter;
  Histogram<format::bucketSubBits> holdHistogram;
  Histogram<format::bucketSubBits> waitHistogram;
  SectionWindow windows[windowCount];
  MemorySums *memory; ///< of a memory trace; null: nothing was traced
};

struct TransitionKey {
  std::uint32_t threadClass;
  std::uint32_t from; ///< section, or none
  std::uint32_t to;   ///< section, or none

  bool operator==(const TransitionKey &) const = default;
};

struct Transition {
  TransitionKey key;
  Sample local;
  Sample *blocked;             ///< where there was some, else zero; null: never
  Histogram<3> localHistogram; ///< there are many: parts of a tenth do
  std::uint64_t barriers;      ///< passed on the way
};

/// How readers share the locks of a class.
struct Readers {
  std::uint64_t most; ///< at once, in one lock
  double heldNs;      ///< part of the locks'
  Sample busy;        ///< periods with readers

  void merge(const Readers &other) {
    most = other.most > most ? other.most : most;
    heldNs += other.heldNs;
    busy.merge(other.busy);
  }
};

struct SiteCounts {
  std::uint64_t executed;
  std::uint64_t inside;
  std::uint64_t tryFailures;
  bool reentered; ///< its lock was taken again by its owner

  void merge(const SiteCounts &other) {
    executed += other.executed;
    inside += other.inside;
    tryFailures += other.tryFailures;
    reentered |= other.reentered;
  }
};

/// `active` counts threads; those of one recorder follow one another, so that the
/// first and the last of a window tell how many two merged windows share.
struct ThreadWindow {
  std::uint32_t active;
  std::uint32_t firstThread;
  std::uint32_t lastThread;
  double localNs;
  double blockedNs;

  void note(std::uint32_t thread) {
    if (active != 0 && lastThread == thread)
      return;
    if (active == 0)
      firstThread = thread;
    lastThread = thread;
    ++active;
  }
  void absorb(const ThreadWindow &later);
};

struct ThreadClassTimes {
  double aliveNs;
  double blockedNs;
  ThreadWindow windows[windowCount];

  /// Adds the times of other threads. A window of these is 2^windowRatio of theirs.
  void merge(const ThreadClassTimes &theirs, unsigned windowRatio);
};

/// The tables of one recorder, or the sum of several.
class Tables {
public:
  Tables(Arena &memory, Limits bounds) : arena(memory), limits(bounds) {}
  Tables(const Tables &) = delete;
  Tables &operator=(const Tables &) = delete;

  /// Index of a section, made if need be; beyond maxSections that of the `other`
  /// bucket of its thread class. None when out of memory.
  std::uint32_t section(const SectionKey &key) {
    SectionGuess &guess = guesses[key.site % guessCount];
    if (guess.indexPlusOne != 0 && guess.key == key)
      return guess.indexPlusOne - 1;
    const std::uint32_t index = findSection(key);
    guess = {key, index + 1}; // none becomes 0, which is no guess
    return index;
  }
  /// The section of this very key if it was asked for not long ago, else null.
  Section *recentSection(const SectionKey &key) {
    const std::uint32_t indexPlusOne = guesses[key.site % guessCount].indexPlusOne;
    if (indexPlusOne == 0)
      return nullptr;
    Section &candidate = sections[indexPlusOne - 1];
    return candidate.key == key ? &candidate : nullptr;
  }
  std::uint32_t recentSectionIndex(std::uint32_t site) const {
    return guesses[site % guessCount].indexPlusOne - 1;
  }
  /// The transition that was last taken from `from` if it is this one, else null.
  Transition *recentTransition(const Section &from, const TransitionKey &key) {
    if (from.transitionGuess == 0)
      return nullptr;
    Transition &candidate = transitions[from.transitionGuess - 1];
    return candidate.key == key ? &candidate : nullptr;
  }
  /// None when out of memory.
  std::uint32_t transition(const TransitionKey &key) {
    const std::uint32_t guess = key.from == format::none ? 0 : sections[key.from].transitionGuess;
    return guess != 0 && transitions[guess - 1].key == key ? guess - 1 : findTransition(key);
  }
  /// A lock's record, made if need be; beyond maxLocks that of the rest of its class. `place` is
  /// where it may be, and becomes where it is. Null when out of memory.
  Lock *lock(std::uint64_t address, std::uint32_t lockClass, LockTable::Place &place) {
    Lock *record = locks.at(place, address, lockClass);
    if (!record) {
      record = findLock(address, lockClass);
      place = record ? locks.placeOf(record) : place;
    }
    return record;
  }
  /// Locks so many that their records are not at hand when they are asked for.
  bool hasManyLocks() const { return locks.size() > 2048; }
  /// The lock at this address is no more: calls `visit(lockClass, traffic)` for each
  /// class it was taken as.
  template <typename Visit> void closeLock(std::uint64_t address, Visit visit) {
    locks.close(address, [&](const Lock &closed) {
      visit(closed.lockClass(),
            LockTraffic{closed.acquisitions, closed.contended, closed.heldNs, closed.waitNs});
    });
  }
  /// Null when out of memory.
  SiteCounts *site(std::uint32_t index) {
    return sites.reach(arena, index) ? &sites[index] : nullptr;
  }
  /// Null when out of memory.
  ThreadClassTimes *threadClass(std::uint32_t index) {
    return threadClasses.reach(arena, index) ? &threadClasses[index] : nullptr;
  }
  /// Null when out of memory.
  Readers *readers(std::uint32_t lockClass) {
    return lockClassReaders.reach(arena, lockClass) ? &lockClassReaders[lockClass] : nullptr;
  }
  /// What a section does to memory; null when out of memory.
  MemorySums *memoryOf(Section &section) {
    if (!section.memory)
      section.memory = arena.allocateArray<MemorySums>(1);
    return section.memory;
  }
  /// Notes the innermost primitive behind a lock class.
  void noteKind(std::uint32_t lockClass, LockKind kind);

  /// The window of an instant, `ticks` after the start of recording. Merges windows
  /// pairwise until it is one of the sixteen.
  unsigned windowAt(std::uint64_t ticks) {
    while (__builtin_expect((ticks >> windowShift) >= windowCount, 0))
      halveWindows();
    return static_cast<unsigned>(ticks >> windowShift);
  }

  Arena &memory() { return arena; }
  /// Adds another's records to these.
  void merge(const Tables &other);

  __attribute__((always_inline)) void addHold(Section &section, double ns) {
    section.hold.add(ns);
    dropped += !section.holdHistogram.add(arena, ns);
  }
  __attribute__((always_inline)) void addWait(Section &section, double ns, bool contended,
                                              bool byWriter) {
    section.wait.add(ns);
    if (contended)
      section.waitContended.add(ns);
    if (byWriter)
      section.waitByWriter.add(ns);
    dropped += !section.waitHistogram.add(arena, ns);
  }
  __attribute__((always_inline)) void addLocal(Transition &transition, double localNs,
                                               double blockedNs) {
    transition.local.add(localNs);
    if (__builtin_expect(blockedNs > 0, 0))
      addBlocked(transition, blockedNs);
    dropped += !transition.localHistogram.add(arena, localNs);
  }

  BlockArray<Section> sections;
  BlockArray<Transition> transitions;
  LockTable locks;
  Distribution closedLocks;  ///< empty but in the sum of all
  BlockArray<Takers> takers; ///< the same, and where one thread took locks
  BlockArray<SiteCounts> sites;
  BlockArray<ThreadClassTimes> threadClasses;
  BlockArray<LockKind> lockClassKinds;
  BlockArray<Readers> lockClassReaders; ///< as far as there were any
  EventPatterns patterns;               ///< of the thread that fills these
  unsigned windowShift = firstWindowShift;

  std::uint64_t events = 0;
  std::uint64_t xrayEvents = 0; ///< of them; counted where a process has both kinds of hooks
  std::uint64_t dropped = 0;
  std::uint64_t unmatched = 0;
  std::uint64_t otherSections = 0;
  std::uint64_t otherLocks = 0;

private:
  /// What was asked for last, by site: most programs go around few sections.
  static constexpr unsigned guessCount = 64;
  struct SectionGuess {
    SectionKey key;
    std::uint32_t indexPlusOne;
  };

  std::uint32_t findSection(const SectionKey &key);
  std::uint32_t findTransition(const TransitionKey &key);
  void addBlocked(Transition &transition, double ns);
  Sample *blockedOf(Transition &transition);
  Lock *findLock(std::uint64_t address, std::uint32_t lockClass);
  void halveWindows();
  void mergeSection(Section &ours, const Section &theirs, unsigned windowRatio);
  void mergeTransition(const Transition &theirs, const BlockArray<std::uint32_t> &newIndex);
  void mergeLocks(const LockTable &theirLocks);

  Arena &arena;
  Limits limits;
  SectionGuess guesses[guessCount] = {};
  HashIndex sectionIndex;
  HashIndex transitionIndex;
  std::uint32_t restRecords = 0; ///< among `locks`
  std::uint32_t otherSectionRecords = 0;
};

} // namespace qdadvise::runtime
