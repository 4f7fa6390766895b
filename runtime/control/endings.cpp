// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See endings.h.
#include "runtime/control/endings.h"

#include "runtime/base/pages.h"
#include "runtime/base/text.h"
#include "runtime/events/hot_thread.h"
#include "runtime/output/write_profile.h"
#include "runtime/process/process.h"

#include <cerrno>
#include <cstdlib>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

extern "C" __attribute__((weak)) void __tsan_init();
/// glibc's own, behind every function that stands before it.
extern "C" int __sigaction(int signal, const struct sigaction *action, struct sigaction *before);

namespace qdadvise::runtime {

namespace {

/// The signals whose default action ends a process and that can be handled.
constexpr int endingSignals[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGILL,  SIGTRAP,   SIGABRT,
                                 SIGBUS,  SIGFPE,  SIGUSR1,   SIGSEGV, SIGUSR2,   SIGPIPE,
                                 SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU, SIGVTALRM, SIGXFSZ,
                                 SIGPROF, SIGIO,   SIGPWR,    SIGSYS};

std::uint64_t writtenBefore = 0; ///< those of them that are ours, a bit each
int pendingEnding = 0;           ///< the signal

/// More than a thread's stack may have left, or its signal stack.
constexpr std::size_t stackBytes = std::size_t{1} << 18;

/// Runs it on a stack of our own. False where there is no memory for one.
bool runOnOwnStack(void (*work)()) {
  struct Contexts {
    ucontext_t here;
    ucontext_t there;
  };
  char *const memory = mapPages(stackBytes);
  if (!memory)
    return false;
  // Not on the signal's own stack, which may be small.
  auto &contexts = *reinterpret_cast<Contexts *>(memory);
  bool ran = false;
  if (getcontext(&contexts.there) == 0) {
    contexts.there.uc_stack.ss_sp = memory + sizeof(Contexts);
    contexts.there.uc_stack.ss_size = stackBytes - sizeof(Contexts);
    contexts.there.uc_link = &contexts.here;
    makecontext(&contexts.there, work, 0);
    ran = swapcontext(&contexts.here, &contexts.there) == 0;
  }
  munmap(memory, stackBytes);
  return ran;
}

void useDefault(int signal) {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  __sigaction(signal, &usual, nullptr);
}

/// An instruction of this thread's raised it: it cannot go on first.
bool isFault(const siginfo_t &info) {
  switch (info.si_signo) {
  case SIGSEGV:
  case SIGBUS:
  case SIGILL:
  case SIGFPE:
  case SIGTRAP:
  case SIGSYS:
    return info.si_code > 0;
  default:
    return false;
  }
}

/// Other threads may come here, too: each writes, and the first to return ends the process.
void onEnding(int signal, siginfo_t *info, void *) {
  const int saved = errno;
  if (hotThread.busy == inRecorder && !isFault(*info)) {
    __atomic_store_n(&pendingEnding, signal, __ATOMIC_RELAXED);
    return;
  }
  runOnOwnStack(writeBeforeEnd);
  useDefault(signal);
  // It comes again as it came, once this handler has returned: in the same thread at the same
  // instruction, so that a core file shows what it would have shown.
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info) != 0 &&
      syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal) != 0 && !isFault(*info))
    syscall(SYS_exit_group, 128 + signal);
  errno = saved;
}

} // namespace

void catchUpWithEnding() {
  const int signal = __atomic_load_n(&pendingEnding, __ATOMIC_RELAXED);
  if (__builtin_expect(signal == 0, 1) ||
      __atomic_exchange_n(&pendingEnding, 0, __ATOMIC_RELAXED) == 0)
    return;
  writeBeforeEnd();
  useDefault(signal);
  kill(getpid(), signal);
}

bool isWrittenBefore(int signal) {
  return signal > 0 && signal < 64 && (writtenBefore >> signal & 1) != 0;
}

struct sigaction writingAction() {
  struct sigaction action{};
  action.sa_sigaction = onEnding;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return action;
}

void hideWritingAction(struct sigaction &action) {
  if (action.sa_sigaction == onEnding) {
    action = {};
    action.sa_handler = SIG_DFL;
  }
}

SignalHandler asProgramSees(SignalHandler handler) {
  return reinterpret_cast<void *>(handler) == reinterpret_cast<void *>(onEnding) ? SIG_DFL
                                                                                 : handler;
}

void prepareEndings() {
  const Process &self = process();
  if (!self.options.atAnyEnd)
    return;
  at_quick_exit(writeBeforeEnd);
  // ThreadSanitizer delays signals until its own tables are in order, and knows only handlers that
  // were set through it.
  if (&__tsan_init)
    return;
  for (const int signal : endingSignals) {
    struct sigaction before{};
    if (signal == self.options.signal || __sigaction(signal, nullptr, &before) != 0)
      continue;
    writtenBefore |= std::uint64_t{1} << signal;
    const struct sigaction ours = writingAction();
    if (before.sa_handler == SIG_DFL)
      __sigaction(signal, &ours, nullptr);
  }
}

} // namespace qdadvise::runtime
