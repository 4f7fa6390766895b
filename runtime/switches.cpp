// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See switches.h.
#include "runtime/switches.h"

#include "runtime/hooks.h"
#include "runtime/only_one.h"
#include "runtime/process.h"
#include "runtime/recorder.h"
#include "runtime/sites.h"
#include "runtime/slices.h"

namespace qdadvise::runtime {

namespace {

void turnHooks(HooksOn hooks) {
  Sites::instance().turnHooks(hooks);
  patchXray(hooks);
}

/// What is recorded is one behind the other, as if the time in between had not been.
void goOnLocked(Process &self, bool inSlices) {
  const bool bySlices = self.context.sliced && !self.context.countersOnly && !lackSlices;
  const auto ticks = [&](std::uint64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) / self.context.nsPerTick);
  };
  const std::uint64_t marginNs = bySlices && inSlices ? sliceMarginNs : 0;
  const std::uint64_t stamp = readStamp() + ticks(marginNs);
  const std::uint64_t paused = self.pausedStamp;
  // Before the start moves.
  forEachSlot([](ThreadSlot &slot) { slot.catchUp(); });
  if (self.context.startStamp == 0) {
    self.context.startStamp = stamp;
    self.startUnixNs = clockNs(CLOCK_REALTIME);
  } else if (paused != 0) {
    self.context.startStamp += stamp - paused;
  }
  forEachSlot([&](ThreadSlot &slot) {
    if (inSlices && paused != 0)
      slot.replay.resume(paused, stamp);
    else
      slot.replay.cut(stamp, paused);
    if (slot.owner)
      slot.owner->open = 0;
  });
  if (self.readers)
    self.readers->forget();
  self.context.sliceEnd = bySlices ? stamp + ticks(sliceNs) : noSliceEnd;
  self.recordingSinceNs = clockNs(CLOCK_MONOTONIC) + marginNs;
  self.pausedStamp = 0;
  forEachSlot([](ThreadSlot &slot) { slot.seen = {}; });
  __atomic_store_n(&countingAttempts, false, __ATOMIC_RELAXED);
  __atomic_store_n(&finishing, false, __ATOMIC_RELAXED);
  __atomic_store_n(&recording, true, __ATOMIC_RELEASE);
  letThreadsRecord(true);
  turnHooks(allHooks);
}

void startLocked(Process &self) {
  if (wanted || firstCopy())
    return;
  wanted = true;
  self.wantedSinceNs = clockNs(CLOCK_MONOTONIC);
  goOnLocked(self, false);
}

/// Nothing counts from here on, but for what threads finish.
void endTimeLocked(Process &self) {
  if (self.recordingSinceNs == 0)
    return;
  self.pausedStamp = self.recordedUpTo();
  self.recordedNs += self.recordingNs();
  self.recordingSinceNs = 0;
}

void pauseLocked(Process &self) {
  if (countingAttempts) {
    __atomic_store_n(&countingAttempts, false, __ATOMIC_RELAXED);
    turnHooks(noHooks);
  }
  if (!recording)
    return;
  turnHooks(noHooks);
  __atomic_store_n(&recording, false, __ATOMIC_RELEASE);
  __atomic_store_n(&finishing, false, __ATOMIC_RELEASE);
  letThreadsRecord(false);
  endTimeLocked(self);
}

/// From zero but for the threads' own tables, whatever switches are on.
void beginAgain(Process &self, std::uint64_t stamp) {
  if (self.retirements)
    self.retirements->forget();
  if (self.readers)
    self.readers->forget();
  forgetMemory();
  const bool on = self.recordingSinceNs != 0;
  const std::uint64_t ns = clockNs(CLOCK_MONOTONIC);
  self.context.startStamp = wanted ? stamp : 0;
  self.startUnixNs = clockNs(CLOCK_REALTIME);
  self.pausedStamp = wanted && !on ? stamp : 0;
  self.recordedNs = self.wantedNs = 0;
  self.recordingSinceNs = on ? ns : 0;
  self.wantedSinceNs = wanted ? ns : 0;
}

} // namespace

void stopLocked(Process &self) {
  if (!wanted)
    return;
  pauseLocked(self);
  wanted = false;
  self.wantedNs += clockNs(CLOCK_MONOTONIC) - self.wantedSinceNs;
  self.wantedSinceNs = 0;
}

void recordAnew(Process &self, std::uint64_t stamp) {
  forgetSlices();
  self.context.sliceEnd = noSliceEnd;
  beginAgain(self, stamp);
  if (wanted && self.pausedStamp != 0)
    goOnLocked(self, false);
}

void startRecording() {
  {
    const InsideRecorder inside;
    Process &self = process();
    const SpinGuard guard(self.control);
    startLocked(self);
  }
  wakeSlices();
}

void openSlice() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (wanted && !recording)
    goOnLocked(self, true);
}

bool closeSlice(bool now) {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(self.control);
  if (!recording || tracingMemory)
    return true;
  if (!finishing) {
    endTimeLocked(self);
    __atomic_store_n(&finishing, true, __ATOMIC_RELEASE);
    letThreadsFinish();
  }
  if (!haveThreadsFinished() && !now)
    return false;
  pauseLocked(self);
  return true;
}

namespace {

/// What goes on between beginCounting and endCounting.
struct Counting {
  ThreadSlot *slot;    ///< of the only thread with more than a few attempts in the slice before
  Stretch withAll;     ///< what that did in the slice
  std::uint64_t since; ///< stamp
} counting;

struct Busiest {
  ThreadSlot *slot; ///< null: others are busy, too, or none is
  std::uint64_t attempts;
};

/// The thread with nearly all attempts, by `attempts` of a slot that has an owner.
template <typename Attempts> Busiest busiestBy(Attempts attempts) {
  constexpr std::uint64_t few = 100; // a part
  Busiest found{nullptr, 0};
  std::uint64_t all = 0;
  forEachSlot([&](ThreadSlot &slot) {
    const std::uint64_t own = slot.owner ? attempts(slot) : 0;
    all += own;
    if (own > found.attempts)
      found = {&slot, own};
  });
  return (all - found.attempts) * few <= all ? found : Busiest{nullptr, 0};
}

std::uint64_t attemptsOf(const ThreadSlot &slot) {
  return __atomic_load_n(&slot.owner->attempts, __ATOMIC_RELAXED);
}

} // namespace

bool beginCounting() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (!wanted || recording || self.context.countersOnly)
    return false;
  counting.slot = busiestBy([](const ThreadSlot &slot) { return slot.seen.attempts; }).slot;
  if (!counting.slot)
    return false;
  forEachSlot([](ThreadSlot &slot) {
    if (slot.owner)
      slot.attemptsBefore = attemptsOf(slot);
    if (&slot == counting.slot)
      counting.withAll = slot.seen;
  });
  counting.since = readStamp();
  __atomic_store_n(&countingAttempts, true, __ATOMIC_RELEASE);
  turnHooks(attemptHooks);
  return true;
}

void endCounting() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (!countingAttempts)
    return; // stopped or started meanwhile
  const auto ticks = static_cast<double>(readStamp() - counting.since);
  const Busiest busiest =
      busiestBy([](const ThreadSlot &slot) { return attemptsOf(slot) - slot.attemptsBefore; });
  const double fewTicks = measureCountingHook();
  pauseLocked(self);
  if (busiest.slot != counting.slot)
    return;
  self.hookCost.compare(counting.withAll, busiest.attempts, ticks, fewTicks);
  double factor = self.hookCost.factor();
  __atomic_store(&self.context.hookFactor, &factor, __ATOMIC_RELAXED);
}

void stopRecording() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  stopLocked(self);
}

void resetRecording() {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(self.control);
  const std::uint64_t stamp = readStamp();
  forEachSlot([&](ThreadSlot &slot) {
    slot.catchUp();
    slot.forget(stamp);
  });
  beginAgain(self, stamp);
}

} // namespace qdadvise::runtime
