// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the events of one thread into sections, transitions and times. Pure: it
// reads no clock and no lock, so that tests feed it what they like.
//
// A virtual clock runs through the events: the time-stamp counter less the cost of
// the hooks and less the recorder's own pauses. At every moment the time belongs
// to one account: waiting (an attempt is open), blocked, holding (the newest held
// section), or local computation (nothing is held).
#pragma once

#include "runtime/aggregate.h"
#include "runtime/named_locks.h"

namespace qdadvise::runtime {

/// What is the same for all threads.
struct ReplayContext {
  const SiteTraits *sites = nullptr; ///< indexed by site
  const NamedLocks *names = nullptr; ///< null: no lock has a name of its own
  double nsPerTick = 1;
  double callHookTicks = 0; ///< from one stamp to the next, nothing in between
  double xrayHookTicks = 0;
  bool countersOnly = false;
  std::uint64_t startStamp = 0; ///< of recording
};

/// Where nobody could read the lock's own word, a longer wait than this counts as
/// contended: well above an undisturbed acquisition, well below a context switch.
inline constexpr double contendedThresholdNs = 500;

class Replay {
public:
  Replay(Tables &into, const ReplayContext &shared) : tables(into), context(shared) {}

  /// A thread begins here, or is first seen here.
  void begin(std::uint32_t threadClass, std::uint32_t threadNumber, std::uint64_t stamp);
  void run(const Event *events, std::size_t count);
  /// The recorder itself took this long, just before the next event.
  void pause(std::uint64_t ticks) { pausedTicks += ticks; }
  /// Time spent outside sections up to `stamp` goes on the thread's account.
  void end(std::uint64_t stamp);
  /// The tables were emptied or recording was off: what is held stays known, so that
  /// its release is not taken for an unmatched one, but counts for nothing.
  void cut(std::uint64_t stamp);
  /// Same thread, other class from here on.
  void changeClass(std::uint32_t threadClass, std::uint64_t stamp);

  unsigned heldCount() const { return heldSize; }
  /// Whether an operation has begun that is not complete.
  bool attempting() const { return attemptSize != 0; }
  std::uint32_t threadClass() const { return classIndex; }
  std::uint64_t beginStamp() const { return aliveSince; }

private:
  static constexpr unsigned maxAttempts = 64;
  static constexpr unsigned maxHeld = 128;
  static constexpr unsigned maxAddresses = 4; ///< of one lock: wrappers and what is inside
  static constexpr unsigned maxExpected = 8;

  /// An operation that has begun: an acquisition, a wait or something that blocks.
  struct Attempt {
    std::uint64_t address;
    std::uint64_t serial; ///< of its event
    double start;
    std::uint32_t site;
    std::uint32_t stack;
    std::uint32_t depth; ///< of recursion to restore after a wait
    bool taken;          ///< somebody held it
    bool mine;           ///< this thread held it
    bool known;          ///< the lock's word was read, here or further in
  };

  struct Held {
    std::uint64_t addresses[maxAddresses]; ///< outermost first; the last is the identity
    unsigned addressCount;
    std::uint32_t section; ///< none: not recorded
    Lock *record;          ///< null: not recorded
    std::uint32_t lockClass;
    LockKind kind; ///< of the innermost
    bool inner;    ///< taken inside an operation that has not ended yet
    bool shared;
    std::uint32_t depth;
    std::uint64_t serial; ///< of its event
    double acquired;
    double own; ///< holding time, what is inside left out

    std::uint64_t identity() const { return addresses[addressCount - 1]; }
    bool has(std::uint64_t address) const;
  };

  void step(const Event &event);
  bool simpleSection(const Event *events);
  void advance(const Event &event);
  void dropAbandoned(std::uint32_t stack);

  void onAttempt(const Event &event, std::uint32_t site);
  void onAcquire(const Event &event, std::uint32_t site);
  void onFail(const Event &event, std::uint32_t site);
  void onRelease(const Event &event, std::uint32_t site);
  void onWait(const Event &event, std::uint32_t site);
  void onWake(const Event &event, std::uint32_t site);
  void onBlock(const Event &event, std::uint32_t site);
  void onUnblock(std::uint32_t site);

  bool siblings(unsigned a, unsigned b) const;
  unsigned groupStart(unsigned at) const;
  int findAttempt(std::uint32_t site, std::uint64_t address, bool anyAddress) const;
  void keepUpTo(unsigned at);
  Attempt takeAttempt(unsigned at);
  unsigned nearestInGroup(unsigned start, std::uint64_t address) const;
  void passUp(unsigned groupAt, const Attempt &inner);

  Held newLock(const Attempt &attempt, std::uint32_t site) const;
  void bindInner(Held &lock, const Attempt &attempt, bool withSiblings, unsigned group);
  int findHeld(std::uint64_t address) const;
  void removeHeld(unsigned at);
  bool reenter(const Held &lock, const Attempt &attempt);
  void enter(Held &lock, const Attempt &attempt, std::uint32_t site, bool isWake);
  void completeHold(unsigned at);
  void expectRest(const Held &lock, std::uint64_t released);
  bool wasExpected(std::uint64_t address);
  void forgetExpected(const Held &lock);
  std::uint32_t enclosingSection() const;
  std::uint32_t sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared);
  void recordTransition(std::uint32_t to);
  SectionWindow &windowOf(Section &section) { return section.windows[window]; }
  void enterWindow(std::uint64_t stamp);
  void stayInWindow(std::uint64_t stamp) {
    if (__builtin_expect(stamp >= windowEnd, 0))
      enterWindow(stamp);
  }
  Lock *lockRecord(Section *section, const Held &lock);
  void chargeBlocked(double ticks);

  void chargeLocal(double ticks) {
    localTicks += ticks;
    if (times)
      times->windows[window].localNs += ticks * context.nsPerTick;
  }

  double hookTicks(const Event &event) const {
    return (event.what & eventXray) != 0 ? context.xrayHookTicks : context.callHookTicks;
  }
  double toNs(double ticks) const { return ticks > 0 ? ticks * context.nsPerTick : 0; }

  Tables &tables;
  const ReplayContext &context;

  std::uint32_t classIndex = 0;
  std::uint32_t threadNumber = 0;
  std::uint64_t aliveSince = 0;
  std::uint64_t lastStamp = 0;
  std::uint64_t pausedTicks = 0;
  std::uint64_t serial = 0; ///< of the event at hand
  double now = 0;           ///< the virtual clock, ticks

  unsigned window = 0;               ///< the one the last event lies in
  std::uint64_t windowEnd = 0;       ///< stamp
  ThreadClassTimes *times = nullptr; ///< of the thread's class; null when out of memory

  std::uint32_t lastSection = format::none; ///< the outermost one left last
  double localTicks = 0;
  double blockedTicks = 0;

  Attempt attempts[maxAttempts];
  unsigned attemptSize = 0;
  Held held[maxHeld];
  unsigned heldSize = 0;
  std::uint64_t expected[maxExpected] =
      {}; ///< releases still to come from inside one that was seen
  unsigned expectedNext = 0;
  bool mayExpect = false; ///< false: all of `expected` is 0
};

} // namespace qdadvise::runtime
