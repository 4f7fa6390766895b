// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See process.h.
#include "runtime/process.h"

#include "runtime/call_paths.h"
#include "runtime/hooks.h"
#include "runtime/only_one.h"
#include "runtime/sites.h"
#include "runtime/slices.h"
#include "runtime/text.h"
#include "runtime/thread_classes.h"
#include "runtime/writer.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sys/utsname.h>
#include <threads.h>
#include <unistd.h>

namespace qdadvise::runtime {

namespace {

alignas(Process) char storage[sizeof(Process)];
/// 0 untouched, 1 being set up, 2 ready.
int state = 0;
/// Taken to turn a switch or to write.
SpinLock control;
std::uint32_t pendingRequests = 0; ///< a bit each
NamedLocks namedLocks;

std::size_t readWhole(const char *path, char *out, std::size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  std::size_t used = 0;
  while (used < size) {
    const ssize_t count = read(fd, out + used, size - used);
    if (count <= 0)
      break;
    used += static_cast<std::size_t>(count);
  }
  close(fd);
  return used;
}

void learnCommand(Process &self) {
  const std::size_t used = readWhole("/proc/self/cmdline", self.command, sizeof self.command - 1);
  for (std::size_t i = 0; i + 1 < used; ++i)
    if (self.command[i] == '\0')
      self.command[i] = ' ';
  self.command[used] = '\0';
  const char *const name = program_invocation_short_name;
  std::strncpy(self.program, name ? name : "", sizeof self.program - 1);
  utsname system{};
  if (uname(&system) == 0)
    std::strncpy(self.host, system.nodename, sizeof self.host - 1);
}

void findPath(Process &self) {
  if (!expandPattern(self.options.profile, static_cast<unsigned long>(getpid()), self.host,
                     self.program, self.path, sizeof self.path)) {
    warn("QDADVISE_OPTIONS: the profile's path is too long; writing qdadvise.qdprof");
    std::strcpy(self.path, "qdadvise.qdprof");
  }
}

/// Does what a signal asked for at a bad moment.
void catchUpWithSignals() {
  if (__builtin_expect(__atomic_load_n(&pendingRequests, __ATOMIC_RELAXED) == 0, 1))
    return;
  const std::uint32_t requests = __atomic_exchange_n(&pendingRequests, 0, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < requestCount; ++i)
    if ((requests >> i & 1) != 0)
      onRequest(static_cast<Request>(i));
}

void onSignal(int, siginfo_t *info, void *) {
  const int saved = errno;
  const int value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
  if (value >= 0 && value < static_cast<int>(requestCount))
    onRequest(static_cast<Request>(value));
  errno = saved;
}

void installSignal(const Process &self) {
  if (self.options.signal == 0)
    return;
  struct sigaction before{};
  if (sigaction(self.options.signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) {
    warn("QDADVISE_OPTIONS: the program handles this signal itself; 'signal' is ignored");
    return;
  }
  struct sigaction ours{};
  ours.sa_sigaction = onSignal;
  ours.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(self.options.signal, &ours, nullptr);
}

/// glibc leaves out atomics in a process that never had a second thread. C11's functions,
/// because nobody stands before them: a sanitizer's pthread_join refuses a thread that it
/// has not seen begin.
void letOneThreadRun() {
  thrd_t thread;
  if (thrd_create(&thread, [](void *) { return 0; }, nullptr) == thrd_success)
    thrd_join(thread, nullptr);
}

void setUp(Process &self) {
  parseOptions(std::getenv("QDADVISE_OPTIONS"), self.options, warn);
  learnCommand(self);
  findPath(self);
  const double ticksPerNs = calibrateTicksPerNs();
  self.context.nsPerTick = 1 / ticksPerNs;
  Sites::instance().prepare();
  Sites::instance().choosePaths(self.options.pathSites, self.options.maxPaths);
  Sites::instance().chooseTraced(self.options.memory ? self.options.memorySites : nullptr);
  self.context.retirements = self.retirements = Retirements::make();
  if (!self.options.countersOnly)
    self.readers = ReaderTable::make();
  self.context.sites = Sites::instance().traits();
  self.context.callerSite = [](std::uint32_t body, std::uint64_t address) {
    return Sites::instance().callerSite(body, address);
  };
  self.context.countersOnly = countingOnly = self.options.countersOnly;
  self.timerNs = calibrateStampTicks() / ticksPerNs;
}

/// Calls `visit` for every slot while nobody else uses it.
template <typename Visit> void forEachSlot(Visit visit) {
  for (ThreadSlot *slot = firstSlot(); slot; slot = slot->nextSlot) {
    const SpinGuard guard(slot->inUse);
    visit(*slot);
  }
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
  __atomic_store_n(&finishing, false, __ATOMIC_RELAXED);
  __atomic_store_n(&recording, true, __ATOMIC_RELEASE);
  letThreadsRecord(true);
  Sites::instance().turnHooks(true);
  patchXray(true);
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
  if (!recording)
    return;
  patchXray(false);
  Sites::instance().turnHooks(false);
  __atomic_store_n(&recording, false, __ATOMIC_RELEASE);
  __atomic_store_n(&finishing, false, __ATOMIC_RELEASE);
  letThreadsRecord(false);
  endTimeLocked(self);
}

void stopLocked(Process &self) {
  if (!wanted)
    return;
  pauseLocked(self);
  wanted = false;
  self.wantedNs += clockNs(CLOCK_MONOTONIC) - self.wantedSinceNs;
  self.wantedSinceNs = 0;
}

RunFacts factsOf(const Process &self) {
  RunFacts facts;
  facts.program = self.program;
  facts.host = self.host;
  facts.command = self.command;
  facts.nsPerTick = self.context.nsPerTick;
  format::RunRecord &run = facts.record;
  run.flags = self.doors;
  if (self.wasThreaded)
    run.flags |= format::runThreaded;
  if (self.options.countersOnly)
    run.flags |= format::runCountersOnly;
  if (tracingMemory)
    run.flags |= format::runMemory | format::runCountersOnly;
  run.pid = static_cast<std::uint64_t>(getpid());
  run.startUnixNs = self.startUnixNs;
  std::uint64_t ns = self.recordedNs;
  if (self.recordingSinceNs != 0)
    ns += self.recordingNs();
  run.durationNs = static_cast<double>(ns);
  if (self.context.sliced) {
    ns = self.wantedNs;
    if (self.wantedSinceNs != 0)
      ns += clockNs(CLOCK_MONOTONIC) - self.wantedSinceNs;
    run.slicedNs = static_cast<double>(ns);
  }
  run.ticksPerNs = 1 / self.context.nsPerTick;
  run.timerNs = self.timerNs;
  run.hookNs = self.hookNs();
  run.dropped = droppedWithoutSlot();
  return facts;
}

/// All threads' tables in one.
void collect(const Process &self, Tables &total) {
  const std::uint64_t stamp = self.recordedUpTo();
  forEachSlot([&](ThreadSlot &slot) {
    slot.catchUp();
    total.merge(slot.tables);
    ThreadClassTimes *const times =
        slot.owner ? total.threadClass(slot.replay.threadClass()) : nullptr;
    if (times && stamp > slot.replay.beginStamp())
      times->aliveNs +=
          static_cast<double>(stamp - slot.replay.beginStamp()) * self.context.nsPerTick;
  });
  total.windowAt(stamp - self.context.startStamp);
  if (self.retirements)
    total.dropped += !self.retirements->collect(total.memory(), total.closedLocks);
}

bool writeLocked(const Process &self) {
  constexpr std::size_t noLimit = std::size_t{1} << 40;
  Arena arena(noLimit);
  Tables total(arena, self.options.limits);
  collect(self, total);
  ByteBuffer file;
  encodeProfile(total, factsOf(self), file);
  const int error = file.failed() ? ENOMEM : writeFile(self.path, file);
  if (error != 0) {
    Text<maxPath + 256> message;
    message.add("cannot write the profile '").add(self.path).add("': ");
    const char *const reason = strerrordesc_np(error);
    message.add(reason ? reason : "unknown error");
    message.add("; name another place with QDADVISE_OPTIONS=profile=FILE");
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

/// The times of a recording from zero, whatever switches are on.
void beginAgain(Process &self, std::uint64_t stamp) {
  const bool on = self.recordingSinceNs != 0;
  const std::uint64_t ns = clockNs(CLOCK_MONOTONIC);
  self.context.startStamp = wanted ? stamp : 0;
  self.startUnixNs = clockNs(CLOCK_REALTIME);
  self.pausedStamp = wanted && !on ? stamp : 0;
  self.recordedNs = self.wantedNs = 0;
  self.recordingSinceNs = on ? ns : 0;
  self.wantedSinceNs = wanted ? ns : 0;
}

// --- fork ---

void beforeFork() {
  process();
  hotThread.busy = inRecorder;
  control.lock();
  lockThreadClasses();
  Sites::instance().lock.lock();
  if (process().retirements)
    process().retirements->lock.lock();
  if (process().readers)
    process().readers->lock.lock();
  lockMemory();
}

void afterForkInParent() {
  unlockMemory();
  if (process().readers)
    process().readers->lock.unlock();
  if (process().retirements)
    process().retirements->lock.unlock();
  Sites::instance().lock.unlock();
  unlockThreadClasses();
  control.unlock();
  hotThread.busy = idle;
}

/// The child has one thread, no events yet, and a file of its own.
void afterForkInChild() {
  Process &self = process();
  unlockMemory();
  if (self.readers)
    self.readers->lock.unlock();
  if (self.retirements)
    self.retirements->lock.unlock();
  Sites::instance().lock.unlock();
  control.unlock();
  const std::uint64_t stamp = readStamp();
  const ThreadSlot *const slot = hotThread.slot;
  unlockThreadClasses();
  forgetThreads(slot ? slot->replay.threadClass() : mainThreadClass, slot != nullptr);
  forgetOtherThreads(stamp);
  if (self.retirements)
    self.retirements->forget();
  if (self.readers)
    self.readers->forget();
  forgetMemory();
  forgetSlices();
  self.context.sliceEnd = noSliceEnd;
  beginAgain(self, stamp);
  if (wanted && self.pausedStamp != 0)
    goOnLocked(self, false);
  if (!std::strstr(self.options.profile, "%p") &&
      std::strlen(self.options.profile) + 3 < sizeof self.options.profile)
    std::strcat(self.options.profile, ".%p");
  findPath(self);
  hotThread.busy = idle;
}

// --- begin and end of the process ---

__attribute__((constructor(101))) void beginProcess() {
  if (firstCopy())
    return;
  Process &self = process();
  afterRecorder = catchUpWithSignals;
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  if (self.options.threaded) {
    letOneThreadRun();
    self.wasThreaded = true;
  }
  attachUnseenThread();
  const double stamped = measureCallHook(SiteRole::acquire);
  self.context.setCallHook(stamped, measureCallHook(SiteRole::wrapper));
  installSignal(self);
  prepareCallPaths();
  prepareSlices();
  if (self.options.enabled)
    startRecording();
}

__attribute__((destructor(101))) void endProcess() { finishRecording(); }

} // namespace

Process &process() {
  auto *const self = reinterpret_cast<Process *>(storage);
  if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2, 1))
    return *self;
  int untouched = 0;
  if (__atomic_compare_exchange_n(&state, &untouched, 1, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    setUp(*new (storage) Process());
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2)
    sched_yield();
  return *self;
}

double Process::hookNs() const {
  const bool isXray = (doors & format::runHooksXray) != 0;
  const double ticks = isXray ? context.xrayHookTicks : context.callHookTicks;
  return (ticks + context.drift()) * context.nsPerTick;
}

void noteDoor(std::uint32_t door) { __atomic_fetch_or(&process().doors, door, __ATOMIC_RELAXED); }

std::uint64_t Process::recordedUpTo() const {
  if (pausedStamp != 0)
    return pausedStamp;
  const std::uint64_t now = readStamp();
  return now < context.sliceEnd ? now : context.sliceEnd;
}

std::uint64_t Process::recordingNs() const {
  const std::uint64_t now = clockNs(CLOCK_MONOTONIC);
  const std::uint64_t ns = now > recordingSinceNs ? now - recordingSinceNs : 0;
  return context.sliceEnd != noSliceEnd && ns > sliceNs ? sliceNs : ns;
}

void startRecording() {
  {
    const InsideRecorder inside;
    const SpinGuard guard(control);
    startLocked(process());
  }
  wakeSlices();
}

void openSlice() {
  const InsideRecorder inside;
  const SpinGuard guard(control);
  if (wanted && !recording)
    goOnLocked(process(), true);
}

bool closeSlice(bool now) {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(control);
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

void stopRecording() {
  const InsideRecorder inside;
  const SpinGuard guard(control);
  stopLocked(process());
}

void resetRecording() {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(control);
  const std::uint64_t stamp = readStamp();
  forEachSlot([&](ThreadSlot &slot) {
    slot.catchUp();
    slot.forget(stamp);
  });
  if (self.retirements)
    self.retirements->forget();
  if (self.readers)
    self.readers->forget();
  forgetMemory();
  beginAgain(self, stamp);
}

bool writeProfile() {
  const InsideRecorder inside;
  const SpinGuard guard(control);
  return writeLocked(process());
}

void catchUpAll() {
  const SpinGuard guard(control);
  forEachSlot([](ThreadSlot &slot) { slot.catchUp(); });
}

void onRequest(Request request) {
  if (hotThread.busy == inRecorder) {
    __atomic_fetch_or(&pendingRequests, 1u << static_cast<std::uint32_t>(request),
                      __ATOMIC_RELAXED);
    return;
  }
  switch (request) {
  case Request::startOrWrite:
    if (__atomic_load_n(&wanted, __ATOMIC_RELAXED))
      writeProfile();
    else
      startRecording();
    return;
  case Request::start:
    return startRecording();
  case Request::stop:
    return stopRecording();
  case Request::reset:
    return resetRecording();
  case Request::write:
    writeProfile();
    return;
  }
}

void finishRecording() {
  Process &self = process();
  const InsideRecorder inside;
  const SpinGuard guard(control);
  if (self.startUnixNs == 0)
    return; // never switched on
  stopLocked(self);
  if (ThreadSlot *const slot = hotThread.slot) {
    const SpinGuard slotGuard(slot->inUse);
    slot->catchUp();
    slot->replay.end(self.recordedUpTo());
  }
  writeLocked(self);
}

void nameLock(const void *lock, const char *name) {
  const InsideRecorder inside;
  Process &self = process();
  const std::uint32_t lockClass = Sites::instance().namedLockClass(name);
  const SpinGuard guard(control);
  if (!namedLocks.add(reinterpret_cast<std::uintptr_t>(lock), lockClass))
    warn("qdadvise_name_lock: too many named locks; this one keeps its class's name");
  self.context.names = &namedLocks;
}

} // namespace qdadvise::runtime
