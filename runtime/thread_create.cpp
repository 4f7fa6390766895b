// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands before libc's pthread_create to learn which routine a thread runs. Not in
// the static library: there libc's own definition is in the same program.
#include "runtime/recorder.h"
#include "runtime/thread_classes.h"
#include "runtime/thread_slots.h"

#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

using namespace qdadvise::runtime;

namespace {

using StartRoutine = void *(*)(void *);
using CreateThread = int (*)(pthread_t *, const pthread_attr_t *, StartRoutine, void *);

/// What a thread is told by the one that starts it; used again when it has begun.
struct Start {
  StartRoutine routine;
  void *argument;
  std::uint32_t classPlusOne; ///< if the one that starts it knew it, else 0
  Start *nextFree;
};

SpinLock startsLock;
Start *freeStarts = nullptr;
Arena *startMemory = nullptr;
alignas(Arena) char startMemoryStorage[sizeof(Arena)];

Start *takeStart() {
  const InsideRecorder inside;
  const SpinGuard guard(startsLock);
  if (!startMemory)
    startMemory = new (startMemoryStorage) Arena();
  if (Start *const start = freeStarts) {
    freeStarts = start->nextFree;
    return start;
  }
  return startMemory->allocateArray<Start>(1);
}

void giveBack(Start *start) {
  const InsideRecorder inside;
  const SpinGuard guard(startsLock);
  start->nextFree = freeStarts;
  freeStarts = start;
}

void *beginThread(void *told) {
  auto *const start = static_cast<Start *>(told);
  const StartRoutine routine = start->routine;
  void *const argument = start->argument;
  const std::uint32_t known = start->classPlusOne;
  giveBack(start);
  if (__atomic_load_n(&recordingWanted, __ATOMIC_RELAXED))
    attachThread(known != 0
                     ? known - 1
                     : threadClassOfRoutine(reinterpret_cast<const void *>(routine), argument));
  return routine(argument);
}

CreateThread libcCreateThread() {
  static CreateThread found = nullptr;
  CreateThread create = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  if (!create) {
    create = reinterpret_cast<CreateThread>(dlsym(RTLD_NEXT, "pthread_create"));
    __atomic_store_n(&found, create, __ATOMIC_RELEASE);
  }
  return create;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, StartRoutine routine,
               void *argument) noexcept {
  const CreateThread create = libcCreateThread();
  if (!create)
    return EAGAIN;
  const std::uint32_t known = hotThread.nextThreadClass;
  hotThread.nextThreadClass = 0;
  Start *const start = takeStart();
  if (!start)
    return create(thread, attributes, routine, argument);
  *start = {routine, argument, known, nullptr};
  const int result = create(thread, attributes, beginThread, start);
  if (result != 0)
    giveBack(start);
  return result;
}
