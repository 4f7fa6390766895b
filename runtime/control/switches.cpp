// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See switches.h.
#include "runtime/control/switches.h"

#include "runtime/control/slices.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/hooks/hook_measurement.h"
#include "runtime/hooks/hooks_patch.h"
#include "runtime/hooks/hooks_xray.h"
#include "runtime/hooks/memory_tracing.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/sandbox.h"
#include "runtime/process/process.h"
#include "runtime/sites/sites.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/unseen/unseen_locks.h"

namespace qdadvise::runtime {

namespace {

HooksOn hooksOn = noHooks;

void turnHooks(HooksOn hooks) {
  if (hooks == hooksOn)
    return;
  hooksOn = hooks;
  Sites::instance().turnHooks(hooks);
  patchXray(hooks);
  patchSleds(hooks);
}

/// Recording goes on as if the time in between had not been.
void goOnLocked(Process &self, bool inSlices) {
  // Before time counts: until the last one is on, what a thread does inside of an operation may be
  // seen, and not the operation.
  turnHooks(allHooks);
  const bool bySlices =
      self.context.sliced && self.slices > 1 && !self.context.countersOnly && !lackSlices();
  const auto ticks = [&](std::uint64_t ns) {
    return static_cast<std::uint64_t>(static_cast<double>(ns) / self.context.nsPerTick);
  };
  const std::uint64_t marginNs = bySlices && inSlices ? sliceMarginNs : 0;
  const std::uint64_t stamp = readStamp() + ticks(marginNs);
  const std::uint64_t paused = self.pausedStamp;
  // This has to happen before the start moves.
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
      slot.replay.discardOpenState(stamp, paused);
    if (slot.owner)
      __atomic_store_n(&slot.owner->open, 0, __ATOMIC_RELAXED);
    slot.beginStretch();
  });
  if (self.readers)
    self.readers->forget();
  self.context.sliceEnd = bySlices ? stamp + ticks(sliceNs) : noSliceEnd;
  self.recordingSinceNs = clockNs(CLOCK_MONOTONIC) + marginNs;
  self.pausedStamp = 0;
  setRecordingState(RecordingState::on);
  letThreadsRecord(true);
}

void startLocked(Process &self) {
  if (isRecordingWanted() || firstCopy() || self.options.never)
    return;
  self.calibrateClock();
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

void pauseLocked(Process &self, bool turnsOff = true) {
  const auto turnOff = [&] {
    if (turnsOff)
      turnHooks(noHooks);
  };
  if (recordingState() == RecordingState::counting)
    setRecordingState(RecordingState::paused);
  turnOff();
  if (!isRecording())
    return;
  setRecordingState(RecordingState::paused);
  letThreadsRecord(false);
  endTimeLocked(self);
}

/// Begins from zero, whatever switches are on. The threads' own tables are the caller's business.
void beginAgain(Process &self, std::uint64_t stamp) {
  if (self.lockEnds)
    self.lockEnds->forget();
  if (self.readers)
    self.readers->forget();
  forgetMemory();
  forgetUnseenLocks();
  const bool wanted = isRecordingWanted(), on = self.recordingSinceNs != 0;
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
  if (!isRecordingWanted())
    return;
  // Hooks that stay on do nothing any more, and to change code could end the program.
  pauseLocked(self, !isSandboxed());
  setRecordingState(RecordingState::off);
  self.wantedNs += clockNs(CLOCK_MONOTONIC) - self.wantedSinceNs;
  self.wantedSinceNs = 0;
}

void recordAnew(Process &self, std::uint64_t stamp) {
  forgetSlices();
  self.context.sliceEnd = noSliceEnd;
  beginAgain(self, stamp);
  if (isRecordingWanted() && self.pausedStamp != 0)
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
  if (isRecordingWanted() && !isRecording())
    goOnLocked(self, true);
}

bool closeSlice(bool now, bool isToCount) {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(self.control);
  if (!isRecording() || tracesMemory())
    return true;
  if (recordingState() == RecordingState::on) {
    endTimeLocked(self);
    self.context.sliceEnd = self.pausedStamp; // as far as it was not known
    forEachSlot([](ThreadSlot &slot) { slot.endStretch(); });
    setRecordingState(RecordingState::finishing);
    letThreadsFinish();
  }
  if (!haveThreadsFinished() && !now)
    return false;
  pauseLocked(self, !isToCount);
  return true;
}

namespace {

/// What the slice was whose hooks are to be counted for.
ThreadSlot *busyBefore = nullptr;
Stretch withAllHooks;

/// The only thread with more than a few of all attempts; null if there is none.
ThreadSlot *busiest(Stretch &stretch) {
  constexpr std::uint64_t few = 100; // a part
  ThreadSlot *found = nullptr;
  stretch = {};
  std::uint64_t all = 0;
  forEachSlot([&](ThreadSlot &slot) {
    all += slot.stretch.attempts;
    if (slot.stretch.attempts <= stretch.attempts)
      return;
    found = &slot;
    stretch = slot.stretch;
  });
  return (all - stretch.attempts) * few <= all ? found : nullptr;
}

} // namespace

bool beginCounting() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (!isRecordingWanted() || isRecording())
    return false;
  busyBefore = self.context.countersOnly ? nullptr : busiest(withAllHooks);
  if (!busyBefore) {
    turnHooks(noHooks);
    return false;
  }
  setRecordingState(RecordingState::counting);
  turnHooks(attemptHooks);
  forEachSlot([](ThreadSlot &slot) { slot.beginStretch(); });
  return true;
}

void endCounting() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (recordingState() != RecordingState::counting)
    return; // stopped or started meanwhile
  forEachSlot([](ThreadSlot &slot) { slot.endStretch(); });
  const double fewTicks = measureCountingHook();
  pauseLocked(self);
  Stretch withFew;
  if (busiest(withFew) != busyBefore)
    return;
  self.hookCost.compare(withAllHooks, withFew, fewTicks);
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
