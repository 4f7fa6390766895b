// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slot is one thread's buffer and tables. It outlives the thread: the next one
// goes on with it, so that memory depends on the threads alive at once.
#pragma once

#include "runtime/base/spin.h"
#include "runtime/events/hot_thread.h"
#include "runtime/events/recording_mode.h"
#include "runtime/replay/hook_cost.h"
#include "runtime/replay/replay.h"
#include "runtime/tables/readers.h"
#include "runtime/threads/processor_time.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

class PathMemory;
struct ThreadTraces;

inline constexpr std::size_t bufferEvents = 2048;
/// So many events or more are replayed as soon as nothing is held: few enough to stay in the
/// nearest cache with what the program has there, enough to share the cost of coming in.
inline constexpr std::size_t softLimitEvents = 512;

/// The locks that a thread holds as one of several readers.
struct Readings {
  static constexpr std::uint32_t most = 8; ///< of more nobody knows the readers
  ReaderTable::Entry entries[most];
  std::uint32_t epoch; ///< of the table
  ReaderTable *table;  ///< null before the first

  /// The thread forgets its readings from before the table was emptied.
  void bringUpToDate(HotThread &thread, ReaderTable &readers) {
    if (epoch != readers.epoch())
      thread.reading = 0;
    epoch = readers.epoch();
    table = &readers;
  }
  bool isUpToDate() const { return table && epoch == table->epoch(); }
  /// The reading of a lock among the first `count`; `count` if there is none.
  std::uint32_t find(std::uint64_t address, std::uint32_t count) const {
    std::uint32_t at = 0;
    while (at < count && entries[at].address != address)
      ++at;
    return at;
  }
};

struct ThreadSlot {
  ThreadSlot *nextSlot = nullptr; ///< all slots, never removed
  ThreadSlot *nextFree = nullptr;
  HotThread *owner = nullptr;     ///< null while free
  Event *events = nullptr;        ///< bufferEvents of them
  Event *consumed = nullptr;      ///< events before this one are in the tables
  std::uint32_t emptied = 0;      ///< how often the buffer was
  std::uint64_t emptiedStamp = 0; ///< when that was looked at (isLoadHigh)
  Readings readings{};            ///< as many as the owner says
  PathMemory *paths = nullptr;    ///< of the owner; null before it met a site with paths
  ThreadTraces *traces = nullptr; ///< while memory is traced
  Stretch seen;                   ///< since beginStretch
  Stretch stretch;                ///< from there to endStretch
  std::uint64_t cpuNsThen = 0;    ///< of the owner, at the beginning: processor time
  std::uint64_t attemptsThen = 0; ///< its attempts that were only counted
  ProcessorTime ofEnded{};        ///< of owners that have ended
  SpinLock inUse;                 ///< guards the tables and all that comes before
  Arena arena;
  Tables tables;
  Replay replay;

  ThreadSlot(const Limits &limits, const ReplayContext &context)
      : tables(arena, limits), replay(tables, context) {}

  /// Puts the events stored so far into the tables. `inUse` must be held.
  void catchUp();
  /// What the owner does from one to the other is measured. `inUse` must be held for both.
  void beginStretch();
  void endStretch();
  /// Of all owners, past and present. `inUse` must be held.
  ProcessorTime processorTime() const;
  /// Empties the tables. `inUse` must be held.
  void forget(std::uint64_t stamp);
};

/// Gives the calling thread a slot, of the given thread class. False when out of memory.
bool attachThread(std::uint32_t threadClass);
/// The same for a thread that was not attached when it began: of the class that it had then, if
/// anybody saw it begin; else the main one, or one of another making.
bool attachUnseenThread();
/// The calling thread ends: what it recorded stays, its slot is free.
void detachThread();
/// Opens or closes the hot path of all threads, after RecordingState::on was set, or left.
void letThreadsRecord(bool on);
/// The softLimit of a slot's owner while recording. While memory is traced every event is slow.
inline Event *softLimitOf(const ThreadSlot &slot) {
  return slot.events + (tracesMemory() ? 0 : softLimitEvents);
}
/// After RecordingState::finishing was set.
void letThreadsFinish();
/// Whether all threads have finished; those that sleep are seen to.
bool haveThreadsFinished();
/// Moves the calling thread to another class.
void changeThreadClass(std::uint32_t threadClass);

/// The first of all slots, linked by nextSlot; safe to walk at any time.
ThreadSlot *firstSlot();
/// Calls `visit` for every slot while nobody else uses it.
template <typename Visit> void forEachSlot(Visit visit) {
  for (ThreadSlot *slot = firstSlot(); slot; slot = slot->nextSlot) {
    const SpinGuard guard(slot->inUse);
    visit(*slot);
  }
}
/// Puts what all threads have stored so far into their tables.
void catchUpAll();
/// The process's first thread has ended, and others go on.
extern constinit bool mainThreadEnded;
/// Lets only the calling thread go on, from zero, in the child of a fork.
void forgetOtherThreads(std::uint64_t stamp);

} // namespace qdadvise::runtime
