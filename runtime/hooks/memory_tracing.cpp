// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory_tracing.h.
#include "runtime/hooks/memory_tracing.h"

#include "runtime/base/text.h"
#include "runtime/hooks/recorder.h"
#include "runtime/memory/memory_sums.h"
#include "runtime/process/process.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_slots.h"

#include <unistd.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

constinit thread_local void *__qdadvise_trace = nullptr;
extern "C" __attribute__((weak)) void *__libc_stack_end;

namespace qdadvise::runtime {

/// One execution under way.
struct ActiveTrace {
  MemoryTrace memory;
  std::uint64_t stackTop; ///< of its thread; addresses from the stack pointer to here are its own
  bool busy;              ///< a signal handler's accesses do not count
};

/// What is traced of one slot's threads, one after the other.
struct ThreadTraces {
  static constexpr unsigned most = 8; ///< locks held at once; those further in are not traced
  std::uint64_t acquisitions[most];   ///< serials; 0: free
  ActiveTrace traces[most];
  /// Acquisition that was thought of: an execution is traced from its beginning or not at all.
  std::uint64_t newest;
  EndedSections ended;
  std::uint64_t rowStamp; ///< when the last row of events began
  std::uint32_t rowEvents;
  bool dense; ///< its events were close together
};

namespace {

MemoryKnowledge knowledge;
SpinLock knowledgeLock;

/// What lies between the stack pointer and this is the thread's stack: the thread's own block is at
/// the upper end of those that the C library makes.
std::uint64_t stackTop() {
  constexpr std::uint64_t largest = std::uint64_t{1} << 30;
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool isMain = &__libc_stack_end && hotThread.id == static_cast<std::uint32_t>(getpid());
  const auto top =
      reinterpret_cast<std::uintptr_t>(isMain ? __libc_stack_end : __builtin_thread_pointer());
  return top > stack && top - stack < largest ? top : stack;
}

constexpr double memorySliceNs = 1e7;

/// The first 0.1 s whole, later one slice of 10 ms in so many.
bool isSlice() {
  const Process &self = process();
  const double ns =
      static_cast<double>(readStamp() - self.context.startStamp) * self.context.nsPerTick;
  return ns < 10 * memorySliceNs ||
         static_cast<std::uint64_t>(ns / memorySliceNs) % self.options.memorySlices == 0;
}

ThreadTraces *tracesOf(ThreadSlot &slot) {
  if (!slot.traces)
    slot.traces = reinterpret_cast<ThreadTraces *>(mapPages(sizeof(ThreadTraces)));
  slot.replay.noteEnded(slot.traces ? &slot.traces->ended : nullptr);
  return slot.traces;
}

ActiveTrace *find(ThreadTraces &traces, std::uint64_t acquisition) {
  for (unsigned i = 0; i < ThreadTraces::most; ++i)
    if (traces.acquisitions[i] == acquisition)
      return &traces.traces[i];
  return nullptr;
}

/// Whether a section has been traced so seldom that a slice may miss it for long.
bool isRare(const ThreadSlot &slot, std::uint32_t section) {
  constexpr std::uint64_t enough = 128;
  if (section == format::none)
    return false;
  const MemorySums *const sums = slot.tables.sections[section].memory;
  return !sums || sums->entry.executions < enough;
}

bool isTraced(const ThreadSlot &slot, std::uint32_t section) {
  const std::uint32_t site = slot.tables.sections[section].key.site;
  return site != format::none && (process().context.sites[site].flags & siteTraced) != 0;
}

/// A hash of the site's place in the source (FNV-1a), so that it is the same in other runs. Not 0.
std::uint32_t siteNumber(const SiteRecord &site) {
  std::uint32_t hash = 2166136261u;
  const auto add = [&](std::uint32_t value) { hash = (hash ^ value) * 16777619u; };
  for (const char *at = site.file; *at; ++at)
    add(static_cast<unsigned char>(*at));
  add(site.line);
  add(site.column);
  return hash | 1;
}

void addEnded(ThreadSlot &slot, const EndedSections::Entry &ended, const MemoryTrace &trace) {
  if (ended.section == format::none || ended.lock == 0 || !isTraced(slot, ended.section))
    return;
  MemorySums *const sums = slot.tables.memoryOf(slot.tables.sections[ended.section]);
  if (!sums)
    return countDropped();
  if (sums->entry.site == 0)
    sums->entry.site =
        siteNumber(Sites::instance().record(slot.tables.sections[ended.section].key.site));
  const SpinGuard guard(knowledgeLock);
  addExecution(trace, ended.lock, slot.replay.number(), knowledge, *sums);
}

/// The trace of the section at hand; null where there is none.
ActiveTrace *traceAtHand(const ThreadSlot &slot, ThreadTraces &traces) {
  const std::uint64_t acquisition = slot.replay.acquisitionAtHand();
  if (acquisition == 0)
    return nullptr;
  if (ActiveTrace *const known = find(traces, acquisition))
    return known;
  if (acquisition <= traces.newest)
    return nullptr;
  traces.newest = acquisition;
  const std::uint32_t section = slot.replay.sectionAtHand();
  if ((section != format::none && !isTraced(slot, section)) ||
      (!isSlice() && !isRare(slot, section)))
    return nullptr;
  ActiveTrace *const trace = find(traces, 0);
  if (!trace)
    return nullptr;
  trace->memory.clear();
  trace->busy = false; // a signal handler that jumped out of an access has left it so
  traces.acquisitions[trace - traces.traces] = acquisition;
  trace->stackTop = stackTop();
  return trace;
}

/// A thread with few events gains nothing by gathering them, and would miss slices.
void noteRow(ThreadTraces &traces) {
  if (++traces.rowEvents < softLimitEvents)
    return;
  const std::uint64_t stamp = readStamp();
  const double ns = static_cast<double>(stamp - traces.rowStamp) * process().context.nsPerTick;
  traces.dense = traces.rowStamp != 0 && ns < memorySliceNs / 2;
  traces.rowStamp = stamp;
  traces.rowEvents = 0;
}

/// Unless somebody has switched recording off.
void useSoftLimit(HotThread &thread, Event *before, Event *after) {
  __atomic_compare_exchange_n(&thread.softLimit, &before, after, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

bool hasEvents(const ThreadSlot &slot) {
  return slot.tables.events != 0 || (slot.owner && slot.owner->next != slot.events);
}

} // namespace

void beginTracing() {
  Process &self = process();
  if (tracesMemory() || !self.options.memory)
    return;
  for (const ThreadSlot *slot = firstSlot(); slot; slot = slot->nextSlot)
    if (hasEvents(*slot))
      return warn("code compiled for a diagnosis run was loaded into a run that takes times; its "
                  "memory accesses are not traced: compile the program for it, too");
  recordingKind = RecordingKind::memory;
  self.context.countersOnly = true;
  self.context.sliced = false;
  self.context.sliceEnd = noSliceEnd;
  if (isRecording())
    letThreadsRecord(true);
}

void traceAfterEvent(HotThread &thread) {
  ThreadSlot &slot = *thread.slot;
  if (__atomic_load_n(&thread.softLimit, __ATOMIC_RELAXED) != slot.events)
    return; // not in this slice
  __qdadvise_trace = nullptr;
  const InsideRecorder inside;
  const SpinGuard guard(slot.inUse);
  ThreadTraces *const traces = tracesOf(slot);
  slot.catchUp();
  if (!traces)
    return countDropped();
  for (unsigned i = 0; i < traces->ended.count; ++i)
    if (const ActiveTrace *const trace = find(*traces, traces->ended.entries[i].serial))
      addEnded(slot, traces->ended.entries[i], trace->memory);
  traces->ended.count = 0;
  for (std::uint64_t &acquisition : traces->acquisitions)
    if (acquisition != 0 && !slot.replay.holds(acquisition))
      acquisition = 0;
  __qdadvise_trace = traceAtHand(slot, *traces);
  noteRow(*traces);
  if (slot.replay.heldCount() == 0 && traces->dense && !isSlice())
    useSoftLimit(thread, slot.events, slot.events + softLimitEvents);
}

void lookAgain(HotThread &thread) {
  useSoftLimit(thread, thread.slot->events + softLimitEvents, thread.slot->events);
}

void forgetMemory() {
  const SpinGuard guard(knowledgeLock);
  knowledge.lines.forget();
  knowledge.executions.forget();
}

void lockMemory() { knowledgeLock.lock(); }
void unlockMemory() { knowledgeLock.unlock(); }

} // namespace qdadvise::runtime

// The entries for traced code: whoever calls them has found __qdadvise_trace set; a signal handler
// may have come in between.

extern "C" __attribute__((visibility("default"))) QDADVISE_COLD_CALL void
__qdadvise_trace_block(std::uint32_t instructions, std::uint32_t stackAccesses) {
  if (!isRecording()) {
    __qdadvise_trace = nullptr;
    return;
  }
  auto *const trace = static_cast<ActiveTrace *>(__qdadvise_trace);
  if (!trace)
    return;
  trace->memory.counts.instructions += instructions;
  trace->memory.counts.stackAccesses += stackAccesses;
}

extern "C" __attribute__((visibility("default"))) QDADVISE_COLD_CALL void
__qdadvise_trace_access(const void *address, std::uint64_t bytes, std::uint32_t what) {
  auto *const trace = static_cast<ActiveTrace *>(__qdadvise_trace);
  if (!trace || trace->busy)
    return;
  const auto from = reinterpret_cast<std::uintptr_t>(address);
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (from >= stack && from < trace->stackTop) {
    ++trace->memory.counts.stackAccesses;
    return;
  }
  trace->busy = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  trace->memory.add(from, bytes, what);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  trace->busy = false;
}
