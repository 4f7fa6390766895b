// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signal of the options starts a recording that is off and writes one that is
// on; a handler of the program's own is left alone.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: rm -f %t.qdprof
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0:signal=USR1 not --crash %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: events 300 dropped 0 unmatched 0
// CHECK: section 10 lock a acquisitions 100
#include "sites.h"
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void sections(void) {
  for (int i = 0; i < 100; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
}

int main(void) {
  sections(); /* nobody looks */
  raise(SIGUSR1);
  sections();
  raise(SIGUSR1); /* writes */
  sections();
  kill(getpid(), SIGKILL); /* writes nothing more */
}
