// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands before functions of libc that end the process, or that show and set what signals do: a
// program that asks for a signal's action sees what it would see without the runtime. Built for the
// shared and for the static library, as what stands behind is not found in the same way.
#include "runtime/control/endings.h"
#include "runtime/hooks/first_copy.h"
#include "runtime/output/write_profile.h"

#include <cerrno>
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

using namespace qdadvise::runtime;

// glibc's own, by names that nobody stands before.
extern "C" int __sigaction(int signal, const struct sigaction *action, struct sigaction *before);
extern "C" SignalHandler bsd_signal(int signal, SignalHandler handler);
#ifdef QDADVISE_STATIC_RUNTIME
// Our functions take the place of a sanitizer's in the same program, and these are what is left of
// them. A shared runtime comes behind a sanitizer's functions.
extern "C" __attribute__((weak)) int
__interceptor_sigaction(int signal, const struct sigaction *action, struct sigaction *before);
extern "C" __attribute__((weak)) SignalHandler __interceptor_signal(int signal,
                                                                    SignalHandler handler);
extern "C" __attribute__((weak)) void __interceptor__exit(int status);
#endif

namespace {

int nextSigaction(int signal, const struct sigaction *action, struct sigaction *before) {
#ifdef QDADVISE_STATIC_RUNTIME
  if (&__interceptor_sigaction)
    return __interceptor_sigaction(signal, action, before);
#endif
  return __sigaction(signal, action, before);
}

SignalHandler nextSignal(int signal, SignalHandler handler) {
#ifdef QDADVISE_STATIC_RUNTIME
  if (&__interceptor_signal)
    return __interceptor_signal(signal, handler);
#endif
  return bsd_signal(signal, handler);
}

/// Another copy of the runtime may be the one that records.
void writeInFirstCopy() {
  const RuntimeEntries *const first = firstCopy();
  if (!first)
    writeBeforeEnd();
  else if (first->writeBeforeEnd)
    first->writeBeforeEnd();
}

[[noreturn]] void endAtOnce(int status) {
  writeInFirstCopy();
#ifdef QDADVISE_STATIC_RUNTIME
  if (&__interceptor__exit)
    __interceptor__exit(status);
#endif
  for (;;)
    syscall(SYS_exit_group, status);
}

} // namespace

#define QDADVISE_BEFORE_LIBC extern "C" __attribute__((visibility("default")))

QDADVISE_BEFORE_LIBC __attribute__((noreturn)) void _exit(int status) { endAtOnce(status); }
QDADVISE_BEFORE_LIBC __attribute__((noreturn)) void _Exit(int status) noexcept {
  endAtOnce(status);
}

QDADVISE_BEFORE_LIBC int sigaction(int signal, const struct sigaction *action,
                                   struct sigaction *before) noexcept {
  const bool wantsDefault = action && action->sa_handler == SIG_DFL && isWrittenBefore(signal);
  const struct sigaction ours = writingAction();
  const int result = nextSigaction(signal, wantsDefault ? &ours : action, before);
  if (result == 0 && before)
    hideWritingAction(*before);
  return result;
}

QDADVISE_BEFORE_LIBC SignalHandler signal(int signal, SignalHandler handler) noexcept {
  if (handler != SIG_DFL || !isWrittenBefore(signal))
    return asProgramSees(nextSignal(signal, handler));
  const struct sigaction ours = writingAction();
  struct sigaction before{};
  if (nextSigaction(signal, &ours, &before) != 0)
    return SIG_ERR;
  return asProgramSees(before.sa_handler);
}

/// signal() of programs that are compiled for System V or strict ISO C: a handler serves once.
QDADVISE_BEFORE_LIBC SignalHandler __sysv_signal(int signal, SignalHandler handler) noexcept {
  struct sigaction action{}, before{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
