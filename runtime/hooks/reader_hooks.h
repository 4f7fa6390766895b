// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks of readers where nothing stands in the way, for hooks to inline: they call nothing, so
// that a sled's code saves few registers. What is left to do is recordReader's.
#pragma once

#include "runtime/hooks/recorder.h"
#include "runtime/threads/thread_slots.h"

namespace qdadvise::runtime {

/// An event as recordReader stores it, into a buffer that has room.
struct ReaderEvent {
  std::uint32_t what;
  std::uint64_t address;
  std::uint32_t stack;

  void storeAt(Event *event, std::uint64_t stamp) const {
    event->stamp = stamp;
    event->address = address;
    event->what = what;
    event->stack = stack;
  }
};

/// Makes the thread one of a lock's readers; false, and nothing was done, where that takes longer.
inline __attribute__((always_inline)) bool
storeEntry(HotThread &thread, Readings &readings, const ReaderEvent &entry, const Event *limit) {
  Event *const event = thread.next;
  if (event >= limit)
    return false;
  std::uint64_t stamp;
  if (readings.find(entry.address, thread.reading) == thread.reading) {
    if (thread.reading == Readings::most)
      return false;
    const ReaderTable::Entry entered = readings.table->enterAtOnce(entry.address);
    if (entered.readers == 0)
      return false;
    stamp = readStamp();
    if (entered.readers == 1)
      readings.table->begin(entered, stamp);
    readings.entries[thread.reading++] = entered;
  } else {
    stamp = readStamp();
  }
  static_assert(opens(Instant::acquire) == 0 && opens(Instant::wake) == 0);
  entry.storeAt(event, stamp);
  __atomic_store_n(&thread.next, event + 1, __ATOMIC_RELEASE);
  return true;
}

/// The thread gives back a lock that it may read; false, and nothing was done, where that takes
/// longer.
inline __attribute__((always_inline)) bool storeExit(HotThread &thread, Readings &readings,
                                                     const ReaderEvent &exit, const Event *limit) {
  Event *event = thread.next;
  if (event + 1 >= limit)
    return false;
  exit.storeAt(event++, readStamp());
  addToOpen(thread, opens(static_cast<Instant>(exit.what & eventInstantMask)));
  const std::uint32_t at = readings.find(exit.address, thread.reading);
  if (at != thread.reading) {
    const ReaderTable::Entry entry = readings.entries[at];
    readings.entries[at] = readings.entries[--thread.reading];
    std::uint64_t since = 0;
    const bool last = readings.table->leave(entry, since);
    if (last || entry.readers != 1) // else somebody else will tell
      ReaderEvent{packEvent(exit.what >> eventSiteShift, readersInstant, last ? eventLast : 0),
                  exit.address, entry.readers}
          .storeAt(event++, since);
  }
  __atomic_store_n(&thread.next, event, __ATOMIC_RELEASE);
  return true;
}

/// Whether a site's event makes the thread one of a lock's readers.
inline bool entersAsReader(const SiteRecord &site, Instant instant) {
  return (site.flags & siteShared) != 0 &&
         (instant == Instant::acquire || instant == Instant::wake);
}
/// Whether an event may end that.
inline bool leavesAsReader(const HotThread &thread, Instant instant) {
  return thread.reading != 0 && (instant == Instant::release || instant == Instant::wait);
}
/// Whether an event is recordReader's.
inline __attribute__((always_inline)) bool isReaders(const HotThread &thread,
                                                     const SiteRecord &site, Instant instant) {
  return (entersAsReader(site, instant) || leavesAsReader(thread, instant)) &&
         isStamped(site.role) && !tracesMemory();
}

/// Where the calling thread's events are replayed as soon as it holds nothing.
inline const Event *softLimit() { return __atomic_load_n(&hotThread.softLimit, __ATOMIC_RELAXED); }

/// Does what recordReader does with such an event where that can be done at once; else false, and
/// nothing was done. It is stored before `limit`.
inline __attribute__((always_inline)) bool
storeReader(const SiteRecord &site, const ReaderEvent &reader, const Event *limit) {
  HotThread &thread = hotThread;
  if (thread.busy != idle || !thread.slot)
    return false;
  Readings &readings = thread.slot->readings;
  thread.busy = inHook;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool enters = entersAsReader(site, static_cast<Instant>(reader.what & eventInstantMask));
  const bool stored =
      readings.isUpToDate() && (enters ? storeEntry(thread, readings, reader, limit)
                                       : storeExit(thread, readings, reader, limit));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
  return stored;
}

} // namespace qdadvise::runtime
