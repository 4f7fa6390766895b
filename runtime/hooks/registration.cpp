// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See registration.h.
#include "runtime/hooks/registration.h"

#include "runtime/base/text.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hooks_xray.h"
#include "runtime/hooks/memory_tracing.h"
#include "runtime/hooks/recorder.h"
#include "runtime/process/process.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"

#include <unistd.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace qdadvise::runtime {

namespace {

bool isTraced(const SiteRecord *begin, const SiteRecord *end) {
  for (const SiteRecord *record = begin; record != end; ++record)
    if ((record->flags & siteTraced) != 0)
      return true;
  return false;
}

void noteHookKindsOf(const SiteRecord *begin, const SiteRecord *end) {
  for (const SiteRecord *record = begin; record != end; ++record) {
    bool hasThunk = false;
    for (const void *const thunk : record->thunks)
      hasThunk |= thunk != nullptr;
    if (record->role != SiteRole::threadStart && !hasThunk)
      return noteHookKind(format::runHooksCall);
  }
}

} // namespace

void actAtOnce(const SiteRecord &record, const void *address) {
  if (record.version != siteRecordVersion)
    return;
  if (const RuntimeEntries *const first = firstCopy())
    return first->actAtOnce(record, address);
  if (record.role == SiteRole::lifetime)
    return noteLockEnd(address);
  // A signal handler in the midst of the recorder starts no threads.
  if (hotThread.busy == idle)
    hotThread.nextThreadClass = threadClassOfSpawn(record.function, record.file, record.line) + 1;
}

void sayOtherVersion() {
  if (!firstCopy())
    noteHookKind(format::runLacksCode);
  warn("some code was instrumented by another version of QDAdvise's plugin and is not "
       "recorded; compile it again with the plugin that came with this runtime");
}

std::uint32_t registerLate(SiteRecord &record) {
  // Before the C library is ready (.preinit_array) nobody knows the options.
  if (record.version != siteRecordVersion || !environ)
    return 0;
  if (const RuntimeEntries *const first = firstCopy()) {
    first->registerSites(&record, &record + 1);
    return record.index;
  }
  const InsideRecorder inside;
  process();
  Sites::instance().addOne(record);
  noteHookKind(format::runHooksCall);
  return record.index;
}

} // namespace qdadvise::runtime

extern "C" __attribute__((visibility("default"))) void __qdadvise_register(SiteRecord *begin,
                                                                           SiteRecord *end) {
  if (const RuntimeEntries *const first = firstCopy())
    return first->registerSites(begin, end);
  const InsideRecorder inside;
  process();
  if (Sites::instance().add(begin, end) != 0)
    sayOtherVersion();
  noteHookKindsOf(begin, end);
  if (isTraced(begin, end))
    beginTracing();
  if (begin != end)
    Sites::instance().takeHooks(begin);
  if (connectXray(begin, end) == 0)
    return;
  noteHookKind(format::runHooksXray);
  if (!hotThread.slot)
    attachUnseenThread(); // to measure with, before the switches are ours
  Process &self = process();
  const SpinGuard guard(self.control);
  if (self.context.xrayHookTicks == 0) {
    patchXray(allHooks);
    self.context.xrayHookTicks = measureXrayHook();
    if (!isRecording())
      patchXray(noHooks);
  } else if (isRecording()) {
    patchXray(allHooks);
  }
}

extern "C" __attribute__((visibility("default"))) void __qdadvise_unregister(SiteRecord *begin,
                                                                             SiteRecord *end) {
  if (const RuntimeEntries *const first = firstCopy())
    return first->unregisterSites(begin, end);
  const InsideRecorder inside;
  // What has been recorded of this code is looked up while it is still there.
  catchUpAll();
  forgetSleds(begin, end);
  Sites::instance().forgetCallers();
  Sites::instance().retire(begin, end);
}
