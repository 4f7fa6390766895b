// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands before libc's pthread_create to learn which routine a thread runs. Not in
// the static library: there libc's own definition is in the same program.
#include "runtime/events/recording_mode.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/threads/thread_starts.h"

#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

using namespace qdadvise::runtime;

namespace {

using CreateThread = int (*)(pthread_t *, const pthread_attr_t *, StartRoutine, void *);

void *beginThread(void *told) {
  auto *const start = static_cast<ThreadStart *>(told);
  const auto [routine, argument, known, next] = *start;
  giveBackStart(start);
  const std::uint32_t threadClass =
      known != 0 ? known - 1
                 : threadClassOfRoutine(reinterpret_cast<const void *>(routine), argument);
  if (isRecordingWanted())
    attachThread(threadClass);
  else
    hotThread.ownThreadClass = threadClass + 1;
  return routine(argument);
}

/// Found early where it can be: dlsym waits for a library that is being loaded.
__attribute__((constructor)) CreateThread libcCreateThread() {
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
  // In the midst of a fork our own locks are taken: ThreadSanitizer starts a thread of its own
  // there.
  if (hotThread.busy == inRecorder)
    return create(thread, attributes, routine, argument);
  const std::uint32_t known = hotThread.nextThreadClass;
  hotThread.nextThreadClass = 0;
  ThreadStart *const start = takeStart();
  if (!start)
    return create(thread, attributes, routine, argument);
  *start = {routine, argument, known, nullptr};
  const int result = create(thread, attributes, beginThread, start);
  if (result != 0)
    giveBackStart(start);
  return result;
}
