// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See unseen_locks.h.
#include "runtime/unseen/unseen_locks.h"

#include "runtime/base/text.h"
#include "runtime/events/hot_thread.h"
#include "runtime/events/recording_mode.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_slots.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

// Weak: a static program may not have it.
extern "C" {
#pragma weak dlsym
}

namespace qdadvise::runtime {

namespace {

UnseenLocks *preloaded = nullptr;

/// The hook of an attempt comes before the lock is taken, that of the acquisition after. In a slice
/// that ends (RecordingState::finishing) not every thread tells of its attempts.
bool isUnseen() {
  const HotThread &thread = hotThread;
  if (recordingState() != RecordingState::on || thread.busy != idle || thread.dead)
    return false;
  return !thread.slot ||
         isOutsideOperations(thread.slot->events, thread.next, process().context.sites);
}

} // namespace

void connectUnseenLocks() {
  // Only then: a symbol that is not found costs memory of the program's allocator.
  const char *const libraries = std::getenv("LD_PRELOAD");
  if (!libraries || !std::strstr(libraries, QDADVISE_UNSEEN_LIBRARY) || !dlsym)
    return;
  auto *const found = static_cast<UnseenLocks *>(dlsym(RTLD_DEFAULT, QDADVISE_UNSEEN_LOCKS));
  if (!found || found->version != unseenLocksVersion)
    return;
  preloaded = found;
  __atomic_store_n(&found->isUnseen, isUnseen, __ATOMIC_RELEASE);
}

void disconnectUnseenLocks() {
  if (preloaded)
    __atomic_store_n(&preloaded->isUnseen, nullptr, __ATOMIC_RELEASE);
}

const CountedModules *unseenLocks() { return preloaded ? preloaded->modules : nullptr; }

void thinUnseenLocks(unsigned shift) {
  if (preloaded)
    preloaded->modules->thin(shift);
}

void forgetUnseenLocks() {
  if (preloaded)
    preloaded->modules->forget();
}

} // namespace qdadvise::runtime
