// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a program a second thread, which does nothing, as slices of time do: glibc's malloc and
// mutexes take another way then. To be preloaded.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
  for (;;)
    pause();
  return unused;
}

__attribute__((constructor)) static void begin(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, wait_for_ever, NULL) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
