// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See slices.h.
#include "runtime/control/slices.h"

#include "runtime/base/text.h"
#include "runtime/control/own_threads.h"
#include "runtime/control/slices_by_load.h"
#include "runtime/control/switches.h"
#include "runtime/hooks/recorder.h"
#include "runtime/hooks/sandbox.h"
#include "runtime/process/process.h"
#include "runtime/threads/thread_slots.h"

#include <climits>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" __attribute__((weak)) void __tsan_init();

namespace qdadvise::runtime {

namespace {

/// How long is waited between two looks at threads that have something left to finish, and how
/// long altogether.
constexpr std::uint64_t finishLookNs = 200'000;
constexpr std::uint64_t longestFinishNs = 2 * sliceNs;
/// How long is waited between two looks at whether there are other threads, once the first one has
/// ended.
constexpr std::uint64_t aloneLookNs = 20'000'000;

int wakes = 0; ///< futex

void sleepUntil(std::uint64_t ns) {
  const timespec until{static_cast<time_t>(ns / 1'000'000'000u),
                       static_cast<long>(ns % 1'000'000'000u)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

/// No thread of the process is left but this and the first one, which has ended.
bool isAlone() {
  if (!__atomic_load_n(&mainThreadEnded, __ATOMIC_RELAXED))
    return false;
  const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return false;
  alignas(8) char entries[1024];
  unsigned threads = 0;
  for (long size;
       threads <= 2 && (size = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;)
    for (long at = 0; at < size;) {
      const auto *const entry = reinterpret_cast<const dirent64 *>(entries + at);
      threads += entry->d_name[0] != '.';
      at += entry->d_reclen;
    }
  close(fd);
  return threads <= 2;
}

/// False if the process is to end meanwhile.
bool sleepWhileOthersRun(std::uint64_t until) {
  for (;;) {
    if (isAlone())
      return false;
    const std::uint64_t now = clockNs(CLOCK_MONOTONIC);
    if (now >= until)
      return true;
    const bool looks = __atomic_load_n(&mainThreadEnded, __ATOMIC_RELAXED);
    const std::uint64_t step = looks ? aloneLookNs : 10 * aloneLookNs;
    sleepUntil(until - now < step ? until : now + step);
  }
}

bool waitUntilWanted() {
  while (!isRecordingWanted()) {
    if (isAlone())
      return false;
    const int seen = __atomic_load_n(&wakes, __ATOMIC_ACQUIRE);
    if (isRecordingWanted())
      break;
    const timespec most{0, static_cast<long>(10 * aloneLookNs)};
    syscall(SYS_futex, &wakes, FUTEX_WAIT_PRIVATE, seen, &most, nullptr, 0);
  }
  return true;
}

void endSlice(bool isToCount) {
  const std::uint64_t latest = clockNs(CLOCK_MONOTONIC) + longestFinishNs;
  for (std::uint64_t now = 0; !closeSlice(now >= latest, isToCount);) {
    now = clockNs(CLOCK_MONOTONIC);
    sleepUntil(now + finishLookNs);
  }
}

/// Fewer of them from here on, if they take much of the time and are not needed.
void spareSlices() {
  const unsigned shift = shiftByLoad();
  if (shift == 0)
    return;
  if (process().slices == 1)
    endSlice(false);
  thinSlices(shift);
}

struct Chance {
  std::uint64_t state;

  std::uint64_t below(std::uint64_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % bound;
  }
};

/// With slices to be light so many times the time of one passes from one count of attempts to the
/// next.
constexpr std::uint64_t lightPart = 100;

bool areSlicesLight() { return process().options.slicesByLoad || process().slices >= lightPart; }

/// Whether it may be found out what hooks cost: hooks of attempts are on for it.
bool mayCount(std::uint64_t now) {
  static std::uint64_t next = 0;
  if (!areSlicesLight())
    return true;
  const bool may = now >= next;
  next = may ? now + (process().hookCost.isKnown() ? 10 : 1) * lightPart * sliceNs : next;
  return may;
}

/// How long attempts are counted: enough of them to tell what hooks cost where they cost much.
std::uint64_t countingNs() { return areSlicesLight() ? sliceNs / 4 : sliceNs; }

/// Returns when there is nobody else; then the C library ends the process, as it would have.
int runSlices(void *) {
  prctl(PR_SET_NAME, "qdadvise-slices");
  const Process &self = process();
  Chance chance{readStamp() | 1};
  while (waitUntilWanted()) {
    std::uint64_t from = clockNs(CLOCK_MONOTONIC), start = from;
    bool others = true;
    while (others && isRecordingWanted()) {
      others = sleepWhileOthersRun(start + sliceHooksNs);
      from += self.slices * sliceHooksNs; // what is left of the period goes by
      const bool counts = self.slices > 1 && mayCount(clockNs(CLOCK_MONOTONIC));
      if (self.slices > 1)
        endSlice(counts);
      if (self.options.slicesByLoad)
        spareSlices();
      if (self.slices == 1) {
        from = start = clockNs(CLOCK_MONOTONIC);
        continue;
      }
      const std::uint64_t period = self.slices * sliceHooksNs;
      // The whole process may have been stopped for long.
      const std::uint64_t now = clockNs(CLOCK_MONOTONIC);
      from = from + period < now ? now : from;
      start = from + chance.below(period - sliceHooksNs);
      if (counts && beginCounting()) {
        const std::uint64_t until = now + countingNs();
        others = others && sleepWhileOthersRun(start < until ? start : until);
        endCounting();
      }
      others = others && sleepWhileOthersRun(start);
      start = clockNs(CLOCK_MONOTONIC);
      if (others)
        openSlice();
    }
    if (!others)
      break;
  }
  unblockSignals();
  return 0;
}

/// Whether this hook is the one to start the thread, or to find that it cannot be.
bool isTimeToStart(bool nothingOpen) {
  return (mayStartThread(nothingOpen) || isSandboxed()) &&
         __atomic_exchange_n(&afterBufferEmptied, nullptr, __ATOMIC_RELAXED);
}

/// Where it cannot be started all is recorded.
bool startFromHook() {
  const bool started = !isSandboxed() && startOwnThread(runSlices);
  process().lacksSlices = !started;
  return started;
}

/// In the child of a fork, once a thread may be started.
void startInChild(bool nothingOpen) {
  if (isTimeToStart(nothingOpen) && !startFromHook())
    warn("no thread could be started for slices; all is recorded");
}

/// With `slices=auto`: a program that takes few locks never has that thread.
void startIfWanted(bool nothingOpen) {
  if (!isLoadHigh() || !isTimeToStart(nothingOpen))
    return;
  ReplayContext &context = process().context;
  __atomic_store_n(&context.sliced, true, __ATOMIC_RELAXED);
  __atomic_store_n(&context.sliced, startFromHook(), __ATOMIC_RELAXED);
}

const char *obstacle() {
  if (!process().options.threaded)
    return "with threaded=0 there is no thread to switch; all is recorded";
  return &__tsan_init ? "not under ThreadSanitizer; all is recorded" : nullptr;
}

} // namespace

void prepareSlices() {
  Process &self = process();
  const char *why = obstacle();
  if (self.options.slicesByLoad && !why)
    callFromHooks(startIfWanted);
  if (self.options.slices == 1)
    return;
  if (!why && !startOwnThread(runSlices)) {
    self.lacksSlices = true;
    why = "no thread could be started; all is recorded";
  }
  self.context.sliced = !why;
  self.wasThreaded |= self.context.sliced;
  if (why) {
    Text<256> message;
    warn(message.add("QDADVISE_OPTIONS: 'slices': ").add(why).c_str());
  }
}

void wakeSlices() {
  if (!process().context.sliced)
    return;
  __atomic_fetch_add(&wakes, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &wakes, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void forgetSlices() {
  Process &self = process();
  if (self.context.sliced)
    afterBufferEmptied = self.options.slicesByLoad ? startIfWanted : startInChild;
  if (self.options.slicesByLoad)
    self.context.sliced = false;
  self.slices = self.options.slices;
  self.lacksSlices = false;
  noteUsualSignals();
}

bool lackSlices() { return __atomic_load_n(&afterBufferEmptied, __ATOMIC_RELAXED) == startInChild; }

} // namespace qdadvise::runtime
