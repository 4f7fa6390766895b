// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process is asked from outside to start, to stop, to forget and to write, by a value that is
// queued with the signal.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: rm -f %t.qdprof
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0:signal=USR1 not --crash %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: events 150 dropped 0 unmatched 0
// CHECK: section 10 lock a acquisitions 50 hold
#include "sites.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void sections(int count) {
  for (int i = 0; i < count; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
}

/* As anybody may who may send signals. */
static void ask(const char *request) {
  char command[64];
  snprintf(command, sizeof command, "/bin/kill -q %s -s USR1 %d", request, (int)getpid());
  if (system(command) != 0)
    _exit(1);
}

int main(void) {
  sections(1); /* nobody looks */
  ask("1");    /* start */
  ask("1");    /* it has */
  sections(100);
  ask("3"); /* reset */
  sections(20);
  ask("2"); /* stop */
  sections(300);
  ask("2");
  ask("99"); /* means nothing */
  ask("1");
  sections(30);
  ask("4"); /* write */
  sections(1000);
  kill(getpid(), SIGKILL); /* nothing more is written */
}
