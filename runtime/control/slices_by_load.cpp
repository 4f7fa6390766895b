// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See slices_by_load.h.
#include "runtime/control/slices_by_load.h"

#include "runtime/hooks/recorder.h"
#include "runtime/process/process.h"
#include "runtime/tables/known_locks.h"
#include "runtime/tables/thin_tables.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/unseen/unseen_locks.h"

namespace qdadvise::runtime {

namespace {

/// What hooks and recorder may take, by what the program does itself.
constexpr double mostLoad = 0.05;
/// So much time of the recording is left at least.
constexpr std::uint64_t leastNs = 2 * sliceNs;

/// What hooks, as measured alone, and the recorder took of a slice, by what the program itself did.
double loadOfSlice() {
  double taken = 0, all = 0;
  forEachSlot([&](const ThreadSlot &slot) {
    taken += slot.stretch.hookTicks + slot.stretch.recorderTicks;
    all += slot.stretch.ticks + slot.stretch.recorderTicks;
  });
  return all > taken ? taken / (all - taken) : 0;
}

/// Of two slices in a row the lighter: in one the processor may have been another's.
double loadOfTwoSlices() {
  static double before = 0;
  const double now = loadOfSlice(), load = now < before ? now : before;
  before = now;
  return load;
}

unsigned sparableShift(const Process &self, unsigned most) {
  const std::uint64_t ns = self.recordedNs + (self.recordingSinceNs != 0 ? self.recordingNs() : 0);
  while (most != 0 && ns >> most < leastNs)
    --most;
  if (most == 0)
    return 0;
  KnownLocks known;
  forEachSlot([&](const ThreadSlot &slot) { known.add(slot.tables); });
  return known.sparableShift(most);
}

} // namespace

bool isLoadHigh() {
  constexpr std::uint32_t buffers = 32;
  const Process &self = process();
  ThreadSlot &slot = *hotThread.slot;
  if (slot.emptied % buffers != 0 || self.context.countersOnly)
    return false;
  const std::uint64_t before = slot.emptiedStamp, now = readStamp();
  slot.emptiedStamp = now;
  const double hooksNs =
      buffers * softLimitEvents * self.hookNs(slot.tables.events, slot.tables.xrayEvents);
  const double ns = static_cast<double>(now - before) * self.context.nsPerTick;
  return before != 0 && hooksNs > mostLoad * ns;
}

unsigned shiftByLoad() {
  constexpr std::uint32_t fewest = 512;
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  const RecordingState state = recordingState();
  const bool allOfIt = self.slices == 1 && state == RecordingState::on;
  if ((!allOfIt && state != RecordingState::paused) || self.context.countersOnly)
    return 0;
  if (allOfIt)
    forEachSlot([](ThreadSlot &slot) { slot.endStretch(); });
  const double load = loadOfTwoSlices();
  if (allOfIt)
    forEachSlot([](ThreadSlot &slot) { slot.beginStretch(); });
  unsigned shift = 0;
  while (self.slices << shift < fewest && load > mostLoad * (self.slices << shift))
    ++shift;
  return sparableShift(self, shift);
}

void thinSlices(unsigned shift) {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  if (recordingState() != RecordingState::paused)
    return;
  const std::uint64_t stamp = self.pausedStamp;
  forEachSlot([&](ThreadSlot &slot) {
    slot.catchUp();
    thin(slot.tables, shift);
    slot.replay.thin(stamp, shift);
  });
  if (self.lockEnds)
    self.lockEnds->thin(shift);
  thinUnseenLocks(shift);
  self.context.startStamp = stamp - ((stamp - self.context.startStamp) >> shift);
  self.recordedNs >>= shift;
  self.slices <<= shift;
}

} // namespace qdadvise::runtime
