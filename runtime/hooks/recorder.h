// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hot path: a hook stamps an event into its thread's buffer, nothing else.
// Full buffers are replayed into the thread's own tables where it holds no lock
// (thread_slots.h).
#pragma once

#include "runtime/events/clock.h"
#include "runtime/events/dropped_events.h"
#include "runtime/events/event.h"
#include "runtime/events/hot_thread.h"
#include "runtime/events/recording_mode.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Call it in a function's first block: so it is the same distance from the caller's
/// frame in every call. Without a frame pointer to set up where that can be.
inline __attribute__((always_inline)) std::uint32_t stackPointer() {
#if defined(__x86_64__)
  std::uint32_t low;
  __asm__ volatile("movl %%esp, %0" : "=r"(low));
  return low;
#else
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
#endif
}

/// Another thread may set `open` to zero meanwhile: a change may get lost, and it is right again
/// soon.
inline __attribute__((always_inline)) void addToOpen(HotThread &thread, std::uint32_t change) {
  if (change != 0)
    __atomic_store_n(&thread.open, thread.open + change, __ATOMIC_RELAXED);
}

/// Stores an event where nothing stands in the way; else false, and nothing was done.
/// `what` is packEvent's for the instant; `stack` tells frames apart. `limit()` is where the buffer
/// ends.
template <typename Limit>
inline __attribute__((always_inline)) bool
storeEventBefore(Limit limit, HotThread &thread, std::uint32_t what, Instant instant,
                 std::uint64_t address, std::uint32_t stack, bool stamped) {
  if (__builtin_expect(thread.busy != idle, 0))
    return false;
  thread.busy = inHook;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  Event *const event = thread.next;
  const bool hasRoom = event < limit();
  if (__builtin_expect(hasRoom, 1)) {
    event->address = address;
    event->what = what;
    event->stack = stack;
    if (stamped) {
      addToOpen(thread, opens(instant));
      storeEventStamp(event->stamp);
    }
    // The writer may replay this buffer from another thread: the event first.
    __atomic_store_n(&thread.next, event + 1, __ATOMIC_RELEASE);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  thread.busy = idle;
  return hasRoom;
}

/// The same up to where the buffer is replayed as soon as nothing is held.
inline __attribute__((always_inline)) bool storeEvent(HotThread &thread, std::uint32_t what,
                                                      Instant instant, std::uint64_t address,
                                                      std::uint32_t stack, bool stamped) {
  return storeEventBefore([&] { return __atomic_load_n(&thread.softLimit, __ATOMIC_RELAXED); },
                          thread, what, instant, address, stack, stamped);
}

/// What a hook does while RecordingState::counting.
inline void countAttempt(HotThread &thread, Instant instant, SiteRole role) {
  if (takesLock(instant, role))
    __atomic_store_n(&thread.attempts, thread.attempts + 1, __ATOMIC_RELAXED);
}

/// Stores an event that storeEvent refused, after making room for it; or counts it as
/// dropped; or, with recording off, does nothing.
void recordSlowly(std::uint32_t what, std::uint64_t address, std::uint32_t stack);
/// recordSlowly where a thread becomes or ceases to be one of a lock's readers, and for any event.
void recordReader(std::uint32_t what, std::uint64_t address, std::uint32_t stack);
/// The lock at this address begins or ends: what follows there is another one.
void noteLockEnd(const void *lock);

/// What to do when a thread's buffer has just been emptied; null: nothing. Set by control/.
/// `nothingOpen`: the thread holds no lock and waits for none.
extern constinit void (*afterBufferEmptied)(bool nothingOpen);

} // namespace qdadvise::runtime
