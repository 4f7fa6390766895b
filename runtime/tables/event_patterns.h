// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program does with its locks repeats: sections within sections, calls that return with
// a lock. A pattern is a row of events that begins and ends with nothing in hand, and what it
// comes to. The replay itself tells that, when it is given the row again with times
// that are powers of two: which of them a sum is made of can be read off its bits
// (replay/pattern_learning.h). From then on the row is counted at once, without going through it
// step by step (replay/known_patterns.h).
#pragma once

#include "runtime/abi/profile_format.h"
#include "runtime/base/arena.h"
#include "runtime/base/hash_index.h"
#include "runtime/events/event.h"

#include <cstdint>

namespace qdadvise::runtime {

struct Section;
struct Transition;
struct SiteCounts;

/// A sum of times, each from one event of a pattern to the next: bit i, up to event i.
using Parts = std::uint64_t;

/// Events of a pattern at most.
inline constexpr unsigned longestPattern = 64;
/// Of so many one replay tells the times: a double holds a sum of as many powers of two.
inline constexpr unsigned partsOfReplay = 48;

constexpr Parts partsOf(double ticks) { return static_cast<Parts>(ticks); }

/// What the replay adds to the tables, in the order in which it does.
struct Effect {
  enum Kind : std::uint8_t { acquisition, holding, passage, reading, sharing };
  Kind kind;
  bool contended; ///< of acquisitions
  bool byWriter;
  LockKind lockKind;
  std::uint32_t to;        ///< section; of passages the transition
  std::uint32_t lockClass; ///< not of passages
  std::uint64_t lock;      ///< its address; in a pattern, the event that has it
  Parts first;             ///< waiting; holding less what is inside; local; as a reader
  Parts second;            ///< -; holding; blocked; -
};

/// While there is one, the replay says here what it does. Times are ticks.
struct EffectLog {
  static constexpr unsigned most = 24;
  Effect effects[most];
  unsigned count = 0;
  std::uint64_t event = 0; ///< at hand
  bool unusual = false;    ///< it depends on more than the row of events

  void add(const Effect &effect) {
    if (count < most)
      effects[count++] = effect;
    else
      unusual = true;
  }
};

struct EventPattern {
  static constexpr unsigned mostLocks = 8, mostSites = 12;

  struct Step {
    std::uint64_t mask;   ///< the bits of an event that tell: of whatAndStack
    std::uint64_t wanted; ///< these, the stack from that of the first event
    std::uint8_t first;   ///< event with the same address; itself: none has
    bool isCall;          ///< a wrapper's, which has no stamp
    bool isStamped;       ///< with one of its own
  };
  struct SiteEffect {
    SiteCounts *counts;
    std::uint32_t executed, inside;
  };
  /// An effect, and the record that it changes.
  struct Change {
    Effect effect;
    Section *section;       ///< of acquisitions and holdings
    Transition *transition; ///< of passages
    std::uint8_t stamp;     ///< of sharings: the event whose stamp is their end
  };

  std::uint32_t from = format::none; ///< the section before it; none: no pattern
  std::uint32_t to = format::none;   ///< the last one in it
  std::uint8_t length = 0, effectCount = 0, siteCount = 0, addressCount = 0;
  std::uint8_t lastDone = 0;     ///< as WrapperCalls', counted from the first event; 0: as before
  std::uint8_t lastReleased = 0; ///< event plus one; 0: none
  std::uint8_t lastStamped = 0;  ///< event
  std::uint8_t serials = 0;      ///< events with a stamp of their own, and those of wrappers
  Parts stamped = 0;             ///< events with a stamp of their own
  Parts fixed = 0; ///< events whose address is a place in code, or none, and tells more than a lock
  Parts local = 0, blocked = 0;
  Parts localAfter = 0, blockedAfter = 0;  ///< of that what the next transition takes
  std::uint8_t addresses[mostLocks];       ///< events with one that none before has
  std::uint64_t fixedAddresses[mostLocks]; ///< what those were, if they have to be
  SiteEffect sites[mostSites];
  Change changes[EffectLog::most];
  Step steps[longestPattern];
};

/// The patterns that a thread has learnt, by how they begin.
class EventPatterns {
public:
  /// Calls `use(pattern)` for patterns that may begin so until a call returns true.
  template <typename Use> bool find(std::uint32_t what, std::uint32_t from, Use use) {
    EventPattern **const set = setOf(what, from);
    for (unsigned way = 0; way < ways && set[way]; ++way) {
      if (set[way]->from != from || !use(*set[way]))
        continue;
      if (way != 0) {
        EventPattern *const found = set[way];
        set[way] = set[way - 1];
        set[way - 1] = found;
      }
      ++foundSoFar;
      return true;
    }
    return false;
  }
  std::uint64_t found() const { return foundSoFar; }

  /// Room for one more, if it is worth another look; else null.
  EventPattern *make(Arena &arena, std::uint32_t what, std::uint32_t from) {
    EventPattern **const set = setOf(what, from);
    for (unsigned way = 0; way < ways; ++way)
      if (!set[way])
        return set[way] = arena.allocateArray<EventPattern>(1);
    // Rows that never come twice must not cost much more than going through them.
    if (++refused < patience)
      return nullptr;
    refused = 0;
    patience *= patience < mostPatience ? 2 : 1;
    return set[ways - 1];
  }

private:
  static constexpr unsigned setCount = 16, ways = 4;
  static constexpr std::uint32_t mostPatience = 1u << 14;

  EventPattern **setOf(std::uint32_t what, std::uint32_t from) {
    return sets[(mixHash(what, from) >> 32) % setCount];
  }

  EventPattern *sets[setCount][ways] = {};
  std::uint32_t refused = 0, patience = 64;
  std::uint64_t foundSoFar = 0;
};

} // namespace qdadvise::runtime
