// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a hook touches of its thread, and what the thread is at.
#pragma once

#include "runtime/events/event.h"

#include <cstdint>
#include <pthread.h>

namespace qdadvise::runtime {

struct ThreadSlot;

/// What this thread is at, so that a signal handler in it knows what it interrupted.
enum Busy : std::uint32_t {
  idle = 0,
  inHook = 1,     ///< storing an event
  inRecorder = 2, ///< may hold one of the runtime's own locks
};

/// What a hook touches of its thread. Initial-exec: one instruction away.
struct HotThread {
  Event *next;        ///< where the next event goes
  Event *softLimit;   ///< from here on replay, if nothing is held; null: recording is off
  ThreadSlot *slot;   ///< null before the first event
  std::uint32_t busy; ///< Busy
  std::uint32_t id;   ///< the kernel's, as a pthread mutex stores it
  std::uint32_t open; ///< operations begun and locks held, about
  bool dead;          ///< past its last destructor
  /// The class of the next thread that this one starts, plus one; 0: as its start routine says.
  std::uint32_t nextThreadClass;
  std::uint32_t ownThreadClass; ///< of one that began while nothing was recorded, plus one
  std::uint32_t reading;        ///< locks that it holds as one of several readers, about
  std::uint64_t attempts;       ///< while RecordingState::counting
};
extern constinit thread_local HotThread hotThread __attribute__((tls_model("initial-exec")));

/// What to do when the outermost InsideRecorder ends; null: nothing.
extern constinit void (*afterRecorder)();

/// Marks this thread as being inside the recorder. What a signal asked for in the
/// meantime is done on the way out. Nor is it cancelled there, with a lock of ours in hand.
class InsideRecorder {
public:
  InsideRecorder() : before(hotThread.busy) {
    hotThread.busy = inRecorder;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelState);
  }
  ~InsideRecorder();
  InsideRecorder(const InsideRecorder &) = delete;
  InsideRecorder &operator=(const InsideRecorder &) = delete;

private:
  std::uint32_t before;
  int cancelState = PTHREAD_CANCEL_ENABLE;
};

} // namespace qdadvise::runtime
