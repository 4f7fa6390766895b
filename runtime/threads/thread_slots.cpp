// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/thread_slots.h"

#include "runtime/abi/site_record.h"
#include "runtime/base/pages.h"
#include "runtime/base/text.h"
#include "runtime/events/clock.h"
#include "runtime/events/dropped_events.h"
#include "runtime/events/recording_mode.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_classes.h"

#include <climits>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise::runtime {

constinit bool mainThreadEnded = false;

namespace {

SpinLock slotsLock;
ThreadSlot *allSlots = nullptr;
ThreadSlot *freeSlots = nullptr;
std::uint32_t nextThreadNumber = 1;

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
  } else {
    slot = makeSlot();
    if (slot) {
      slot->nextSlot = allSlots;
      __atomic_store_n(&allSlots, slot, __ATOMIC_RELEASE);
    }
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

/// False if the end of the calling thread cannot be seen.
bool armThreadEnd() {
  {
    const SpinGuard guard(slotsLock);
    if (!haveEndKey)
      haveEndKey = pthread_key_create(&endKey, onThreadEnd) == 0;
  }
  return haveEndKey &&
         pthread_setspecific(endKey, reinterpret_cast<void *>(std::uintptr_t{1})) == 0;
}

/// A slot must not outlive its owner's hot_thread: a thread whose end cannot be seen has none. The
/// first thread's lasts as long as the process.
bool mayHaveSlot() {
  if (armThreadEnd() || syscall(SYS_gettid) == getpid())
    return true;
  static bool said = false;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    warn("the program has used up its pthread keys; threads that begin now are not recorded");
  return false;
}

} // namespace

void ThreadSlot::catchUp() {
  // Before the events are looked at: whatever came before those ends of locks is among them.
  const LockEndLog *const all = process().lockEnds;
  const std::uint64_t ended = all ? all->size() : 0;
  if (owner) {
    Event *const next = __atomic_load_n(&owner->next, __ATOMIC_ACQUIRE);
    const auto count = static_cast<std::size_t>(next - consumed);
    const ReplayContext &context = process().context;
    if (context.sliced && !context.countersOnly)
      seen.add(consumed, count, context);
    if (process().hasBothHooks())
      for (const Event *event = consumed; event != next; ++event)
        tables.xrayEvents += (event->what & eventXray) != 0;
    replay.run(consumed, count);
    consumed = next;
  }
  replay.applyLockEndsUpTo(ended);
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

ProcessorTime ThreadSlot::processorTime() const {
  ProcessorTime all = ofEnded;
  if (owner)
    all.add(processorTimeOf(owner->id));
  return all;
}

void ThreadSlot::forget(std::uint64_t stamp) {
  tables.~Tables();
  arena.clear();
  new (&tables) Tables(arena, process().options.limits);
  replay.skipLockEnds();
  replay.discardOpenState(stamp);
  ofEnded = {};
}

bool attachThread(std::uint32_t threadClass) {
  HotThread &thread = hotThread;
  if (thread.slot || thread.dead)
    return thread.slot != nullptr;
  const InsideRecorder inside;
  if (!mayHaveSlot())
    return false;
  std::uint32_t number = 0;
  ThreadSlot *const slot = takeSlot(number);
  if (!slot)
    return false;
  thread.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  thread.next = slot->events;
  thread.slot = slot;
  {
    const SpinGuard noSwitch(process().control);
    const SpinGuard guard(slot->inUse);
    slot->replay.begin(threadClass, number, process().recordedUpTo());
    slot->consumed = slot->events;
    thread.open = 0;
    slot->owner = &thread;
    slot->beginStretch();
    // A thread that turns the switch meanwhile sees the slot, or this thread sees the switch.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const bool on = recordingState() == RecordingState::on;
    thread.softLimit = on ? softLimitOf(*slot) : nullptr;
  }
  noteThreadBegin(threadClass);
  return true;
}

bool attachUnseenThread() {
  const std::uint32_t known = hotThread.ownThreadClass;
  const bool isMain = syscall(SYS_gettid) == getpid();
  return attachThread(known != 0 ? known - 1 : isMain ? mainThreadClass : unknownThreadClass);
}

void detachThread() {
  HotThread &thread = hotThread;
  ThreadSlot *const slot = thread.slot;
  if (!slot)
    return;
  const InsideRecorder inside;
  __qdadvise_trace = nullptr;
  if (thread.id == static_cast<std::uint32_t>(getpid()))
    __atomic_store_n(&mainThreadEnded, true, __ATOMIC_RELAXED);
  std::uint32_t threadClass = 0;
  {
    const SpinGuard noSwitch(process().control);
    const SpinGuard guard(slot->inUse);
    slot->catchUp();
    slot->replay.end(process().recordedUpTo());
    slot->replay.addOpen(slot->tables, process().recordedUpTo());
    threadClass = slot->replay.threadClass();
    slot->ofEnded = slot->processorTime();
    slot->owner = nullptr;
  }
  noteThreadEnd(threadClass);
  if (thread.reading != 0)
    slot->readings.bringUpToDate(thread, *process().readers);
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
  const SpinGuard noSwitch(process().control);
  const SpinGuard guard(slot->inUse);
  if (slot->replay.threadClass() == threadClass)
    return;
  slot->catchUp();
  noteClassChange(slot->replay.threadClass(), threadClass);
  slot->replay.changeClass(threadClass, process().recordedUpTo());
}

ThreadSlot *firstSlot() { return __atomic_load_n(&allSlots, __ATOMIC_ACQUIRE); }

void catchUpAll() {
  const SpinGuard guard(process().control);
  forEachSlot([](ThreadSlot &slot) { slot.catchUp(); });
}

void forgetOtherThreads(std::uint64_t stamp) {
  mainThreadEnded = false;
  slotsLock = SpinLock();
  freeSlots = nullptr;
  forgetDropped();
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
