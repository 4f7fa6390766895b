// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See fork.h.
#include "runtime/fork.h"

#include "runtime/clock.h"
#include "runtime/memory_tracing.h"
#include "runtime/process.h"
#include "runtime/sites.h"
#include "runtime/switches.h"
#include "runtime/thread_classes.h"
#include "runtime/thread_slots.h"

#include <cstring>
#include <pthread.h>

namespace qdadvise::runtime {

namespace {

void beforeFork() {
  Process &self = process();
  hotThread.busy = inRecorder;
  self.control.lock();
  lockThreadClasses();
  Sites::instance().lock.lock();
  if (self.retirements)
    self.retirements->lock.lock();
  if (self.readers)
    self.readers->lock.lock();
  lockMemory();
}

void unlockAll(Process &self) {
  unlockMemory();
  if (self.readers)
    self.readers->lock.unlock();
  if (self.retirements)
    self.retirements->lock.unlock();
  Sites::instance().lock.unlock();
  unlockThreadClasses();
  self.control.unlock();
}

void afterForkInParent() {
  unlockAll(process());
  hotThread.busy = idle;
}

void afterForkInChild() {
  Process &self = process();
  unlockAll(self);
  const std::uint64_t stamp = readStamp();
  const ThreadSlot *const slot = hotThread.slot;
  forgetThreads(slot ? slot->replay.threadClass() : mainThreadClass, slot != nullptr);
  forgetOtherThreads(stamp);
  recordAnew(self, stamp);
  char *const pattern = self.options.profile;
  if (!std::strstr(pattern, "%p") && std::strlen(pattern) + 3 < sizeof self.options.profile)
    std::strcat(pattern, ".%p");
  self.findPath();
  hotThread.busy = idle;
}

} // namespace

void prepareForks() { pthread_atfork(beforeFork, afterForkInParent, afterForkInChild); }

} // namespace qdadvise::runtime
