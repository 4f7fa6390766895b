// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs before and after main: recording is prepared and begins, and the last profile is
// written.
#include "runtime/control/endings.h"
#include "runtime/control/fork.h"
#include "runtime/control/own_threads.h"
#include "runtime/control/requests.h"
#include "runtime/control/slices.h"
#include "runtime/control/switches.h"
#include "runtime/hooks/call_paths.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hook_measurement.h"
#include "runtime/output/write_profile.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/unseen/unseen_locks.h"

namespace qdadvise::runtime {

/// process/process.cpp refers to this, so that a static library links this file.
void linkLifetime() {}

namespace {

__attribute__((constructor(101))) void beginProcess() {
  if (firstCopy())
    return;
  Process &self = process();
  prepareForks();
  noteUsualSignals();
  if (self.options.threaded)
    self.options.enabled ? letOneThreadRun() : letOneThreadRunLater();
  attachUnseenThread();
  measureCallHooks();
  prepareRequests();
  prepareEndings();
  prepareCallPaths();
  prepareSlices();
  connectUnseenLocks();
  if (self.options.enabled)
    startRecording();
}

/// The last profile.
__attribute__((destructor(101))) void endProcess() {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(self.control);
  if (self.startUnixNs == 0 || self.options.never)
    return; // not switched on
  stopLocked(self);
  disconnectUnseenLocks();
  if (ThreadSlot *const slot = hotThread.slot) {
    const SpinGuard slotGuard(slot->inUse);
    slot->catchUp();
    slot->replay.end(self.recordedUpTo());
  }
  writeLocked(self, emptyAtEnd(self));
  self.ended = true;
}

} // namespace

} // namespace qdadvise::runtime
