// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See write_profile.h.
#include "runtime/output/write_profile.h"

#include "runtime/base/text.h"
#include "runtime/events/clock.h"
#include "runtime/events/dropped_events.h"
#include "runtime/events/recording_mode.h"
#include "runtime/output/writer.h"
#include "runtime/process/process.h"
#include "runtime/tables/lock_takers.h"
#include "runtime/threads/thread_classes.h"
#include "runtime/threads/thread_slots.h"
#include "runtime/unseen/unseen_locks.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

RunFacts factsOf(const Process &self, const Tables &total) {
  RunFacts facts;
  facts.program = self.program;
  facts.host = self.host;
  facts.command = self.command;
  facts.nsPerTick = self.context.nsPerTick;
  format::RunRecord &run = facts.record;
  run.flags = self.hookKinds;
  if (self.lacksSlices)
    run.flags |= format::runLacksSlices;
  if (self.wasThreaded)
    run.flags |= format::runThreaded;
  if (self.context.factor() != 1)
    run.flags |= format::runHooksInPlace;
  if (tracesMemory())
    run.flags |= format::runMemory | format::runCountersOnly;
  facts.unseen = unseenLocks();
  if (facts.unseen)
    run.flags |= format::runCountsUnseen;
  run.pid = static_cast<std::uint64_t>(getpid());
  run.startUnixNs = self.startUnixNs;
  std::uint64_t ns = self.recordedNs;
  if (self.recordingSinceNs != 0)
    ns += self.recordingNs();
  run.durationNs = static_cast<double>(ns);
  if (self.context.sliced && self.slices > 1) {
    ns = self.wantedNs;
    if (self.wantedSinceNs != 0)
      ns += clockNs(CLOCK_MONOTONIC) - self.wantedSinceNs;
    run.slicedNs = static_cast<double>(ns);
  }
  run.ticksPerNs = 1 / self.context.nsPerTick;
  run.timerNs = self.timerNs;
  run.hookNs = self.hookNs(total.events, total.xrayEvents);
  run.dropped = droppedEvents();
  ProcessorTime processors{};
  forEachSlot([&](const ThreadSlot &slot) { processors.add(slot.processorTime()); });
  run.onProcessorNs = static_cast<double>(processors.ranNs);
  run.runDelayNs = static_cast<double>(processors.waitedNs);
  return facts;
}

void collectTakers(const Process &self, Tables &total) {
  constexpr std::size_t noLimit = std::size_t{1} << 40;
  Arena arena(noLimit);
  LockTakers all(arena);
  forEachSlot([&](const ThreadSlot &slot) { all.note(slot.tables); });
  if (self.lockEnds)
    all.noteMakers(*self.lockEnds);
  forEachSlot([&](const ThreadSlot &slot) { all.count(slot.tables, self.lockEnds); });
  all.collect(total.memory(), total.takers, mainThreadClass);
}

/// All threads' tables in one.
void collect(const Process &self, Tables &total) {
  const std::uint64_t stamp = self.recordedUpTo();
  forEachSlot([&](ThreadSlot &slot) {
    slot.catchUp();
    total.merge(slot.tables);
    if (slot.owner)
      slot.replay.addOpen(total, stamp);
    ThreadClassTimes *const times =
        slot.owner ? total.threadClass(slot.replay.threadClass()) : nullptr;
    if (times && stamp > slot.replay.beginStamp())
      times->aliveNs +=
          static_cast<double>(stamp - slot.replay.beginStamp()) * self.context.nsPerTick;
  });
  collectTakers(self, total);
  total.windowAt(stamp - self.context.startStamp);
  if (self.lockEnds)
    total.dropped += !self.lockEnds->collect(total.memory(), total.closedLocks);
}

} // namespace

bool writeLocked(const Process &self, EmptyProfile empty) {
  constexpr std::size_t noLimit = std::size_t{1} << 40;
  Arena arena(noLimit);
  Tables total(arena, self.options.limits);
  collect(self, total);
  if (empty == EmptyProfile::dropped && total.events == 0)
    return true;
  ByteBuffer file;
  encodeProfile(total, factsOf(self, total), file);
  const int error = file.failed() ? ENOMEM : writeFile(self.path, file);
  if (error != 0) {
    Text<maxPath + 256> message;
    message.add("cannot write the profile '").add(self.path).add("': ");
    const char *const reason = strerrordesc_np(error);
    message.add(reason ? reason : "unknown error");
    if (error != ENOMEM)
      message.add(
          "; name another place with `qdadvise record -o FILE`, or QDADVISE_OPTIONS=profile=FILE");
    say("error", message.c_str());
    return false;
  }
  if (self.options.verbose) {
    Text<maxPath + 256> message;
    message.add("wrote ").addNumber(total.events).add(" events to '").add(self.path).add("'");
    say("note", message.c_str());
  }
  return true;
}

bool writeProfile() {
  const InsideRecorder inside;
  Process &self = process();
  const SpinGuard guard(self.control);
  return self.options.never || writeLocked(self);
}

EmptyProfile emptyAtEnd(const Process &self) {
  return self.options.isProfileNamed ? EmptyProfile::written : EmptyProfile::dropped;
}

void writeBeforeEnd() {
  Process &self = process();
  // The child of vfork is in its parent's memory. In the midst of the recorder tables are not fit
  // to be read.
  if (hotThread.busy == inRecorder || self.pid != getpid())
    return;
  const InsideRecorder inside;
  const SpinGuard guard(self.control);
  if (self.startUnixNs == 0 || self.ended || self.options.never)
    return;
  // A child that ends so has often done nothing but fail to become another program.
  writeLocked(self, self.isChild ? EmptyProfile::dropped : emptyAtEnd(self));
}

} // namespace qdadvise::runtime
