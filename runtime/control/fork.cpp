// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See fork.h.
#include "runtime/control/fork.h"

#include "runtime/base/text.h"
#include "runtime/control/requests.h"
#include "runtime/control/switches.h"
#include "runtime/events/clock.h"
#include "runtime/hooks/hooks_xray.h"
#include "runtime/hooks/memory_tracing.h"
#include "runtime/process/process.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/threads/thread_starts.h"

#include <pthread.h>

namespace qdadvise::runtime {

namespace {

/// What the forking thread was at: fork may have been called by a signal handler.
std::uint32_t busyBefore = idle;

void beforeFork() {
  Process &self = process();
  const std::uint32_t busy = hotThread.busy;
  hotThread.busy = inRecorder;
  self.control.lock();
  busyBefore = busy;
  lockHookEntries();
  lockStarts();
  lockThreadClasses();
  Sites::instance().lock.lock();
  if (self.lockEnds)
    self.lockEnds->lock.lock();
  if (self.readers)
    self.readers->lock.lock();
  lockMemory();
}

/// Returns what the thread is at again, once the lock is given up.
std::uint32_t unlockAll(Process &self) {
  const std::uint32_t busy = busyBefore;
  unlockMemory();
  if (self.readers)
    self.readers->lock.unlock();
  if (self.lockEnds)
    self.lockEnds->lock.unlock();
  Sites::instance().lock.unlock();
  unlockThreadClasses();
  unlockStarts();
  unlockHookEntries();
  self.control.unlock();
  return busy;
}

/// Does what the end of an InsideRecorder does.
void goOn(std::uint32_t busy) {
  hotThread.busy = busy;
  if (busy != inRecorder && afterRecorder)
    afterRecorder();
}

void afterForkInParent() { goOn(unlockAll(process())); }

void afterForkInChild() {
  Process &self = process();
  const std::uint32_t busy = unlockAll(self);
  self.pid = getpid();
  self.isChild = true;
  const std::uint64_t stamp = readStamp();
  const ThreadSlot *const slot = hotThread.slot;
  forgetThreads(slot ? slot->replay.threadClass() : mainThreadClass, slot != nullptr);
  forgetOtherThreads(stamp);
  recordAnew(self, stamp);
  if (!self.options.tellProcessesApart())
    warn("the profile's path is too long to tell a child's apart from its parent's");
  self.findPath();
  forgetRequests(); // they were the parent's
  goOn(busy);
}

} // namespace

void prepareForks() {
  if (pthread_atfork(beforeFork, afterForkInParent, afterForkInChild) != 0)
    warn("out of memory: what children of a fork do is not told apart from their parent's");
}

} // namespace qdadvise::runtime
