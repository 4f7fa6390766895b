// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How instrumented objects make themselves known, and what a hook costs.
#include "runtime/hooks.h"
#include "runtime/only_one.h"
#include "runtime/process.h"
#include "runtime/sites.h"
#include "runtime/text.h"
#include "runtime/thread_classes.h"
#include "runtime/thread_slots.h"

#include <csignal>
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

void noteDoorsOf(const SiteRecord *begin, const SiteRecord *end) {
  for (const SiteRecord *record = begin; record != end; ++record) {
    bool hasThunk = false;
    for (const void *const thunk : record->thunks)
      hasThunk |= thunk != nullptr;
    if (record->role != SiteRole::threadStart && !hasThunk)
      return noteDoor(format::runHooksCall);
  }
}

} // namespace

void actAtOnce(const SiteRecord &record, const void *address) {
  if (record.version != siteRecordVersion)
    return;
  if (const Doors *const first = firstCopy())
    return first->actAtOnce(record, address);
  if (record.role == SiteRole::lifetime)
    return retireLock(address);
  // In the midst of the recorder a signal handler starts no threads.
  if (hotThread.busy == idle)
    hotThread.nextThreadClass = threadClassOfSpawn(record.function, record.file, record.line) + 1;
}

std::uint32_t registerLate(SiteRecord &record) {
  // Before the C library is ready (.preinit_array) nobody knows the options.
  if (record.version != siteRecordVersion || !environ)
    return 0;
  if (const Doors *const first = firstCopy()) {
    first->registerSites(&record, &record + 1);
    return record.index;
  }
  const InsideRecorder inside;
  process();
  Sites::instance().addOne(record);
  noteDoor(format::runHooksCall);
  return record.index;
}

namespace {

constexpr unsigned hooksPerRound = 66;

/// Two atomic instructions for three hooks, as around a lock: they wait for the hooks' stores.
/// Returns the ticks of a round.
template <typename Work> std::uint64_t ticksAroundLocks(Work work) {
  std::uint32_t word = 0;
  const std::uint64_t from = readStamp();
  for (unsigned i = 0; i < hooksPerRound; ++i) {
    work();
    if (i % 3 != 2)
      __atomic_exchange_n(&word, i, __ATOMIC_SEQ_CST);
  }
  return readStamp() - from;
}

/// Ticks of one of many in a row: the median of several rounds, of which those count as none that
/// `isGood` does not find so.
template <typename Work, typename IsGood> double medianCost(Work work, IsGood isGood) {
  constexpr unsigned rounds = 9;
  double costs[rounds];
  for (double &cost : costs) {
    const std::uint64_t without = ticksAroundLocks([] {});
    const std::uint64_t with = ticksAroundLocks(work);
    cost = isGood() && with > without ? static_cast<double>(with - without) / hooksPerRound : 0;
  }
  return medianOf(costs, rounds);
}

} // namespace

double measureHook(void (*hook)(void *context), void *context) {
  HotThread &thread = hotThread;
  if (!thread.slot && !attachUnseenThread())
    return 0;
  ThreadSlot &slot = *thread.slot;
  Event *const before = thread.next;
  if (before + hooksPerRound + 1 >= softLimitOf(slot))
    return 0;
  const std::uint32_t busy = thread.busy;
  const std::uint32_t open = thread.open;
  double cost = 0;
  {
    // Nobody may replay these events, and no signal handler add to them. With room they are
    // stored whether or not anything is being recorded.
    sigset_t all;
    sigset_t signals;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals);
    const SpinGuard guard(slot.inUse);
    thread.busy = idle;
    Event *const limit = thread.softLimit;
    thread.softLimit = softLimitOf(slot);
    cost = medianCost([=] { hook(context); },
                      [&] {
                        const bool stored = thread.next == before + hooksPerRound;
                        thread.next = before;
                        return stored;
                      });
    thread.softLimit = limit;
    thread.busy = busy;
    thread.open = open;
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  }
  return cost;
}

double measureCallHook(SiteRole role) {
  SiteRecord nobody{};
  nobody.index = 1;
  nobody.role = role;
  return measureHook(
      [](void *record) {
        __qdadvise_event(static_cast<SiteRecord *>(record),
                         static_cast<std::uint32_t>(Instant::acquire), record);
      },
      &nobody);
}

namespace {

/// Ticks of the hook of an attempt, of a site with this index, that stores no event.
double measureUnstored(std::uint32_t index) {
  SiteRecord nobody{};
  nobody.index = index;
  nobody.role = SiteRole::acquire;
  return medianCost(
      [&] { __qdadvise_event(&nobody, static_cast<std::uint32_t>(Instant::attempt), &nobody); },
      [] { return true; });
}

} // namespace

// Nothing is recorded yet: all but the counting itself.
double measureSiteCount() { return measureUnstored(1 | siteDetour); }

double measureCountingHook() {
  const double called = measureUnstored(1);
  const ReplayContext &context = process().context;
  return called + (context.xrayHookTicks != 0 ? context.xrayHookTicks - context.callHookTicks : 0);
}

void followHookCost() {
  constexpr double weight = 0.25;
  ReplayContext &context = process().context;
  const double found = measureCallHook(SiteRole::acquire);
  if (found == 0 || context.callHookTicks == 0)
    return;
  double drift = context.drift();
  drift += weight * (found - context.callHookTicks - drift);
  __atomic_store(&context.driftTicks, &drift, __ATOMIC_RELAXED);
}

} // namespace qdadvise::runtime

extern "C" __attribute__((visibility("default"))) void __qdadvise_register(SiteRecord *begin,
                                                                           SiteRecord *end) {
  if (const Doors *const first = firstCopy())
    return first->registerSites(begin, end);
  const InsideRecorder inside;
  process();
  if (Sites::instance().add(begin, end) != 0)
    warn("some code was instrumented by another version of QDAdvise's plugin and is not "
         "recorded; compile it again with the plugin that came with this runtime");
  noteDoorsOf(begin, end);
  if (isTraced(begin, end))
    beginTracing();
  if (begin != end)
    Sites::instance().takeHooks(begin);
  if (connectXray(begin, end) == 0)
    return;
  noteDoor(format::runHooksXray);
  if (!hotThread.slot)
    attachUnseenThread(); // to measure with, before the switches are ours
  Process &self = process();
  const SpinGuard guard(self.control);
  if (self.context.xrayHookTicks == 0 && !countingSites) {
    patchXray(allHooks);
    self.context.xrayHookTicks = measureXrayHook();
    if (!recording)
      patchXray(noHooks);
  } else if (recording) {
    patchXray(recordingHooks());
  }
}

extern "C" __attribute__((visibility("default"))) void __qdadvise_unregister(SiteRecord *begin,
                                                                             SiteRecord *end) {
  if (const Doors *const first = firstCopy())
    return first->unregisterSites(begin, end);
  const InsideRecorder inside;
  // What has been recorded of this code is looked up while it is still there.
  catchUpAll();
  forgetSleds(begin, end);
  Sites::instance().forgetCallers();
  Sites::instance().retire(begin, end);
}
