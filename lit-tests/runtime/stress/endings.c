// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that never stop locking, starting and ending are ended by a signal at any time, in the
// midst of the recorder, too: each process dies by just that signal and leaves a whole profile.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/end_by_signals.py %t %t.qdprof | FileCheck %s
//
// CHECK: 60 ended by their signal and left a profile
#include "sites.h"
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void *work(void *endless) {
  for (long i = 0; endless || i < 50; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i)
    pthread_create(&thread, NULL, work, &thread);
  puts("running");
  fflush(stdout);
  for (;;) {
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
  }
}
