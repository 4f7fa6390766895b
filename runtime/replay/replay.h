// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the events of one thread into sections, transitions and times. Pure: it
// reads no clock and no lock, so that tests feed it what they like.
//
// A virtual clock runs through the events: the time-stamp counter less the cost of
// the hooks and less the recorder's own pauses. At every moment the time belongs
// to one account: waiting (an attempt is open), blocked, holding (the newest held
// section), or local computation (nothing is held). A call of a wrapper is no account:
// what it does besides taking locks is its thread's computation. So its events need no stamp.
#pragma once

#include "runtime/sites/named_locks.h"
#include "runtime/tables/lock_end_log.h"
#include "runtime/tables/tables.h"

namespace qdadvise::runtime {

inline constexpr std::uint64_t noSliceEnd = ~0ull;

/// What is the same for all threads.
struct ReplayContext {
  const SiteTraits *sites = nullptr;  ///< indexed by site
  const NamedLocks *names = nullptr;  ///< null: no lock has a name of its own
  Retirements *retirements = nullptr; ///< null: no lock ends
  double nsPerTick = 1;
  double callHookTicks = 0; ///< from one stamp to the next, nothing in between
  double xrayHookTicks = 0;
  double stampTicks = 0; ///< of both, for the stamp: calls of wrappers have none
  double driftTicks = 0; ///< by which stamps have become slower since; changes at any time
  double hookFactor = 1; ///< by which hooks cost more where they are; changes at any time
  bool countersOnly = false;
  bool sliced = false; ///< recorded in slices of time: what began between them was not seen
  std::uint64_t startStamp = 0;        ///< of recording
  std::uint64_t sliceEnd = noSliceEnd; ///< stamp: what begins later is of no slice
  /// The site that stands for calls from `address` of the function whose body is
  /// `site`; null: `site` itself does.
  std::uint32_t (*callerSite)(std::uint32_t site, std::uint64_t address) = nullptr;

  /// What a hook of hooks=call takes with a stamp and without; 0 where that could not be measured.
  void setCallHook(double stamped, double unstamped) {
    callHookTicks = stamped;
    stampTicks = stamped > unstamped ? stamped - unstamped : 0;
  }
  double drift() const {
    double ticks;
    __atomic_load(&driftTicks, &ticks, __ATOMIC_RELAXED);
    return ticks;
  }
  double factor() const {
    double value;
    __atomic_load(&hookFactor, &value, __ATOMIC_RELAXED);
    return value;
  }
  /// What the hook of an event takes by itself.
  double hookTicksAlone(const Event &event, bool stamped) const {
    const double door = (event.what & eventXray) != 0 ? xrayHookTicks : callHookTicks;
    return door + (stamped ? drift() : -stampTicks);
  }
};

/// Where nobody could read the lock's own word, a longer wait than this counts as
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

class Replay {
public:
  Replay(Tables &into, const ReplayContext &shared)
      : tables(into), context(shared),
        nextRetired(shared.retirements ? shared.retirements->size() : 0) {}

  /// A thread begins here, or is first seen here.
  void begin(std::uint32_t threadClass, std::uint32_t threadNumber, std::uint64_t stamp);
  void run(const Event *events, std::size_t count);
  /// Applies the first `count` of all retirements; events before them have been run.
  void retireUpTo(std::uint64_t count);
  /// What was retired until now means nothing to empty tables.
  void skipRetirements() { nextRetired = context.retirements ? context.retirements->size() : 0; }
  /// How many have been applied.
  std::uint64_t retired() const { return nextRetired; }
  /// The recorder itself took this long, just before the next event.
  void pause(std::uint64_t ticks) { pausedTicks += ticks; }
  /// Time spent outside sections up to `stamp` goes on the thread's account.
  void end(std::uint64_t stamp);
  /// Puts into `total` what is not over at `stamp`: how long locks have been held, and how long the
  /// thread has waited for something else. That is in no tables yet.
  void addOpen(Tables &total, std::uint64_t stamp) const;
  /// The tables were emptied or recording was off: what is held stays known, so that
  /// its release is not taken for an unmatched one, but counts for nothing.
  void cut(std::uint64_t stamp) { cut(stamp, 0); }
  /// The same, where it was off `since` an earlier stamp, or never on (0): the thread was there
  /// before that.
  void cut(std::uint64_t stamp, std::uint64_t since);
  /// Recording was off from one stamp to the other, and goes on: that time did not pass. Whatever
  /// was under way may have ended, and other things begun.
  void resume(std::uint64_t from, std::uint64_t to);
  /// The same for the time that the thread is there, and no more.
  void leaveOut(std::uint64_t from, std::uint64_t to) { aliveSince += to - from; }
  /// Nothing is held and no lock waited for.
  bool isBetweenSections() const {
    return heldSize == 0 &&
           (attemptSize == 0 || context.sites[attempts[0].site].role != SiteRole::acquire);
  }
  /// Same thread, other class from here on.
  void changeClass(std::uint32_t threadClass, std::uint64_t stamp);

  unsigned heldCount() const { return heldSize; }
  bool holds(std::uint64_t acquisition) const {
    for (unsigned i = 0; i < heldSize; ++i)
      if (held[i].serial == acquisition)
        return true;
    return false;
  }
  /// Serial of the acquisition in whose section the thread is; 0: it waits, or holds nothing.
  std::uint64_t acquisitionAtHand() const {
    return attemptSize == 0 && heldSize != 0 ? held[heldSize - 1].serial : 0;
  }
  /// Its section; none: not known yet.
  std::uint32_t sectionAtHand() const {
    return heldSize != 0 ? held[heldSize - 1].section : format::none;
  }
  /// From here on the sections that end are put there, too.
  void noteEnded(EndedSections *into) { ended = into; }
  std::uint32_t number() const { return threadNumber; }
  /// Whether an operation has begun that is not complete.
  bool attempting() const { return attemptSize != 0; }
  std::uint32_t threadClass() const { return classIndex; }
  std::uint64_t beginStamp() const { return aliveSince; }

private:
  static constexpr unsigned maxAttempts = 64;
  static constexpr unsigned maxAside = 4;
  static constexpr unsigned maxHeld = 128;
  static constexpr unsigned maxAddresses = 4; ///< of one lock: wrappers and what is inside
  static constexpr unsigned maxExpected = 8;
  static constexpr unsigned maxCalls = 64;
  static constexpr unsigned maxProvisional = 16;

  /// An operation that has begun: an acquisition, a wait or something that blocks.
  struct Attempt {
    std::uint64_t address;
    std::uint64_t serial; ///< of its event
    double start;
    std::uint32_t site;
    std::uint32_t stack;
    std::uint32_t depth;     ///< of recursion to restore after a wait
    std::uint32_t lockClass; ///< of the lock that the wait gave up; or none
    bool taken;              ///< somebody held it
    bool mine;               ///< this thread held it
    bool byWriter;           ///< a writer did
    bool known;              ///< the lock's word was read, here or further in
  };

  struct Held {
    std::uint64_t addresses[maxAddresses]; ///< outermost first; the last is the identity
    unsigned addressCount;
    std::uint32_t section;        ///< none: not recorded
    bool recorded;                ///< among the locks, where:
    std::uint64_t recordAddress;  ///< 0: with the rest of its class
    LockTable::Place recordPlace; ///< about
    std::uint32_t lockClass;
    LockKind kind;    ///< of the innermost
    bool inner;       ///< taken inside an operation that has not ended yet
    bool provisional; ///< its Acquisition waits for wrappers to end
    bool shared;
    std::uint32_t depth;
    std::uint64_t serial; ///< of its event
    double acquired;
    double own; ///< holding time, what is inside left out

    std::uint64_t identity() const { return addresses[addressCount - 1]; }
    bool has(std::uint64_t address) const;
  };

  /// A call of a wrapper that has begun.
  struct Call {
    std::uint64_t address;
    std::uint64_t serial; ///< of its event
    std::uint32_t site;
    std::uint32_t stack;
  };

  /// Failed tries in a row of one lock, inside wrappers: waiting for it if it is
  /// taken at last and a wrapper returns with it, else failures.
  struct Retries {
    std::uint64_t address;
    std::uint64_t serial; ///< of the first attempt
    double start;         ///< of the first attempt
    double ticks;         ///< what was on the account at hand then; when done, what they added
    std::uint32_t site;
    std::uint32_t count;       ///< 0: there are none
    std::uint32_t callSite;    ///< of the wrapper that did nothing else; or none
    std::uint64_t callAddress; ///< what that was given
  };

  /// A lock taken, and what it is to count as.
  struct Acquisition {
    std::uint64_t lock;      ///< serial of Held
    std::uint64_t address;   ///< what the operation at the site was given
    std::uint64_t stamp;     ///< of the event
    std::uint64_t enclosing; ///< serial of the lock in whose section it was taken; 0: none
    std::uint32_t site;
    std::uint32_t inside; ///< section
    double waitTicks;
    double localTicks; ///< of the transition that leads here
    double blockedTicks;
    bool contended;
    bool byWriter;  ///< a writer was in the way
    bool outermost; ///< nothing else was held
    bool wrapped;   ///< the site is a wrapper's
    bool again;     ///< given up in a wait: the lock has the class it had
    bool alone;     ///< the wrapper returned with this lock only
    Retries retries;
  };

  /// What a section of a site counts as after another one.
  struct Route {
    std::uint32_t attempt = format::none; ///< packEvent's; none: nothing is known
    std::uint32_t from = format::none;    ///< the section before it
    std::uint32_t index = format::none;   ///< its own
    std::uint32_t lockClass = format::none;
    LockKind kind = LockKind::unknown;
    bool shared = false;
    Section *section = nullptr;
    Transition *transition = nullptr;
    SiteCounts *counts = nullptr;
  };

  /// Stamp: up to it rows of events are counted at once.
  std::uint64_t endOfShortCuts() const {
    if (context.countersOnly)
      return retireStamp;
    const std::uint64_t end = windowEnd < context.sliceEnd ? windowEnd : context.sliceEnd;
    return end < retireStamp ? end : retireStamp;
  }
  bool leavesSlice(const Event &event) const {
    return event.stamp >= context.sliceEnd && !context.countersOnly && !isCall(event) &&
           instantOf(event) < readersInstant && isBetweenSections();
  }
  std::size_t enterSlice(const Event *events, std::size_t count);
  bool hasLongSections() const;
  std::size_t begunUnseen(const Event *events, std::size_t count) const;

  struct Rehearsal;
  bool isIdle() const;
  std::size_t knownEpisode(const Event *events, std::size_t count);
  bool matches(const Episode &episode, const Event *events, std::size_t count,
               std::uint64_t bound) const;
  void count(const Episode &episode, const Event *events);
  void learn(const Event *events, unsigned count, std::uint32_t from);
  bool describe(Rehearsal &played, const Event *events, unsigned count, std::uint32_t from,
                Episode &into);

  void forgetRoutes() {
    for (Route &route : routes)
      route = Route();
  }
  bool findRoute(const Event &attempt, std::uint32_t lockClass, Route &found);
  void lookForRetirements();
  void retireBefore(std::uint64_t stamp);
  void retire(std::uint64_t address, std::uint64_t at);
  void step(const Event &event);
  void apply(const Event &event, std::uint32_t site);
  std::size_t plainSections(const Event *events, std::size_t count, bool manyLocks);
  Lock *lockOf(const Route &route, std::uint64_t address);
  void countPlain(const Route &route, Lock &lock, const Event &attempt, const Event &acquire,
                  const Event &release);
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
  void onReaders(const Event &event, std::uint64_t until);

  /// Stacks grow downwards: whether a frame at `a` lies deeper than one at `b`.
  /// Only the low halves are known; no stack is 2 GiB long.
  static bool deeper(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
  }
  /// Whether the innermost open call has been left where this event happens.
  bool leavesCall(const Event &event) const {
    return callSize != 0 && deeper(calls[callSize - 1].stack, event.stack);
  }
  bool siblings(unsigned a, unsigned b) const;
  unsigned groupStart(unsigned at) const;
  int findAttempt(std::uint32_t site, std::uint64_t address, bool anyAddress) const;
  void keepUpTo(unsigned at);
  Attempt takeAttempt(unsigned at);
  void setAside();
  void takeUpAgain();
  unsigned nearestInGroup(unsigned start, std::uint64_t address) const;
  void passUp(unsigned groupAt, const Attempt &inner);

  void dropCalls(std::uint32_t stack);
  void stepCall(const Event &event, std::uint32_t site);
  void beginCall(const Event &event, std::uint32_t site);
  unsigned findCall(const Event &event, std::uint32_t site) const;
  void endCall(const Event &event, std::uint32_t site, bool returned);
  void nameAfter(const Call &call);
  std::uint32_t siteOfCall(std::uint32_t site, std::uint64_t address) const;
  void enterProvisionally(Held &lock, Acquisition &taken);
  void settle(std::size_t count);
  void settleLock(const Held &lock);
  void settleFinished();
  void commit(const Acquisition &taken);
  void countRetry(const Attempt &attempt, std::uint32_t site);
  void settleRetries();
  void waitInTries(Acquisition &taken, double acquired);
  bool isCall(const Event &event) const {
    return context.sites[siteOf(event)].role == SiteRole::wrapper;
  }
  bool isShared(std::uint32_t site) const { return (context.sites[site].flags & siteShared) != 0; }
  void countFailures(std::uint32_t site, std::uint32_t lockClass, bool shared, std::uint32_t inside,
                     std::uint32_t failures);
  double accountAtHand() const { return heldSize != 0 ? held[heldSize - 1].own : localTicks; }

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
  void count(Held &lock, const Acquisition &taken);
  Lock *addAcquisition(Section &section, std::uint64_t address, std::uint32_t lockClass,
                       unsigned atWindow, bool contended, bool byWriter, double waitNs);
  void addHolding(Section &section, double ownNs);
  std::uint32_t enclosingSection() const;
  std::uint32_t sectionFor(std::uint32_t site, std::uint32_t lockClass, bool shared,
                           std::uint32_t inside);
  void recordTransition(std::uint32_t to, double local, double blocked);
  SectionWindow &windowOf(Section &section) { return section.windows[window]; }
  /// The window of an earlier event, or of the one at hand.
  unsigned windowOfStamp(std::uint64_t stamp) const {
    if (context.countersOnly || stamp + (std::uint64_t{1} << tables.windowShift) >= windowEnd)
      return window;
    // One of a slice that a thread ended late may be from before what counts as the start now.
    const std::uint64_t since = stamp > context.startStamp ? stamp - context.startStamp : 0;
    return static_cast<unsigned>(since >> tables.windowShift);
  }
  void enterWindow(std::uint64_t stamp);
  void stayInWindow(std::uint64_t stamp) {
    if (__builtin_expect(stamp >= windowEnd, 0))
      enterWindow(stamp);
  }
  void noteRead(std::uint64_t address, std::uint32_t lockClass, double heldNs);
  void chargeBlocked(double ticks);

  void chargeLocal(double ticks) {
    localTicks += ticks;
    if (times)
      times->windows[window].localNs += ticks * context.nsPerTick;
  }

  double hookTicks(const Event &event) const {
    return stampedTicks[(event.what & eventXray) != 0 ? 1 : 0];
  }
  /// What the hook of an event without a stamp takes.
  double unstampedTicks(const Event &event) const {
    return context.hookTicksAlone(event, false) * factor;
  }
  /// On the virtual clock, since the last event.
  double ticksUntil(std::uint64_t stamp) const {
    return static_cast<double>(static_cast<std::int64_t>(stamp - lastStamp - pausedTicks)) -
           unstampedSince;
  }
  double toNs(double ticks) const { return ticks > 0 ? ticks * context.nsPerTick : 0; }

  Tables &tables;
  const ReplayContext &context;
  EffectLog *log = nullptr;       ///< usually none
  EndedSections *ended = nullptr; ///< the same

  std::uint64_t nextRetired;         ///< in the ring
  std::uint64_t retiredSeen = 0;     ///< how many there were when the events came in
  std::uint64_t retireStamp = ~0ull; ///< of the next one, if there is one

  std::uint32_t classIndex = 0;
  std::uint32_t threadNumber = 0;
  std::uint64_t aliveSince = 0;
  std::uint64_t lastStamp = 0;
  std::uint64_t pausedTicks = 0;
  double unstampedSince = 0; ///< ticks of hooks since then that took no stamp
  std::uint64_t serial = 0;  ///< of the event at hand
  double now = 0;            ///< the virtual clock, ticks

  unsigned window = 0;               ///< the one the last event lies in
  std::uint64_t windowEnd = 0;       ///< stamp
  ThreadClassTimes *times = nullptr; ///< of the thread's class; null when out of memory

  double factor = 1; ///< the context's, just now
  double stampedTicks[2] =
      {}; ///< what a hook with a stamp takes just now: called, and through XRay

  static constexpr unsigned routeCount = 16;
  Route routes[routeCount]; ///< by site, as last taken

  std::uint32_t lastSection = format::none; ///< the outermost one left last
  double localTicks = 0;
  double blockedTicks = 0;
  std::uint64_t resumedAt = 0, sliceTicks = 0; ///< of slices
  bool hasLeft = false;                        ///< the slice, with nothing left to end
  bool entering = false;                       ///< resumed, and nothing seen since
  bool wasBlocked = false;                     ///< until the event at hand, by what began unseen

  Attempt attempts[maxAttempts];
  unsigned attemptSize = 0;
  /// Waits for something else than a lock in which the thread has come to take one: a callback's,
  /// or a signal handler's. They go on when that is done.
  Attempt aside[maxAside];
  unsigned asideSize = 0;
  unsigned asideHeld = 0; ///< locks it held before
  Held held[maxHeld];
  unsigned heldSize = 0;
  Call calls[maxCalls]; ///< of wrappers, none of them inside an attempt
  unsigned callSize = 0;
  Acquisition provisional[maxProvisional]; ///< of locks held, oldest first; none without calls
  unsigned provisionalSize = 0;
  Retries retries{};
  std::uint64_t lastDone = 0; ///< serial of what last happened besides failed tries
  std::uint64_t expected[maxExpected] =
      {}; ///< releases still to come from inside one that was seen
  unsigned expectedNext = 0;
  bool mayExpect = false;         ///< false: all of `expected` is 0
  std::uint64_t lastRead = 0;     ///< the lock whose reader this thread last ceased to be
  Readers *lastReaders = nullptr; ///< of its class; null: not recorded
  /// What an operation gave up that may do so by another of its kind; 0 after any other event.
  std::uint64_t lastReleased = 0;
};

} // namespace qdadvise::runtime
