// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recorder.h.
#include "runtime/recorder.h"

#include "runtime/hooks.h"
#include "runtime/only_one.h"
#include "runtime/pages.h"
#include "runtime/process.h"
#include "runtime/readers.h"
#include "runtime/sites.h"
#include "runtime/slices.h"
#include "runtime/thread_classes.h"

#include <climits>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise::runtime {

bool recording = false;
bool wanted = false;
bool countingAttempts = false;
bool finishing = false;

namespace {

SpinLock slotsLock;
ThreadSlot *allSlots = nullptr;
ThreadSlot *freeSlots = nullptr;
std::uint32_t nextThreadNumber = 1;
std::uint64_t lostEvents = 0;

ThreadSlot *makeSlot() {
  constexpr std::size_t bytes = sizeof(ThreadSlot) + bufferEvents * sizeof(Event);
  char *const memory = mapPages(bytes);
  if (!memory)
    return nullptr;
  auto *const slot = new (memory) ThreadSlot(process().options.limits, process().context);
  slot->events = reinterpret_cast<Event *>(slot + 1);
  return slot;
}

ThreadSlot *takeSlot(std::uint32_t &number) {
  const SpinGuard guard(slotsLock);
  ThreadSlot *slot = freeSlots;
  if (slot) {
    freeSlots = slot->nextFree;
  } else if ((slot = makeSlot())) {
    slot->nextSlot = allSlots;
    __atomic_store_n(&allSlots, slot, __ATOMIC_RELEASE);
  }
  number = nextThreadNumber++;
  return slot;
}

// --- the end of a thread ---

pthread_key_t endKey;
bool haveEndKey = false;

/// Runs in every round of a thread's destructors and lets it go in the last one, so
/// that hooks in other keys' destructors are still recorded.
void onThreadEnd(void *rounds) {
  const auto round = reinterpret_cast<std::uintptr_t>(rounds);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS &&
      pthread_setspecific(endKey, reinterpret_cast<void *>(round + 1)) == 0)
    return;
  detachThread();
}

void armThreadEnd() {
  if (!haveEndKey)
    haveEndKey = pthread_key_create(&endKey, onThreadEnd) == 0;
  if (haveEndKey)
    pthread_setspecific(endKey, reinterpret_cast<void *>(std::uintptr_t{1}));
}

} // namespace

void ThreadSlot::catchUp() {
  // Before the events: whatever came before those retirements is among them.
  const Retirements *const all = process().retirements;
  const std::uint64_t retired = all ? all->size() : 0;
  if (owner) {
    Event *const next = __atomic_load_n(&owner->next, __ATOMIC_ACQUIRE);
    const auto count = static_cast<std::size_t>(next - consumed);
    const ReplayContext &context = process().context;
    if (context.sliced && !context.countersOnly)
      seen.add(consumed, count, context);
    replay.run(consumed, count);
    consumed = next;
  }
  replay.retireUpTo(retired);
}

void ThreadSlot::beginStretch() {
  seen = stretch = {};
  if (!owner || !process().context.sliced)
    return;
  cpuNsThen = threadCpuNs(owner->id);
  attemptsThen = __atomic_load_n(&owner->attempts, __ATOMIC_RELAXED);
}

void ThreadSlot::endStretch() {
  if (!owner)
    return;
  catchUp();
  stretch = seen;
  stretch.attempts += __atomic_load_n(&owner->attempts, __ATOMIC_RELAXED) - attemptsThen;
  stretch.ticks +=
      static_cast<double>(threadCpuNs(owner->id) - cpuNsThen) / process().context.nsPerTick;
}

void ThreadSlot::forget(std::uint64_t stamp) {
  tables.~Tables();
  arena.clear();
  new (&tables) Tables(arena, process().options.limits);
  replay.skipRetirements();
  replay.cut(stamp);
}

bool attachThread(std::uint32_t threadClass) {
  HotThread &thread = hotThread;
  if (thread.slot || thread.dead)
    return thread.slot != nullptr;
  const InsideRecorder inside;
  std::uint32_t number = 0;
  ThreadSlot *const slot = takeSlot(number);
  if (!slot)
    return false;
  thread.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  thread.next = slot->events;
  thread.slot = slot;
  {
    const SpinGuard guard(slot->inUse);
    slot->replay.begin(threadClass, number, process().recordedUpTo());
    slot->consumed = slot->events;
    thread.open = 0;
    slot->owner = &thread;
    slot->beginStretch();
    // Whoever turns the switch meanwhile sees the slot, or this sees the switch.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const bool on = __atomic_load_n(&recording, __ATOMIC_RELAXED) &&
                    !__atomic_load_n(&finishing, __ATOMIC_RELAXED);
    thread.softLimit = on ? softLimitOf(*slot) : nullptr;
  }
  noteThreadBegin(threadClass);
  armThreadEnd();
  return true;
}

bool attachUnseenThread() {
  const bool isMain = syscall(SYS_gettid) == getpid();
  return attachThread(isMain ? mainThreadClass : unknownThreadClass);
}

void detachThread() {
  HotThread &thread = hotThread;
  ThreadSlot *const slot = thread.slot;
  if (!slot)
    return;
  const InsideRecorder inside;
  stopTracingThread();
  noteEndOfMain();
  std::uint32_t threadClass = 0;
  {
    const SpinGuard guard(slot->inUse);
    slot->catchUp();
    slot->replay.end(process().recordedUpTo());
    threadClass = slot->replay.threadClass();
    slot->owner = nullptr;
  }
  noteThreadEnd(threadClass);
  for (std::uint64_t since = 0; thread.reading != 0;)
    process().readers->leave(slot->readings.entries[--thread.reading], since);
  thread.slot = nullptr;
  thread.next = thread.softLimit = nullptr;
  thread.dead = true;
  const SpinGuard guard(slotsLock);
  slot->nextFree = freeSlots;
  freeSlots = slot;
}

void letThreadsRecord(bool on) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  forEachSlot([=](ThreadSlot &slot) {
    if (slot.owner)
      __atomic_store_n(&slot.owner->softLimit, on ? softLimitOf(slot) : nullptr, __ATOMIC_RELAXED);
  });
}

void letThreadsFinish() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  forEachSlot([](ThreadSlot &slot) {
    if (slot.owner) // each event is a slow one
      __atomic_store_n(&slot.owner->softLimit, slot.events, __ATOMIC_RELAXED);
  });
}

bool haveThreadsFinished() {
  bool all = true;
  forEachSlot([&](ThreadSlot &slot) {
    if (!slot.owner || !__atomic_load_n(&slot.owner->softLimit, __ATOMIC_RELAXED))
      return;
    slot.catchUp();
    if (slot.replay.isBetweenSections())
      __atomic_store_n(&slot.owner->softLimit, nullptr, __ATOMIC_RELAXED);
    else
      all = false;
  });
  return all;
}

void changeThreadClass(std::uint32_t threadClass) {
  ThreadSlot *const slot = hotThread.slot;
  if (!slot)
    return;
  const InsideRecorder inside;
  const SpinGuard guard(slot->inUse);
  slot->catchUp();
  noteThreadEnd(slot->replay.threadClass());
  noteThreadBegin(threadClass);
  slot->replay.changeClass(threadClass, process().recordedUpTo());
}

namespace {

/// So that measuring takes less than a hundredth of the time that events take.
constexpr std::uint32_t buffersPerMeasurement = 128;

/// Where the next event goes; null when it must be dropped.
Event *makeRoom(HotThread &thread, Instant instant) {
  if (!thread.slot && !attachUnseenThread())
    return nullptr;
  if (thread.next < thread.softLimit)
    return thread.next;
  ThreadSlot &slot = *thread.slot;
  const bool isFull = thread.next == slot.events + bufferEvents;
  if (instant != Instant::attempt && !isFull)
    return thread.next;
  if (thread.open != 0 && !isFull)
    return thread.next;
  const std::uint64_t from = readStamp();
  const InsideRecorder inside;
  {
    const SpinGuard guard(slot.inUse);
    slot.catchUp();
    thread.next = slot.consumed = slot.events;
    thread.open = slot.replay.heldCount() + (slot.replay.attempting() ? 1 : 0);
  }
  if (tracingMemory)
    lookAgain(thread);
  if (++slot.emptied % buffersPerMeasurement == 0 && thread.open == 0 && !countingOnly)
    followHookCost();
  const SpinGuard guard(slot.inUse);
  const std::uint64_t took = readStamp() - from;
  slot.replay.pause(took);
  slot.seen.leaveOut(took, process().context.nsPerTick);
  startSlicesAnew(thread.open == 0);
  return thread.next;
}

/// Whether a thread has begun what it has not ended, after the end of a slice. It stops where not.
bool isUnfinished(HotThread &thread) {
  if (!thread.slot || !__atomic_load_n(&thread.softLimit, __ATOMIC_RELAXED))
    return false;
  // A count that was wrong at the beginning is soon below zero. With a lock in hand nothing is
  // replayed.
  constexpr std::uint32_t plausible = 64;
  if (thread.open != 0 && thread.open < plausible)
    return true;
  const InsideRecorder inside;
  const std::uint64_t from = readStamp();
  ThreadSlot &slot = *thread.slot;
  const SpinGuard guard(slot.inUse);
  slot.catchUp();
  thread.next = slot.consumed = slot.events;
  if (slot.replay.isBetweenSections()) {
    thread.softLimit = nullptr;
    return false;
  }
  slot.replay.pause(readStamp() - from);
  return true;
}

/// Whether an event comes too late for its slice, of a thread that is not in the recorder.
bool isTooLate(HotThread &thread) {
  return __builtin_expect(__atomic_load_n(&finishing, __ATOMIC_RELAXED), 0) &&
         !isUnfinished(thread);
}

} // namespace

namespace {

void storeAt(HotThread &thread, Event *event, std::uint32_t what, std::uint64_t address,
             std::uint32_t stack, std::uint64_t stamp) {
  if (isStamped(process().context.sites[what >> eventSiteShift].role))
    thread.open += opens(static_cast<Instant>(what & eventInstantMask));
  *event = {stamp, address, what, stack};
  __atomic_store_n(&thread.next, event + 1, __ATOMIC_RELEASE);
}

void countAttempt(HotThread &thread, std::uint32_t what) {
  const SiteRole role = process().context.sites[what >> eventSiteShift].role;
  if (takesLock(static_cast<Instant>(what & eventInstantMask), role))
    __atomic_store_n(&thread.attempts, thread.attempts + 1, __ATOMIC_RELAXED);
}

} // namespace

void recordSlowly(std::uint32_t what, std::uint64_t address, std::uint32_t stack) {
  HotThread &thread = hotThread;
  if (!__atomic_load_n(&recording, __ATOMIC_RELAXED)) {
    const Doors *const first = firstCopy();
    if (__builtin_expect(first != nullptr, 0)) {
      thread.id = thread.id != 0 ? thread.id : static_cast<std::uint32_t>(syscall(SYS_gettid));
      first->record(what, address, stack);
    }
    if (__atomic_load_n(&countingAttempts, __ATOMIC_RELAXED))
      countAttempt(thread, what);
    return;
  }
  if (thread.busy != idle)
    return countDropped(); // a signal handler's, in the midst of another event
  if (isTooLate(thread))
    return;
  thread.busy = inHook;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (Event *const event = makeRoom(thread, static_cast<Instant>(what & eventInstantMask))) {
    storeAt(thread, event, what, address, stack, readEventStamp());
    if (tracingMemory)
      traceAfterEvent(thread);
  } else {
    countDropped();
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
}

namespace {

/// Where the thread's reading of a lock is; `thread.reading` if there is none.
std::uint32_t findReading(HotThread &thread, std::uint64_t address) {
  Readings &readings = thread.slot->readings;
  const std::uint32_t epoch = process().readers->epoch();
  if (readings.epoch != epoch) {
    readings.epoch = epoch;
    thread.reading = 0;
  }
  std::uint32_t at = 0;
  while (at < thread.reading && readings.entries[at].address != address)
    ++at;
  return at;
}

/// The first of the hooks on one lock counts: those of a wrapper and of the primitive in it
/// are one reader, and so is a thread that takes a lock once more.
void storeEntry(HotThread &thread, Event *event, std::uint32_t what, std::uint64_t address,
                std::uint32_t stack) {
  ReaderTable &table = *process().readers;
  Readings &readings = thread.slot->readings;
  if (findReading(thread, address) != thread.reading)
    return storeAt(thread, event, what, address, stack, readEventStamp());
  const ReaderTable::Entry entry =
      thread.reading < Readings::most ? table.enter(address) : ReaderTable::Entry{};
  const std::uint64_t stamp = readEventStamp();
  if (entry.readers == 1)
    table.begin(entry, stamp);
  if (entry.readers != 0)
    readings.entries[thread.reading++] = entry;
  else
    countDropped();
  storeAt(thread, event, what, address, stack, stamp);
}

void storeExit(HotThread &thread, Event *event, std::uint32_t what, std::uint64_t address,
               std::uint32_t stack) {
  storeAt(thread, event, what, address, stack, readEventStamp());
  Readings &readings = thread.slot->readings;
  const std::uint32_t at = findReading(thread, address);
  if (at == thread.reading)
    return;
  const ReaderTable::Entry entry = readings.entries[at];
  readings.entries[at] = readings.entries[--thread.reading];
  std::uint64_t since = 0;
  const bool last = process().readers->leave(entry, since);
  if (!last && entry.readers == 1)
    return; // somebody else will tell
  Event *const told = makeRoom(thread, readersInstant);
  if (!told)
    return countDropped();
  const std::uint32_t door = what & eventXray;
  storeAt(thread, told,
          packEvent(what >> eventSiteShift, readersInstant, door | (last ? eventLast : 0)), address,
          entry.readers, since);
}

} // namespace

void recordReader(std::uint32_t what, std::uint64_t address, std::uint32_t stack) {
  HotThread &thread = hotThread;
  if (!__atomic_load_n(&recording, __ATOMIC_RELAXED) || thread.busy != idle || !process().readers)
    return recordSlowly(what, address, stack);
  const SiteTraits &site = process().context.sites[what >> eventSiteShift];
  const auto instant = static_cast<Instant>(what & eventInstantMask);
  const bool enters = isStamped(site.role) && (site.flags & siteShared) != 0 &&
                      (instant == Instant::acquire || instant == Instant::wake);
  const bool leaves =
      thread.reading != 0 && (instant == Instant::release || instant == Instant::wait);
  if (!enters && !leaves)
    return recordSlowly(what, address, stack);
  if (isTooLate(thread))
    return;
  thread.busy = inHook;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (Event *const event = makeRoom(thread, instant)) {
    (enters ? storeEntry : storeExit)(thread, event, what, address, stack);
    if (tracingMemory)
      traceAfterEvent(thread);
  } else {
    countDropped();
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
}

void retireLock(const void *lock) {
  HotThread &thread = hotThread;
  if (!lock || !__atomic_load_n(&recording, __ATOMIC_RELAXED))
    return;
  if (thread.busy != idle)
    return countDropped(); // a signal handler's, in the midst of another event
  const InsideRecorder inside;
  if (!process().retirements)
    return;
  Retirements &all = *process().retirements;
  while (!all.add(reinterpret_cast<std::uintptr_t>(lock))) {
    std::uint64_t slowest = all.size();
    forEachSlot([&](ThreadSlot &slot) {
      slot.catchUp();
      if (slot.replay.retired() < slowest)
        slowest = slot.replay.retired();
    });
    all.passed(slowest);
  }
}

void countDropped() { __atomic_fetch_add(&lostEvents, 1, __ATOMIC_RELAXED); }
std::uint64_t droppedWithoutSlot() { return __atomic_load_n(&lostEvents, __ATOMIC_RELAXED); }

ThreadSlot *firstSlot() { return __atomic_load_n(&allSlots, __ATOMIC_ACQUIRE); }

void forgetOtherThreads(std::uint64_t stamp) {
  slotsLock = SpinLock();
  freeSlots = nullptr;
  lostEvents = 0;
  for (ThreadSlot *slot = allSlots; slot; slot = slot->nextSlot) {
    slot->inUse = SpinLock();
    slot->forget(stamp);
    if (slot->owner == &hotThread) {
      slot->consumed = hotThread.next = slot->events;
      hotThread.open = slot->replay.heldCount();
      hotThread.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
      slot->beginStretch(); // its processor time is from zero, too
      continue;
    }
    slot->owner = nullptr;
    slot->nextFree = freeSlots;
    freeSlots = slot;
  }
}

} // namespace qdadvise::runtime
