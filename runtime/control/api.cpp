// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of <qdadvise/profile.h>.
#include "runtime/control/switches.h"
#include "runtime/output/write_profile.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"

using namespace qdadvise::runtime;

#define QDADVISE_API extern "C" __attribute__((visibility("default")))

QDADVISE_API void __qdadvise_start() { startRecording(); }
QDADVISE_API void __qdadvise_stop() { stopRecording(); }
QDADVISE_API void __qdadvise_reset() { resetRecording(); }
QDADVISE_API int __qdadvise_write() { return writeProfile() ? 0 : -1; }
QDADVISE_API void __qdadvise_name_lock(const void *lock, const char *name) { nameLock(lock, name); }
QDADVISE_API void __qdadvise_thread_class(const char *name) {
  const std::uint32_t threadClass = threadClassOfName(name);
  if (!attachThread(threadClass))
    return;
  changeThreadClass(threadClass);
}
