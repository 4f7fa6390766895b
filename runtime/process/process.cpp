// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See process.h.
#include "runtime/process/process.h"

#include "runtime/base/text.h"
#include "runtime/events/clock.h"
#include "runtime/events/hot_thread.h"
#include "runtime/events/recording_mode.h"
#include "runtime/sites/sites.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace qdadvise::runtime {

void linkLifetime(); // control/lifetime.cpp

namespace {

alignas(Process) char storage[sizeof(Process)];
/// 0 untouched, 1 being set up, 2 ready.
int state = 0;
NamedLocks namedLocks;
/// A static library's member is linked only if something refers to it. So this one refers to the
/// one that runs before and after main.
[[gnu::used]] void (*const linkedWithIt)() = linkLifetime;

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

void setUp(Process &self) {
  parseOptions(std::getenv("QDADVISE_OPTIONS"), self.options, warn);
  self.slices = self.options.slices;
  self.pid = getpid();
  learnCommand(self);
  self.findPath();
  self.startClocks = readClocks();
  if (!Sites::instance().prepare())
    warn("out of memory: nothing is recorded");
  Sites::instance().choosePaths(self.options.pathSites, self.options.maxPaths);
  Sites::instance().chooseTraced(self.options.memory ? self.options.memorySites : nullptr);
  self.context.lockEnds = self.lockEnds = LockEndLog::make();
  self.readers = ReaderTable::make();
  self.context.sites = Sites::instance().traits();
  self.context.callerSite = [](std::uint32_t body, std::uint64_t address) {
    return Sites::instance().callerSite(body, address);
  };
}

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

void Process::calibrateClock() {
  if (timerNs != 0)
    return;
  context.nsPerTick = 1 / ticksPerNsSince(startClocks);
  timerNs = calibrateStampTicks() * context.nsPerTick;
}

void Process::findPath() {
  if (!expandPattern(options.profile, static_cast<unsigned long>(getpid()), host, program, path,
                     sizeof path)) {
    warn("QDADVISE_OPTIONS: the profile's path is too long; writing qdadvise.qdprof");
    std::strcpy(path, "qdadvise.qdprof");
  }
}

bool Process::hasBothHooks() const {
  constexpr std::uint32_t both = format::runHooksXray | format::runHooksCall;
  return (__atomic_load_n(&hookKinds, __ATOMIC_RELAXED) & both) == both;
}

double Process::hookNs(std::uint64_t events, std::uint64_t xrayEvents) const {
  double xrayShare = (hookKinds & format::runHooksXray) != 0 ? 1 : 0;
  if (hasBothHooks())
    xrayShare = events != 0 ? static_cast<double>(xrayEvents) / static_cast<double>(events) : 0;
  const double ticks = xrayShare * context.xrayHookTicks + (1 - xrayShare) * context.callHookTicks;
  return (ticks + context.drift()) * context.factor() * context.nsPerTick;
}

void noteHookKind(std::uint32_t kind) {
  __atomic_fetch_or(&process().hookKinds, kind, __ATOMIC_RELAXED);
}

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

void nameLock(const void *lock, const char *name) {
  const InsideRecorder inside;
  Process &self = process();
  const std::uint32_t lockClass = Sites::instance().namedLockClass(name);
  const SpinGuard guard(self.control);
  if (!namedLocks.add(reinterpret_cast<std::uintptr_t>(lock), lockClass))
    warn("qdadvise_name_lock: too many named locks; this one keeps its class's name");
  self.context.names = &namedLocks;
}

} // namespace qdadvise::runtime
