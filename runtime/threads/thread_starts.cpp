// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/thread_starts.h"

#include "runtime/base/arena.h"
#include "runtime/base/spin.h"
#include "runtime/events/hot_thread.h"

#include <new>

namespace qdadvise::runtime {

namespace {

SpinLock startsLock;
ThreadStart *freeStarts = nullptr;
Arena *memory = nullptr;
alignas(Arena) char memoryStorage[sizeof(Arena)];

} // namespace

ThreadStart *takeStart() {
  const InsideRecorder inside;
  const SpinGuard guard(startsLock);
  if (!memory)
    memory = new (memoryStorage) Arena();
  if (ThreadStart *const start = freeStarts) {
    freeStarts = start->nextFree;
    return start;
  }
  return memory->allocateArray<ThreadStart>(1);
}

void giveBackStart(ThreadStart *start) {
  const InsideRecorder inside;
  const SpinGuard guard(startsLock);
  start->nextFree = freeStarts;
  freeStarts = start;
}

void lockStarts() { startsLock.lock(); }
void unlockStarts() { startsLock.unlock(); }

} // namespace qdadvise::runtime
