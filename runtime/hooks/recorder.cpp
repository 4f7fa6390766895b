// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See recorder.h.
#include "runtime/hooks/recorder.h"

#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hook_measurement.h"
#include "runtime/hooks/memory_tracing.h"
#include "runtime/process/process.h"
#include "runtime/tables/readers.h"
#include "runtime/threads/thread_slots.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace qdadvise::runtime {

constinit void (*afterBufferEmptied)(bool nothingOpen) = nullptr;

namespace {

/// Then measuring takes less than a hundredth of the time that events take.
constexpr std::uint32_t buffersPerMeasurement = 64;

/// Returns where the next event goes; null when it must be dropped.
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
  if (tracesMemory())
    lookAgain(thread);
  if (++slot.emptied % buffersPerMeasurement == 0 && thread.open == 0 && !tracesMemory())
    followHookCost();
  if (auto *const action = __atomic_load_n(&afterBufferEmptied, __ATOMIC_RELAXED))
    action(thread.open == 0);
  const SpinGuard guard(slot.inUse);
  const std::uint64_t took = readStamp() - from;
  slot.replay.pause(took);
  slot.seen.excludeInterval(took, process().context.nsPerTick);
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
  return __builtin_expect(recordingState() == RecordingState::finishing, 0) &&
         !isUnfinished(thread);
}

void storeAt(HotThread &thread, Event *event, std::uint32_t what, std::uint64_t address,
             std::uint32_t stack, std::uint64_t stamp) {
  if (isStamped(process().context.sites[what >> eventSiteShift].role))
    addToOpen(thread, opens(static_cast<Instant>(what & eventInstantMask)));
  *event = {stamp, address, what, stack};
  __atomic_store_n(&thread.next, event + 1, __ATOMIC_RELEASE);
}

} // namespace

void recordSlowly(std::uint32_t what, std::uint64_t address, std::uint32_t stack) {
  HotThread &thread = hotThread;
  if (!isRecording()) {
    const RuntimeEntries *const first = firstCopy();
    if (__builtin_expect(first != nullptr, 0)) {
      thread.id = thread.id != 0 ? thread.id : static_cast<std::uint32_t>(syscall(SYS_gettid));
      first->record(what, address, stack);
    }
    if (recordingState() == RecordingState::counting)
      countAttempt(thread, static_cast<Instant>(what & eventInstantMask),
                   process().context.sites[what >> eventSiteShift].role);
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
    if (tracesMemory())
      traceAfterEvent(thread);
  } else {
    countDropped();
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
}

namespace {

/// The index of the thread's reading of a lock; `thread.reading` if there is none.
std::uint32_t findReading(HotThread &thread, std::uint64_t address) {
  Readings &readings = thread.slot->readings;
  readings.bringUpToDate(thread, *process().readers);
  return readings.find(address, thread.reading);
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
  const std::uint32_t xray = what & eventXray;
  storeAt(thread, told,
          packEvent(what >> eventSiteShift, readersInstant, xray | (last ? eventLast : 0)), address,
          entry.readers, since);
}

} // namespace

void recordReader(std::uint32_t what, std::uint64_t address, std::uint32_t stack) {
  HotThread &thread = hotThread;
  if (!isRecording() || thread.busy != idle || !process().readers)
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
    if (tracesMemory())
      traceAfterEvent(thread);
  } else {
    countDropped();
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
}

void noteLockEnd(const void *lock) {
  HotThread &thread = hotThread;
  if (!lock || !isRecording())
    return;
  if (thread.busy != idle)
    return countDropped(); // a signal handler's, in the midst of another event
  const InsideRecorder inside;
  if (!process().lockEnds)
    return;
  LockEndLog &all = *process().lockEnds;
  const Tables *const by = thread.slot ? &thread.slot->tables : nullptr;
  while (!all.add(reinterpret_cast<std::uintptr_t>(lock), by)) {
    std::uint64_t slowest = all.size();
    forEachSlot([&](ThreadSlot &slot) {
      slot.catchUp();
      if (slot.replay.lockEndsApplied() < slowest)
        slowest = slot.replay.lockEndsApplied();
    });
    all.passed(slowest);
  }
}

} // namespace qdadvise::runtime
