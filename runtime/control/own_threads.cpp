// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See own_threads.h. C11's functions, because nobody stands before them: a sanitizer's pthread_join
// refuses a thread that it has not seen begin.
#include "runtime/control/own_threads.h"

#include "runtime/hooks/recorder.h"
#include "runtime/hooks/sandbox.h"
#include "runtime/process/process.h"

#include <csignal>
#include <threads.h>

namespace qdadvise::runtime {

namespace {

sigset_t usualSignals;
void (*afterThatThread)(bool nothingOpen) = nullptr;

bool startWithoutSignals(int (*run)(void *), thrd_t &thread) {
  sigset_t all, here;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &here);
  const bool started = thrd_create(&thread, run, nullptr) == thrd_success;
  pthread_sigmask(SIG_SETMASK, &here, nullptr);
  return started;
}

void runOneFromHook(bool nothingOpen) {
  void (*here)(bool) = runOneFromHook;
  if (!mayStartThread(nothingOpen) ||
      !__atomic_compare_exchange_n(&afterBufferEmptied, &here, afterThatThread, false,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  letOneThreadRun();
}

} // namespace

void noteUsualSignals() { pthread_sigmask(SIG_SETMASK, nullptr, &usualSignals); }

bool startOwnThread(int (*run)(void *)) {
  thrd_t thread;
  const bool started = startWithoutSignals(run, thread);
  if (started)
    thrd_detach(thread);
  return started;
}

void unblockSignals() { pthread_sigmask(SIG_SETMASK, &usualSignals, nullptr); }

bool mayStartThread(bool nothingOpen) {
  sigset_t signals;
  if (isSandboxed() || !nothingOpen || pthread_sigmask(SIG_SETMASK, nullptr, &signals) != 0)
    return false;
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&signals, signal) > sigismember(&usualSignals, signal))
      return false;
  return true;
}

void letOneThreadRun() {
  thrd_t thread;
  if (startWithoutSignals([](void *) { return 0; }, thread))
    process().wasThreaded |= thrd_join(thread, nullptr) == thrd_success;
}

void letOneThreadRunLater() { afterBufferEmptied = runOneFromHook; }

void callFromHooks(void (*action)(bool nothingOpen)) {
  (afterBufferEmptied == runOneFromHook ? afterThatThread : afterBufferEmptied) = action;
}

} // namespace qdadvise::runtime
